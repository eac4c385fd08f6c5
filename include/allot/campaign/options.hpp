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

/// A random sample of items that all get the same number of labels, so that the agreement of
/// workers can be measured: adaptive labelling alone asks about hard items more often.
struct AgreementSample {
  std::uint32_t items = 0;   ///< items in the sample, at least 2
  std::uint32_t labels = 0;  ///< labels of each, by different workers, at least 2

  bool operator==(const AgreementSample&) const = default;
};

/// The options of a campaign. Later changes of the budget are events.
struct Options {
  /// Names of the classes: 2 to 250, all different. With two classes, the second is the positive
  /// one.
  std::vector<std::string> classes{"no", "yes"};
  Money budget;  ///< most that all labels together can cost
  /// Price of a label, unless the worker or the item has a price of its own.
  Money price = kUnitPrice;

  std::string policy = "budget-kg";                  ///< a name of policy/registry.hpp
  policy::TieBreak ties = policy::TieBreak::random;  ///< choice among items of equal value
  std::uint64_t seed = 1;                            ///< of all random numbers of the campaign

  /// Time to answer, positive. An item without an answer by then goes to other workers, and its
  /// price back to the budget.
  std::chrono::seconds lease{600};
  /// Most labels that an item can get; 0 for any number. Gold items are not limited.
  std::uint32_t labels_per_item = 0;
  std::uint32_t labels_per_worker = 0;  ///< most labels of one worker; 0 for any number
  /// Share of gold items among those handed out, until the worker has had all of them. From 0 to 1;
  /// without gold items it has no effect.
  double gold_rate = kGoldRate;
  /// The sample is drawn from `seed` among all items but gold ones. Workers get its items before
  /// any others, and stop rules settle none of them before it has its labels.
  std::optional<AgreementSample> agreement_sample = {};
  /// Random items that each get a label of a worker outside all groups: of a person, where groups
  /// are language models. Drawn as the agreement sample is. Workers outside groups get these items
  /// before others. Money for the missing labels, at the price of the campaign, is kept from
  /// members of groups, and stop rules settle none of the items before. At least 1; none if not
  /// set.
  std::optional<std::uint32_t> people_sample = {};

  std::string item_prior = "uniform";  ///< prior of soft labels (io/distribution_text.hpp)
  /// Prior of the chance that a worker's label is right (io/distribution_text.hpp).
  std::string worker_prior = "beta:3,0.9";
  /// Coins per worker. If not set: two, but one for multi-class items refitted by `em` or not at
  /// all.
  std::optional<model::Coins> coins = {};
  /// Method of refits. `integrated` is for binary items; others, and binary ones with features
  /// whose strength is not learned, then use `em`. `pooled` is for the other items and for binary
  /// ones with features; binary ones without then use `integrated`.
  model::Refit refit = model::Refit::pooled;
  std::uint32_t refit_every = 20;  ///< labels between two refits, at least 1
  /// Whether learning starts from `worker_prior` (model/crowd.hpp): the campaign then believes new
  /// workers to be as good as the workers so far make likely.
  bool learn_workers = false;
  /// Whether the classes, in the order given, have an order such as that of grades. Needs `pooled`.
  bool ordered = false;
  /// Rules that stop the campaign before the budget is spent (policy/stop_rules.hpp). The rule
  /// `worth` is for binary items without features only.
  policy::StopRules stop = {};
  /// Whether the stop rule `accuracy` reads calibrated probabilities (model/calibration_map.hpp).
  /// Campaigns of older versions read those of the model, and keep to it.
  bool calibrated = true;
  /// Whether that rule waits until the lower end of the calibrated range reaches the accuracy.
  /// Campaigns of older versions wait for the mean of the range, and keep to it.
  bool lower_end = true;
  /// Whether a verdict moves only its item and its workers until the next refit, and its reviewer
  /// never labels the item. In campaigns of older versions a verdict refits everything, and they
  /// keep to it.
  bool local_reviews = true;
  /// Names of the numbers that are known of every item; none if empty. Features need refits.
  std::vector<std::string> features = {};
  /// Whether the strength of features is learned from the labels (model/crowd.hpp). Campaigns of
  /// older versions have a fixed one, 1 / columns, and keep it.
  bool learn_features = true;
  /// Whether answers to two classes are the mean of two models (model/crowd.hpp). Campaigns of
  /// older versions answer by their refits alone, and keep to it.
  bool mean_answers = true;

  bool operator==(const Options&) const = default;
};

/// Refuses options that make no campaign, naming the value and what is expected.
Result<void> check(const Options& options);

/// Refuses options with which workers cannot belong to groups: those without refits, with the stop
/// rule `worth`, or with a policy or prior for binary items alone.
Result<void> check_groups(const Options& options);

/// Coins of each worker with refits of that kind: those of the options; if they have none, two for
/// binary items and pooled refits, else one.
model::Coins used_coins(const Options& options, model::Refit refit);

/// Whether beliefs are those of a binary crowd (model/binary_crowd.hpp) unless workers belong to
/// groups: two classes, and with features refits by belief propagation that learn their strength.
bool has_binary_beliefs(const Options& options);

/// Whether the options are equal but for how a campaign believes and decides: policy, ties, priors,
/// coins, refits and the order of classes.
bool same_but_for_model(const Options& one, const Options& other);

/// Whether a running campaign can change from one to the other: they are equal but for policy,
/// lease, limits of labels, gold rate and stop rules.
bool can_change(const Options& one, const Options& other);
/// Whether a change from one to the other needs no new beliefs: only lease, limits of labels and
/// gold rate differ.
bool keeps_beliefs(const Options& one, const Options& other);

/// Writes the options as `load_options` reads them.
void save(const Options& options, ByteWriter& to);
/// Reads the bytes of `save`. After bytes that are no options, the reader has failed.
Options load_options(ByteReader& from);

}  // namespace allot::campaign
