#include "campaign/advisor.hpp"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <cmath>

#include "allot/io/distribution_text.hpp"
#include "allot/model/binary_crowd.hpp"
#include "allot/policy/registry.hpp"

namespace allot::campaign {
namespace {

using model::Crowd;
using policy::Pair;

/// Refits at least this many labels apart run in the background. The schedule (model/
/// refit_schedule.hpp) comes to this gap at 8,800 labels or 40,000 items: a refit takes about 10
/// ms.
constexpr std::uint32_t kBackgroundRefitGap = 200;

/// Keeps log-odds finite where an answer is certain.
constexpr double kLeastError = 1e-300;

/// A Beta prior for binary beliefs; a Dirichlet for others, and for `pooled` ones whatever the
/// options say.
model::CrowdOptions crowd_options(const Options& options, bool pooled) {
  model::CrowdOptions result{.worker_prior = io::parse_prior(options.worker_prior).value(),
                             .refit = options.refit,
                             .refit_every = options.refit_every,
                             .learn_workers = options.learn_workers,
                             .ordered = options.ordered,
                             .mean_answers = options.mean_answers,
                             .background_refit_gap = kBackgroundRefitGap};
  if (!options.learn_features) result.weight_variance = 0;
  const auto classes = static_cast<std::uint32_t>(options.classes.size());
  const bool several = !has_binary_beliefs(options);
  if (pooled && !(several && options.refit == model::Refit::pooled)) {
    result.refit = model::Refit::pooled;
    result.learn_workers = true;
  }
  if (several || pooled) {
    result.item_prior = io::parse_dirichlet_prior(options.item_prior, classes).value();
  } else {
    result.item_prior = io::parse_prior(options.item_prior).value();
  }
  result.coins = used_coins(options, result.refit);
  return result;
}

std::unique_ptr<Crowd> make_empty_crowd(const Options& options, std::vector<std::uint32_t> groups,
                                        bool confident,
                                        std::vector<std::vector<double>> inherited) {
  model::CrowdOptions how = crowd_options(options, confident || !groups.empty());
  how.groups = std::move(groups);
  how.inherited = std::move(inherited);
  return model::make_crowd(how, 0, 0);
}

}  // namespace

/// The middle 90 % of the Beta with that mean and variance.
ReliabilityInterval interval(const model::Reliability& reliability) {
  const auto [mean, variance] = reliability;
  const double limit = mean * (1 - mean);
  if (!(variance > 0) || variance >= limit) return {mean, mean, mean};
  const double strength = limit / variance - 1;
  const boost::math::beta_distribution<double> belief(mean * strength, (1 - mean) * strength);
  return {mean, quantile(belief, 0.05), quantile(belief, 0.95)};
}

std::vector<LabelOutcome> outlook(const Crowd& crowd, const Pair& pair) {
  std::vector<LabelOutcome> result;
  for (std::uint32_t k = 0; k < crowd.class_count(); ++k) {
    std::vector<double> after(crowd.class_count());
    const double chance = crowd.outcome(pair.item, pair.worker, ClassId{k}, after);
    result.push_back({chance, std::move(after)});
  }
  return result;
}

std::optional<std::vector<double>> log_odds(const Crowd& crowd) {
  if (crowd.binary() == nullptr) return {};
  std::vector<double> odds;
  for (const model::ItemState& item : crowd.binary()->items()) {
    if (item.soft) return {};
    const double error = error_probability(item);
    odds.push_back(std::log1p(-error) - std::log(std::max(error, kLeastError)));
  }
  return odds;
}

Advisor::Advisor(const Options& options, std::vector<std::uint32_t> groups, bool confident,
                 std::vector<std::vector<double>> inherited)
    : desk_(make_empty_crowd(options, groups, confident, std::move(inherited)),
            policy::make_policy(options.policy, options.ties).value(),
            policy::Offers::open_ended()),
      newcomer_(model::make_crowd(crowd_options(options, confident || !groups.empty()), 0, 1)) {}

void Advisor::add_items(std::uint32_t count, std::shared_ptr<const model::Design> design) {
  open_.resize(open_.size() + count, true);
  designs_.push_back(std::move(design));
  note(Kind::items, {ItemId{count}, WorkerId{static_cast<std::uint32_t>(designs_.size() - 1)}});
}

void Advisor::note_price(Kind kind, WorkerId worker, Money price) {
  // A free label gets the smallest price there is, because gains are divided by prices.
  prices_.push_back(std::max(price, Money::billionths(1)));
  note(kind, {ItemId{static_cast<std::uint32_t>(prices_.size() - 1)}, worker});
}

void Advisor::review(std::vector<model::KnownChange> labels) {
  if (labels.empty()) return;
  reviews_.push_back(std::move(labels));
  note(Kind::review, {ItemId{static_cast<std::uint32_t>(reviews_.size() - 1)}, {}});
}

void Advisor::set_open(ItemId item, bool open) {
  if (open_[position(item)] == open) return;
  open_[position(item)] = open;
  note(Kind::open, {item, {}}, ClassId{open ? 1U : 0U});
}

void Advisor::note(Kind kind, const Pair& pair, ClassId label, ClassId truth, ClassId before,
                   float confidence) {
  waiting_.push_back(
      {kind, static_cast<std::uint8_t>(position(label)), static_cast<std::uint8_t>(position(truth)),
       static_cast<std::uint8_t>(position(before)), pair.item, pair.worker, confidence});
  behind_ = behind_ || (kind >= Kind::record && kind <= Kind::review);
  if (waiting_.size() >= kMostWaiting) desk();
}

policy::Desk& Advisor::desk() {
  for (std::size_t n = 0; n < waiting_.size(); ++n) {
    if (n == 0 || is_border(waiting_[n - 1].kind)) desk_.skip_refits_for(labels_from(n));
    make(waiting_[n]);
  }
  waiting_.clear();
  behind_ = false;
  designs_.clear();
  prices_.clear();
  reviews_.clear();
  return desk_;
}

std::uint64_t Advisor::labels_from(std::size_t change) const {
  std::uint64_t labels = 0;
  for (; change < waiting_.size() && !is_border(waiting_[change].kind); ++change) {
    labels += waiting_[change].kind == Kind::record;
  }
  return labels;
}

void Advisor::make(const Change& change) {
  const Pair pair{change.item, change.worker};
  const ClassId label{change.label}, truth{change.truth}, before{change.before};
  switch (change.kind) {
    case Kind::items:
      return desk_.add_items(position(change.item), designs_[position(change.worker)]);
    case Kind::worker:
      return desk_.add_workers(1, prices_[position(change.item)]);
    case Kind::price:
      return desk_.set_price(change.worker, prices_[position(change.item)]);
    case Kind::hold:
      return desk_.hold(pair);
    case Kind::reopen:
      return desk_.reopen(pair);
    case Kind::record:
      return desk_.record_held(pair, label, {}, change.confidence);
    case Kind::record_known:
      return desk_.record_held(pair, label, truth);
    case Kind::revise:
      return desk_.revise(pair, label, change.confidence);
    case Kind::revise_known:
      return desk_.revise_known(pair, truth, before, label);
    case Kind::review:
      return desk_.review(reviews_[position(change.item)]);
    case Kind::open:
      return change.label != 0 ? desk_.restore(change.item) : desk_.withhold(change.item);
  }
}

}  // namespace allot::campaign
