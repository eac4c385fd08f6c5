// Options of a campaign as people write them: on a command line, in a request.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/campaign/options.hpp"

namespace allot::campaign {

/// All but the budget (docs/reference/cli/campaign-create.md describes each).
struct OptionTexts {
  std::vector<std::string> classes = {}, features = {};
  std::string price = "1";
  std::string policy = "opt-kg";
  std::string ties = "random";
  std::string seed = "1";
  std::string lease = "10m";
  std::optional<std::string> labels_an_item = {}, labels_a_worker = {};  // any number
  std::string gold_rate = "0.1";
  std::string prior = "uniform";
  std::optional<std::string> worker_prior = {};  // beta:3,0.9; without refits beta:4,1
  std::vector<std::string> stop = {};            // when the budget is spent
  std::optional<std::string> coins = {};         // as the classes suggest
  std::string refit = "20";
  std::optional<std::string> refit_by = {};  // bp, em where that is the only way
};

/// named("labels-an-item") is what its user calls an option. Refusals name the option, the value
/// and what would be accepted.
Result<Options> parse_options(const OptionTexts& texts,
                              const std::function<std::string(std::string_view)>& named);

}  // namespace allot::campaign
