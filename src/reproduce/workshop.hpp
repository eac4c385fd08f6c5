// Makes studies in a folder: numbers, figures, the page and the report.
//
// What is made is kept part by part under parts/, each file under a line that says what it was made
// with; a later call takes it if that line is the same (number of runs, seed, data, parameters,
// version) and makes it again otherwise. Files are written whole, so whenever the work is
// interrupted, what is there is right and the next call goes on from it.
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
  /// A number that differs if the real data do; 0 if there are none.
  std::uint64_t data_mark = 0;
};

/// How a study stands.
enum class State {
  made,     // now
  kept,     // from an earlier call with the same settings
  no_data,  // it needs the real data
  absent,   // nobody asked for it
};

struct Outcome {
  const Study* study;
  State state;
  /// Without tables and claims unless it is made or kept.
  Tables tables = {};
  std::vector<Claim> claims = {};
};

/// The names of a study's files: "fig_comp_task.svg", "fig_comp_task-leads.csv".
std::vector<std::string> picture_files(const Outcome& outcome);
std::vector<std::string> data_files(const Outcome& outcome);

/// Makes what is wanted and not there yet; says of every study how it stands, in order.
/// `progress` counts microseconds of work expected.
Result<std::vector<Outcome>> make(const Order& order, Progress& progress);

}  // namespace allot::reproduce
