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
  std::vector<std::string> classes = {}, features = {};
  std::string price = "1";
  std::string policy = "opt-kg";
  std::string ties = "random";
  std::string seed = "1";
  std::string lease = "10m";
  std::optional<std::string> labels_per_item = {}, labels_per_worker = {};  // any number
  std::string gold_rate = number_text(kGoldRate);
  std::string prior = "uniform";
  std::optional<std::string> worker_prior = {};  // beta:3,0.9; without refits beta:4,1
  std::vector<std::string> stop = {};            // when the budget is spent
  std::optional<std::string> coins = {};         // by the number of classes
  std::string refit = "20";
  std::optional<std::string> refit_by = {};  // bp, or em where it is the only way
};

/// `named("labels-an-item")` must return the name by which the user knows an option. Refusals name
/// the option, the value and what is expected.
Result<Options> parse_options(const OptionTexts& texts,
                              const std::function<std::string(std::string_view)>& named);

}  // namespace allot::campaign
