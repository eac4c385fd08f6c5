// One figure or table of the paper: what it computes, how it is drawn, what it is said to show.
//
//   parts[i].compute(settings, meter) -> tables;  all parts together -> figures, tables, claims
//
// Only compute takes time and chance; the rest follows from the tables. Parts are what an
// interrupted run keeps.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "allot/base/result.hpp"
#include "allot/figure/panels.hpp"
#include "allot/sim/recording.hpp"
#include "reproduce/claim.hpp"
#include "reproduce/data.hpp"
#include "reproduce/meter.hpp"

namespace allot::reproduce {

struct Settings {
  std::uint32_t runs = 20;
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;
  /// The labels of the paper's real data; null if there are none.
  std::shared_ptr<const sim::Recording> rte = nullptr;
};

/// A name and what it is, as a reader sees it.
struct Parameter {
  std::string name, value;
};

struct Part {
  std::string name;
  /// Processor time: at all, and for each run, in milliseconds; for the time left.
  double milliseconds, milliseconds_a_run;
  std::function<Result<Tables>(const Settings&, Meter&)> compute;
};

struct Picture {
  /// Behind the study's name, say "-difference"; empty for the main one.
  std::string suffix;
  figure::PanelFigure figure;
};

/// A table to be read; the first column is a heading.
struct ShownTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

struct Study {
  /// Of the paper's source, and what else it is part of or has as a panel there.
  std::string label;
  std::vector<std::string> other_labels = {};
  /// Where the paper has it.
  std::string section;
  std::string title, caption;
  std::vector<Parameter> parameters;
  /// A command that gives numbers of it; empty if there is none.
  std::string by_hand = {};
  /// Whether runs and seed matter, and the paper's real data.
  bool random = false, needs_rte = false;
  std::vector<Part> parts;
  std::function<std::vector<Picture>(const Tables&)> pictures = {};
  std::function<std::vector<ShownTable>(const Tables&)> shown_tables = {};
  std::function<std::vector<Claim>(const Tables&)> claims;
};

/// "fig_comp_task": the label as a file is called.
std::string file_name(const Study& study);

/// "fig_comp_task-leads.csv": where a table of it is.
std::string data_file(const Study& study, const std::string& table);

/// All there are, in the order of the paper.
std::span<const Study> studies();

/// Those that a label names, their own or another; none if it is unknown.
std::vector<const Study*> studies_named(std::string_view label);

// The families, one a file.
std::vector<Study> toy_studies();
std::vector<Study> surface_studies();
std::vector<Study> pessimistic_surface_studies();
std::vector<Study> consistency_studies();
std::vector<Study> count_studies();
std::vector<Study> density_and_prior_studies();
std::vector<Study> comparison_studies();
std::vector<Study> recorded_studies();
std::vector<Study> time_studies();

}  // namespace allot::reproduce
