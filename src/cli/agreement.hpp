// Agreement of workers (aggregate/agreement.hpp): the options about it and its report, shared by
// `allot aggregate --agreement` and `allot campaign agreement`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allot/aggregate/agreement.hpp"
#include "cli/options.hpp"

namespace allot::cli {

/// Options about agreement, as written.
struct AgreementFlags {
  std::optional<std::string> resamples, confidence, least_shared;
  std::optional<std::string> pairs_output;  // "-" is standard output
};

/// Registers the options; `prefix` starts their meanings.
void add_agreement_options(Command& command, AgreementFlags& flags, const std::string& prefix = {});

/// Reads the options. The caller sets the seed.
Result<aggregate::AgreementOptions> read_agreement_options(const AgreementFlags& flags,
                                                           bool ordered);

struct AgreementReport {
  aggregate::AgreementOptions options;
  aggregate::Agreement agreement;
  /// Line above the table.
  std::string heading;
  /// Why the numbers may mislead; empty if there is no reason.
  std::string warning;
};

/// A warning if labels per item vary widely; else empty.
std::string spread_warning(const aggregate::Agreement& agreement);

/// One line per coefficient, what the numbers mean, and why some are missing.
std::string agreement_text(const AgreementReport& report, Format format);

/// worker,other_worker,shared_items,cohen_kappa; if classes are ordered, with the weighted forms.
std::string pairs_csv(const model::LabelSet& labels, const std::vector<std::string>& workers,
                      const aggregate::AgreementOptions& options);

/// Prints the pairs instead of the report if the path is "-", else adds them as a file.
void add_pairs(Output& output, const std::string& path, std::string pairs);

}  // namespace allot::cli
