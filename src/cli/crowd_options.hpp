// Options about workers who differ, shared by simulate and replay.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allot/model/crowd.hpp"
#include "allot/sim/experiment.hpp"
#include "cli/formats.hpp"
#include "cli/plugins.hpp"

namespace allot::cli {

/// What options about beliefs mean, the same in every command.
inline constexpr const char* kWorkerPriorMeaning =
    "Belief about every worker's reliability: a distribution, or `learn` from the labels";
inline constexpr const char* kCoinsMeaning =
    "`1`: one reliability per worker; `2`: one per class, or a confusion table";
inline constexpr const char* kRefitByMeaning =
    "Method of refits: `bp` (belief propagation, binary items), `em` or `pooled` (others, and "
    "binary items with features)";
inline constexpr const char* kRefitByDefault =
    "`bp`; `pooled` with more than two classes or groups";
inline constexpr const char* kOrderedMeaning =
    "Classes have an order, as grades do: neighbours are confused more often";

/// Values as written. Defaults depend on each other; add_crowd_options describes them.
struct CrowdFlags {
  std::optional<std::string> mode, worker_prior, coins, refit, refit_by, final_answers;
  bool ordered = false;

  /// Name of the first option that was given.
  std::optional<std::string> given() const;
};

/// Kind of the items, known before the options are read.
struct ItemKind {
  std::uint32_t class_count = 2;
  std::shared_ptr<const model::Design> design = nullptr;  // none without features
  std::optional<double> weight_variance = {};             // learned if empty
  std::vector<std::uint32_t> groups = {};                 // by worker (model::CrowdOptions::groups)
  bool confident = false;                                 // whether labels have confidences

  /// Whether binary beliefs can hold them: two classes, no workers who err together, no confidences.
  bool is_binary() const { return class_count == 2 && groups.empty() && !confident; }
  /// Whether they are binary and have no features.
  bool is_yes_no() const { return is_binary() && !design; }
};

/// Registers the options; `refit` is the default of --refit.
void add_crowd_options(Command& command, CrowdFlags& flags, const char* refit);

/// Beliefs about items, by the text of --prior, and about workers; `refit` is the default of
/// --refit.
Result<sim::DifferingWorkers> read_differing(const CrowdFlags& flags, const std::string& prior,
                                             std::string_view refit, const ItemKind& items,
                                             const Plugins& plugins = {});

/// Heading: "push, refitted every 20 labels or 2 % by bp, two coins, worker prior beta:3,0.9".
std::string crowd_text(const CrowdFlags& flags, const sim::DifferingWorkers& workers);
/// Heading as JSON: names, and values in JSON.
Fields crowd_settings(const CrowdFlags& flags, const sim::DifferingWorkers& workers);

}  // namespace allot::cli
