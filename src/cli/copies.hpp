// Workers who agree more than independent workers would (aggregate/shared_errors.hpp): the options
// about them and their report, for `allot aggregate --copies`.
#pragma once

#include <optional>
#include <string>

#include "allot/aggregate/shared_errors.hpp"
#include "allot/io/label_csv.hpp"
#include "cli/options.hpp"

namespace allot::cli {

/// Options about copies, as written.
struct CopiesFlags {
  std::optional<std::string> false_alarms;
  std::optional<std::string> groups_output;  // "-" is standard output
};

/// Registers --false-alarms and --groups-output.
void add_copies_options(Command& command, CopiesFlags& flags);

/// Reads the options; `least_shared` as in AgreementFlags.
Result<aggregate::SharedErrorOptions> read_copies_options(
    const CopiesFlags& flags, const std::optional<std::string>& least_shared);

/// One line per pair, and what the columns mean. `heading` stands above.
std::string copies_text(const std::string& heading, const io::LabelFile& file,
                        const aggregate::SharedErrors& found,
                        const aggregate::SharedErrorOptions& options, Format format);

/// worker,group: the workers that the pairs connect, as `--groups` reads them.
std::string copies_groups_csv(const io::LabelFile& file, const aggregate::SharedErrors& found);

}  // namespace allot::cli
