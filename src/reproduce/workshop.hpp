// Runs studies in a folder: numbers, figures, the page and the report.
//
// Results are kept part by part under parts/. The first line of each file tells its settings
// (number of runs, seed, data, parameters, version). A later call reuses a file with the same line
// and recomputes it otherwise. Files are written whole, so after an interruption everything there
// is valid and the next call resumes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "allot/base/progress.hpp"
#include "reproduce/study.hpp"

namespace allot::reproduce {

struct Order {
  Settings settings;
  std::vector<const Study*> wanted;
  std::string folder;
  std::string version;
  /// A checksum of the real data; 0 if there are none.
  std::uint64_t data_mark = 0;
};

/// State of a study.
enum class State {
  made,     // in this call
  kept,     // from an earlier call with the same settings
  no_data,  // needs the real data
  absent,   // not requested
};

struct Outcome {
  const Study* study;
  State state;
  /// Has tables and claims only if it was made or kept.
  Tables tables = {};
  std::vector<Claim> claims = {};
};

/// The names of a study's files: "fig_comp_task.svg", "fig_comp_task-leads.csv".
std::vector<std::string> picture_files(const Outcome& outcome);
std::vector<std::string> data_files(const Outcome& outcome);
/// All of them, pictures first.
std::vector<std::string> files_of(const Outcome& outcome);

/// Runs the requested studies that are not there yet; returns the state of every study, in order.
/// `progress` counts microseconds of expected work.
Result<std::vector<Outcome>> make(const Order& order, Progress& progress);

/// A self-contained page: every figure in the order of the paper with its parameters, its claims
/// and the verdicts.
std::string html_report(const Order& order, std::span<const Outcome> outcomes);

/// Verdicts with their numbers, and the differences from the paper with their reasons.
std::string markdown_report(const Order& order, std::span<const Outcome> outcomes);

/// One row per study: its state, its settings, its files.
Data manifest(const Order& order, std::span<const Outcome> outcomes);

/// Counts of the verdicts.
struct Tally {
  std::size_t holds = 0, fails = 0, unclear = 0;

  void add(std::span<const Claim> claims);
  /// "31 hold, 4 do not hold, 2 need more runs".
  std::string text() const;
};

/// "Of 37 claims 31 hold, 4 do not hold, 2 need more runs".
std::string claims_text(std::span<const Outcome> outcomes);

/// Instructions for getting the real data.
std::string how_to_get_data();

}  // namespace allot::reproduce
