// Options about workers who differ, the same for simulate and replay.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allot/model/crowd.hpp"
#include "allot/sim/crowd_experiment.hpp"
#include "cli/output.hpp"

namespace allot::cli {

/// As written; what was not given has a default that depends on the rest.
struct CrowdFlags {
  std::optional<std::string> mode;           // push
  std::optional<std::string> worker_prior;   // beta:4,1 for one pass, beta:3,0.9 with refits
  std::optional<std::string> coins;          // 1 for one pass, 2 with refits
  std::optional<std::string> refit;          // replay: 20, simulate: off
  std::optional<std::string> refit_by;       // bp
  std::optional<std::string> final_answers;  // the policy's own beliefs

  /// The first option that was given.
  std::optional<std::string> given() const;
};

/// What items are, as far as it is known before the options are read.
struct ItemKind {
  std::uint32_t class_count = 2;
  std::shared_ptr<const model::Design> design = nullptr;  // none without features
  double weight_variance = 0;                             // 1 / columns

  bool is_yes_no() const { return class_count == 2 && !design; }
};

Result<sim::Marketplace> read_mode(const CrowdFlags& flags);
/// `refit` is the default of --refit.
Result<model::CrowdOptions> read_beliefs(const CrowdFlags& flags, const std::string& prior,
                                         std::string_view refit);
/// The same for items of several classes, or with features if there is a design.
Result<model::MulticlassCrowdOptions> read_multiclass_beliefs(const CrowdFlags& flags,
                                                              const std::string& prior,
                                                              std::string_view refit,
                                                              const ItemKind& items);
/// Empty if --final was not given.
Result<aggregate::SeededMethod> read_final(const CrowdFlags& flags,
                                           const aggregate::MethodOptions& options);

/// "push, refitted every 20 labels or 2 % by bp, two coins, worker prior beta:3,0.9".
std::string crowd_text(const CrowdFlags& flags, const sim::CrowdExperiment& experiment);
/// The same for JSON: names, and values that are JSON already.
Fields crowd_settings(const CrowdFlags& flags, const sim::CrowdExperiment& experiment);

}  // namespace allot::cli
