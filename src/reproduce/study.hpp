// One figure or table of the paper: its computation, its drawing, its claims.
//
//   parts[i].compute(settings, meter) -> tables;  all parts together -> figures, tables, claims
//
// Only compute takes time and random numbers; the rest follows from the tables. An interrupted run
// keeps its finished parts.
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
  /// The labels of the paper's real data; null if not given.
  std::shared_ptr<const sim::Recording> rte = nullptr;
};

/// A parameter as a reader sees it.
struct Parameter {
  std::string name, value;
};

struct Part {
  std::string name;
  /// Processor time in milliseconds, fixed and per run, to estimate the time left.
  double milliseconds, milliseconds_a_run;
  std::function<Result<Tables>(const Settings&, Meter&)> compute;
};

struct Picture {
  /// Suffix of the file name, such as "-difference"; empty for the main picture.
  std::string suffix;
  figure::PanelFigure figure;
};

/// A table to show; the first column holds headings.
struct ShownTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

struct Study {
  /// Label in the paper's source, and the labels of its panels or of figures that contain it.
  std::string label;
  std::vector<std::string> other_labels = {};
  /// Section of the paper.
  std::string section;
  std::string title, caption;
  std::vector<Parameter> parameters;
  /// A command that computes some of its numbers; empty if there is none.
  std::string by_hand = {};
  /// True if runs and seed matter; true if it needs the paper's real data.
  bool random = false, needs_rte = false;
  std::vector<Part> parts;
  std::function<std::vector<Picture>(const Tables&)> pictures = {};
  std::function<std::vector<ShownTable>(const Tables&)> shown_tables = {};
  std::function<std::vector<Claim>(const Tables&)> claims;
};

/// The label as a file name: "fig_comp_task".
std::string file_name(const Study& study);

/// The file of a table: "fig_comp_task-leads.csv".
std::string data_file(const Study& study, const std::string& table);

/// All studies, in the order of the paper.
std::span<const Study> studies();

/// The studies with this label, as their own or another one; empty if it is unknown.
std::vector<const Study*> studies_named(std::string_view label);

// The families, one per file.
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
