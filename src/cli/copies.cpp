#include "cli/copies.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::cli {
namespace {

using aggregate::SharedErrorOptions;
using aggregate::SharedErrors;
using aggregate::SuspectPair;

std::string copies_table(const std::string& heading, const io::LabelFile& file,
                         const SharedErrors& found, const SharedErrorOptions& options) {
  const std::string compared = count_text(found.pairs, "pair");
  if (found.suspects.empty()) {
    return fmt::format(
        "{}\n  {} of workers compared: none agrees more than independent workers "
        "would\n  false alarms: at most {} % of crowds without copies\n",
        heading, compared, plain_number(100 * options.false_alarms));
  }
  Table table({"worker", "other worker", "shared", "agree", "expected", "excess", "p-value"});
  for (const SuspectPair& pair : found.suspects) {
    table.add({file.workers[position(pair.first)], file.workers[position(pair.second)],
               fmt::format("{}", pair.shared), fmt::format("{:.3f}", pair.agreement),
               fmt::format("{:.3f}", pair.expected), fmt::format("{:.1f}", pair.excess),
               fmt::format("{:.2g}", pair.p_value)});
  }
  return fmt::format(
      "{}\n{}\n  {} of workers compared; false alarms: at most {} % of crowds without copies\n"
      "  expected: share on which independent workers with their confusion tables agree\n"
      "  excess: standard errors above what other pairs show\n",
      heading, table.text(), compared, plain_number(100 * options.false_alarms));
}

}  // namespace

void add_copies_options(Command& command, CopiesFlags& flags) {
  command.add("--false-alarms", &flags.false_alarms, "P",
              "For `--copies`: chance to report any pair where all workers are independent",
              number_text(SharedErrorOptions().false_alarms));
  command.add("--groups-output", &flags.groups_output, "FILE",
              "For `--copies`: write the workers found as a file for `--groups`; `-` prints it");
}

Result<SharedErrorOptions> read_copies_options(const CopiesFlags& flags,
                                               const std::optional<std::string>& least_shared) {
  SharedErrorOptions options;
  if (flags.false_alarms) {
    options.false_alarms = TRY(read_number("--false-alarms", *flags.false_alarms, 1e-9, 0.5,
                                           "a probability from 1e-9 to 0.5"));
  }
  if (least_shared) {
    options.least_shared =
        TRY(read_whole<std::uint32_t>("--least-shared", *least_shared, 1, UINT32_MAX));
  }
  TRY(check_writable("--groups-output", flags.groups_output));
  return options;
}

std::string copies_text(const std::string& heading, const io::LabelFile& file,
                        const SharedErrors& found, const SharedErrorOptions& options,
                        Format format) {
  std::vector<Fields> rows;
  for (const SuspectPair& pair : found.suspects) {
    const std::string& other = file.workers[position(pair.second)];  // only the first is quoted
    rows.push_back({{"worker", file.workers[position(pair.first)]},
                    {"other_worker", format == Format::json ? json_string(other) : other},
                    {"shared", fmt::format("{}", pair.shared)},
                    {"agreement", number_text(pair.agreement)},
                    {"expected", number_text(pair.expected)},
                    {"excess", number_text(pair.excess)},
                    {"p_value", number_text(pair.p_value)}});
  }
  return report_text(format, copies_table(heading, file, found, options), rows,
                     {{"pairs", fmt::format("{}", found.pairs)},
                      {"false_alarms", number_text(options.false_alarms)}});
}

std::string copies_groups_csv(const io::LabelFile& file, const SharedErrors& found) {
  std::string text = csv_line({"worker", "group"});
  for (std::size_t j = 0; j < file.workers.size(); ++j) {
    if (found.groups[j] == 0) continue;
    text += csv_line({file.workers[j], fmt::format("copies-{}", found.groups[j])});
  }
  return text;
}

}  // namespace allot::cli
