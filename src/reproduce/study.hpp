// One figure or table of the paper: its computation, its drawing, its claims.
//
//   parts[i].compute(settings, meter) -> tables;  all parts together -> figures, tables, claims
//
// Only compute takes time and random numbers; the rest follows from the tables. An interrupted run
// keeps its finished parts.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "allot/base/progress.hpp"
#include "allot/base/result.hpp"
#include "allot/figure/panels.hpp"
#include "allot/sim/recording.hpp"
#include "reproduce/data.hpp"

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

/// Progress of all studies together, in microseconds of expected work: one part's share of it. A
/// part of several steps tells the size of each.
class Meter {
 public:
  /// `whole` must outlive it.
  Meter(Progress& whole, double milliseconds)
      : whole_(whole), begun_(whole.done), size_(milliseconds * 1000) {}
  /// Counts the rest of the part as done.
  ~Meter() { whole_.done = begun_ + static_cast<std::uint64_t>(size_); }
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  /// Calls work(&progress), which counts in its own units, as this share of the part.
  template <typename Work>
  auto step(double share, Work work) {
    Progress progress;
    const std::jthread watcher([&](const std::stop_token& stop) { watch(share, progress, stop); });
    return work(&progress);
  }

 private:
  /// Reads a step's progress ten times per second until it ends.
  void watch(double share, const Progress& progress, const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any wake;
    const auto never = [] { return false; };
    while (!stop.stop_requested()) {
      const double done = done_ + share * std::min(1.0, progress.share());
      whole_.done = begun_ + static_cast<std::uint64_t>(done * size_);
      wake.wait_for(lock, stop, std::chrono::milliseconds(100), never);
    }
    done_ += share;
  }

  Progress& whole_;
  const std::uint64_t begun_;
  const double size_;
  double done_ = 0;  // share of the part
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

/// The parts of a study with one part per panel, from the fixed time of each.
std::vector<Part> panel_parts(
    std::span<const double> milliseconds, double milliseconds_a_run,
    const std::function<Result<Tables>(std::size_t panel, const Settings&, Meter&)>& compute);

/// "(a)", "(b)", ...
std::string panel_name(std::size_t n);

/// The points (x,y) of some rows, with the standard errors of y.
std::vector<figure::Point> points(const Data& data, Data::Where rows, std::string_view x,
                                  std::string_view y);

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
  std::function<ShownTable(const Tables&)> shown_table = {};
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

/// True if its parameters limit the runs.
bool limits_its_runs(const Study& study);

/// The claims of a study. Unclear ones tell how many runs would decide, up to 10,000 times `runs`;
/// studies that limit their runs do not. Cost: at most 100 evaluations of the claims.
std::vector<Claim> judged_claims(const Study& study, const Tables& tables, std::uint32_t runs);

// The families.
std::vector<Study> toy_studies();
std::vector<Study> surface_studies();
std::vector<Study> pessimistic_surface_studies();
std::vector<Study> consistency_studies();
std::vector<Study> count_studies();
std::vector<Study> neutral_prior_studies();
std::vector<Study> prior_studies();
std::vector<Study> comparison_studies();
std::vector<Study> recorded_studies();
std::vector<Study> time_studies();

}  // namespace allot::reproduce
