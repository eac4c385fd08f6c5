// What a campaign is started with and keeps to.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/base/money.hpp"
#include "allot/base/result.hpp"
#include "allot/model/crowd.hpp"
#include "allot/policy/stop_rules.hpp"
#include "allot/policy/ties.hpp"

namespace allot::campaign {

struct Options {
  /// From 2 to 250, no two the same. Of two, the second is the positive one.
  std::vector<std::string> classes{"no", "yes"};
  /// What may be spent on labels.
  Money budget;
  /// What a label costs unless the worker or the item has a price of its own.
  Money price = kUnitPrice;

  /// As in policy/registry.hpp.
  std::string policy = "opt-kg";
  policy::TieBreak ties = policy::TieBreak::random;
  /// All random numbers of the campaign follow from it.
  std::uint64_t seed = 1;

  /// An item that was handed out and not answered for so long goes to others, its price back to the
  /// budget. Positive.
  std::chrono::seconds lease{600};
  /// At most so many; 0 for any number. Items with a known answer are not limited.
  std::uint32_t labels_an_item = 0;
  std::uint32_t labels_a_worker = 0;
  /// The share of items handed out whose answer is known, as long as the worker has not had them
  /// all. From 0 to 1.
  double gold_rate = 0;

  /// As in io/distribution_text.hpp, for soft labels and for the chance of a right label.
  std::string item_prior = "uniform";
  std::string worker_prior = "beta:3,0.9";
  /// Two for yes/no items and one for several classes if it is left open.
  std::optional<model::Coins> coins = {};
  /// `integrated` is for yes/no items without features; others are then fitted by `em`.
  model::Refit refit = model::Refit::integrated;
  std::uint32_t refit_every = 20;
  /// Whether `worker_prior` is only where learning starts (model/crowd.hpp): new workers are then
  /// believed to be as good as those so far make likely.
  bool learn_workers = false;
  /// When to stop although there is budget left (policy/stop_rules.hpp). What is worth its price
  /// is known for yes/no items without features alone.
  policy::StopRules stop = {};
  /// Names of the numbers that are known of every item; none if empty. With them refits must be on.
  std::vector<std::string> features = {};

  bool operator==(const Options&) const = default;
};

/// Refuses what makes no campaign, naming the value and what would be accepted.
Result<void> check(const Options& options);

void save(const Options& options, ByteWriter& to);
Options load_options(ByteReader& from);

}  // namespace allot::campaign
