// The options that a campaign starts with and keeps.
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

/// The default of Options::gold_rate, of `--gold-rate` and of `gold_rate` in the API.
inline constexpr double kGoldRate = 0.1;

struct Options {
  /// From 2 to 250 different names. With two classes, the second is the positive one.
  std::vector<std::string> classes{"no", "yes"};
  /// What may be spent on labels.
  Money budget;
  /// Price of a label, unless the worker or the item has a price of its own.
  Money price = kUnitPrice;

  /// A name of policy/registry.hpp.
  std::string policy = "opt-kg";
  policy::TieBreak ties = policy::TieBreak::random;
  /// Seed of all random numbers of the campaign.
  std::uint64_t seed = 1;

  /// An item that is not answered within this time goes to other workers, and its price back to the
  /// budget. Positive.
  std::chrono::seconds lease{600};
  /// At most this many labels; 0 for any number. Gold items are not limited.
  std::uint32_t labels_per_item = 0;
  std::uint32_t labels_per_worker = 0;
  /// Share of gold items among those handed out, until the worker has had all of them. From 0 to 1;
  /// without gold items it has no effect.
  double gold_rate = kGoldRate;

  /// Priors of soft labels and of the chance of a right label (io/distribution_text.hpp).
  std::string item_prior = "uniform";
  std::string worker_prior = "beta:3,0.9";
  /// If not set: two coins for binary items and one for multi-class items.
  std::optional<model::Coins> coins = {};
  /// `integrated` is for binary items without features; other items are then refitted by `em`.
  model::Refit refit = model::Refit::integrated;
  std::uint32_t refit_every = 20;
  /// Whether learning starts from `worker_prior` (model/crowd.hpp): the campaign then believes new
  /// workers to be as good as the workers so far make likely.
  bool learn_workers = false;
  /// When to stop although there is budget left (policy/stop_rules.hpp). The rule `worth` is for
  /// binary items without features only.
  policy::StopRules stop = {};
  /// Names of the numbers that are known of every item; none if empty. Features need refits.
  std::vector<std::string> features = {};

  bool operator==(const Options&) const = default;
};

/// Refuses options that make no campaign, naming the value and what is expected.
Result<void> check(const Options& options);

void save(const Options& options, ByteWriter& to);
Options load_options(ByteReader& from);

}  // namespace allot::campaign
