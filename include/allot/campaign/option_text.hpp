// Options of a campaign as people write them, on a command line or in a request.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/text.hpp"
#include "allot/campaign/options.hpp"

namespace allot::campaign {

/// All options except the budget (docs/reference/cli/campaign-create.md describes each). Options
/// that are not set keep the defaults of campaign/options.hpp.
struct OptionTexts {
  std::vector<std::string> classes = {},  ///< names of the classes; no and yes if empty
      features = {};                      ///< names of the features; none if empty
  std::string price = "1";                ///< price of a label
  std::string policy = "budget-kg";       ///< a name of policy/registry.hpp
  std::string ties = "random";            ///< random or first
  std::string seed = "1";                 ///< a whole number from 0
  std::string lease = "10m";              ///< such as 90s, 10m, 2h, 1d; seconds without a unit
  std::optional<std::string> labels_per_item = {},   ///< any number if not set
      labels_per_worker = {};                        ///< any number if not set
  std::string gold_rate = number_text(kGoldRate);    ///< share of gold items, from 0 to 1
  std::optional<std::string> agreement_sample = {};  ///< items and labels of each, such as 200:3
  std::optional<std::string> people_sample = {};     ///< items; none if not set
  std::string prior = "uniform";                     ///< prior of soft labels
  std::optional<std::string> worker_prior = {};      ///< see campaign-create.md
  std::vector<std::string> stop = {};                ///< stop rules; only the budget if empty
  std::optional<std::string> coins = {};             ///< see campaign-create.md
  std::string refit = "20";                          ///< labels between refits, or off
  std::optional<std::string> refit_by = {};  ///< if not set, bp for binary items, else pooled
  bool ordered = false;                      ///< whether the classes have an order
};

/// Options from their texts. `named("labels-per-item")` must return the name by which the user
/// knows an option. Refusals name the option, the value and what is expected.
Result<Options> parse_options(const OptionTexts& texts,
                              const std::function<std::string(std::string_view)>& named);

/// The options of a campaign with another model: worker prior, coins, refits and order of classes
/// are read from `texts`, with the defaults of a new campaign; the rest stays as it was.
Result<Options> parse_model(const Options& before, const OptionTexts& texts,
                            const std::function<std::string(std::string_view)>& named);

/// How a campaign believes, such as "refits by pooled every 20 labels, confusion tables, worker
/// prior learned, ordered classes".
std::string model_text(const Options& options);

/// Options that a running campaign can change; those that are not set stay.
struct ChangeTexts {
  std::optional<std::string> policy = {},             ///< a name of policy/registry.hpp
      lease = {},                                     ///< such as 90s, 10m, 2h, 1d
      labels_per_item = {},                           ///< a number, or "any"
      labels_per_worker = {},                         ///< a number, or "any"
      gold_rate = {};                                 ///< share of gold items, from 0 to 1
  std::optional<std::vector<std::string>> stop = {};  ///< stop rules; only the budget if empty
  /// Whether nothing changes.
  bool empty() const {
    return !(policy || lease || labels_per_item || labels_per_worker || gold_rate || stop);
  }
};

/// The options of a campaign after these changes. Refusals are those of `parse_options`.
Result<Options> parse_changes(const Options& before, const ChangeTexts& texts,
                              const std::function<std::string(std::string_view)>& named);

}  // namespace allot::campaign
