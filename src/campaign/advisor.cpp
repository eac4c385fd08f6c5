#include "campaign/advisor.hpp"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <cmath>
#include <numeric>

#include "allot/io/distribution_text.hpp"
#include "allot/math/dirichlet_match.hpp"
#include "allot/model/label_set.hpp"
#include "allot/model/multiclass_crowd.hpp"
#include "allot/policy/registry.hpp"

namespace allot::campaign {
namespace {

using model::Crowd;
using model::MulticlassCrowd;
using policy::Pair;

/// Labels between refits from which on these are made meanwhile: with as many, 50 times as many
/// labels or 1,000 times as many items, a fit takes about 10 ms.
constexpr std::uint32_t kBackgroundRefitGap = 200;

/// The middle 90 % of a Beta with that mean and variance.
Reliability interval(double mean, double variance) {
  const double limit = mean * (1 - mean);
  if (!(variance > 0) || variance >= limit) return {mean, mean, mean};
  const double strength = limit / variance - 1;
  const boost::math::beta_distribution<double> belief(mean * strength, (1 - mean) * strength);
  return {mean, quantile(belief, 0.05), quantile(belief, 0.95)};
}

std::unique_ptr<Crowd> make_crowd_for(const Options& options, const Crowd*) {
  return model::make_crowd({.item_prior = io::parse_prior(options.item_prior).value(),
                            .worker_prior = io::parse_prior(options.worker_prior).value(),
                            .coins = options.coins.value_or(model::Coins::two),
                            .refit = options.refit,
                            .refit_every = options.refit_every,
                            .learn_workers = options.learn_workers,
                            .background_refit_gap = kBackgroundRefitGap},
                           0, 0);
}

std::unique_ptr<MulticlassCrowd> make_crowd_for(const Options& options, const MulticlassCrowd*) {
  const auto classes = static_cast<std::uint32_t>(options.classes.size());
  const auto prior = io::parse_dirichlet_prior(options.item_prior, classes).value();
  const model::Coins usual = classes == 2 ? model::Coins::two : model::Coins::one;
  return model::make_multiclass_crowd(
      {.item_prior = {prior.alpha().begin(), prior.alpha().end()},
       .worker_prior = io::parse_prior(options.worker_prior).value(),
       .coins = options.coins.value_or(usual),
       .refit = options.refit == model::Refit::off ? model::Refit::off : model::Refit::em,
       .refit_every = options.refit_every,
       .learn_workers = options.learn_workers,
       .background_refit_gap = kBackgroundRefitGap},
      0, 0);
}

auto make_policy_for(const Options& options, const Crowd*) {
  return policy::make_pair_policy(options.policy, options.ties).value();
}
auto make_policy_for(const Options& options, const MulticlassCrowd*) {
  return policy::make_multiclass_pair_policy(options.policy, options.ties).value();
}

bool absorb(Crowd& crowd, const Pair& pair, ClassId label) {
  return crowd.record(pair.item, pair.worker, model::to_label(label));
}
bool absorb(MulticlassCrowd& crowd, const Pair& pair, ClassId label) {
  return crowd.record(pair.item, pair.worker, label);
}
void absorb_known(Crowd& crowd, WorkerId worker, ClassId truth, ClassId label) {
  crowd.record_known(worker, model::to_label(truth), model::to_label(label));
}
void absorb_known(MulticlassCrowd& crowd, WorkerId worker, ClassId truth, ClassId label) {
  crowd.record_known(worker, truth, label);
}
void change(Crowd& crowd, const Pair& pair, ClassId label) {
  crowd.revise(pair.item, pair.worker, model::to_label(label));
}
void change(MulticlassCrowd& crowd, const Pair& pair, ClassId label) {
  crowd.revise(pair.item, pair.worker, label);
}
void change_known(Crowd& crowd, WorkerId worker, ClassId truth, ClassId before, ClassId label) {
  crowd.revise_known(worker, model::to_label(truth), model::to_label(before),
                     model::to_label(label));
}
void change_known(MulticlassCrowd& crowd, WorkerId worker, ClassId truth, ClassId before,
                  ClassId label) {
  crowd.revise_known(worker, truth, before, label);
}
void grow_to(Crowd& crowd, const policy::Offers& offers,
             const std::shared_ptr<const model::Design>&) {
  crowd.grow(offers.item_count(), offers.worker_count());
}
void grow_to(MulticlassCrowd& crowd, const policy::Offers& offers,
             const std::shared_ptr<const model::Design>& design) {
  crowd.grow(offers.item_count(), offers.worker_count(), design);
}

void add_classes(const model::ItemState& item, std::vector<double>& to) {
  const double error = error_probability(item);
  const bool positive = answer(item) == Label::positive;
  to.push_back(positive ? error : 1 - error);
  to.push_back(positive ? 1 - error : error);
}

std::vector<double> classes_of(const Crowd& crowd, ItemId item) {
  std::vector<double> result;
  add_classes(crowd[item], result);
  return result;
}
std::vector<double> classes_of(const MulticlassCrowd& crowd, ItemId item) {
  if (!crowd.soft()) return {crowd[item].begin(), crowd[item].end()};
  return class_probabilities(model::DirichletBelief{{crowd[item].begin(), crowd[item].end()}});
}

std::vector<IfSaid> outlook_of(const Crowd& crowd, const Pair& pair) {
  const model::ItemState& item = crowd[pair.item];
  const model::Channel& channel = crowd[pair.worker].mean;
  const double yes = chance_positive(item, channel);
  std::vector<IfSaid> result{{1 - yes, {}}, {yes, {}}};
  add_classes(after(item, channel, Label::negative), result[0].probabilities);
  add_classes(after(item, channel, Label::positive), result[1].probabilities);
  return result;
}

std::vector<IfSaid> outlook_of(const MulticlassCrowd& crowd, const Pair& pair) {
  const std::span<const double> item = crowd[pair.item], table = crowd[pair.worker];
  const std::size_t classes = item.size();
  const double all = std::accumulate(item.begin(), item.end(), 0.0);
  std::vector<IfSaid> result;
  for (std::size_t label = 0; label < classes; ++label) {
    std::vector<double> weights(classes);
    double chance = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      chance += weights[k] = item[k] / all * table[k * classes + label];
    }
    for (double& weight : weights) weight = chance > 0 ? weight / chance : 0;
    if (chance > 0 && crowd.soft()) {
      std::vector<double> alpha(item.begin(), item.end());
      math::match_grown(alpha, weights);
      weights = class_probabilities(model::DirichletBelief{std::move(alpha)});
    }
    result.push_back({chance, chance > 0 ? std::move(weights) : classes_of(crowd, pair.item)});
  }
  return result;
}

double error_of(const Crowd& crowd, ItemId item) { return error_probability(crowd[item]); }
/// All classes but the likeliest.
double error_of(const MulticlassCrowd& crowd, ItemId item) {
  std::vector<double> shares = classes_of(crowd, item);
  std::ranges::sort(shares);
  return std::accumulate(shares.begin(), shares.end() - 1, 0.0);
}

std::optional<std::vector<double>> log_odds_of(const Crowd& crowd) {
  std::vector<double> odds;
  for (const model::ItemState& item : crowd.items()) {
    if (item.soft) return {};
    const double error = error_probability(item);
    odds.push_back(std::log1p(-error) - std::log(std::max(error, 1e-300)));
  }
  return odds;
}
std::optional<std::vector<double>> log_odds_of(const MulticlassCrowd&) { return {}; }

bool has_hard_labels_of(const Crowd& crowd) {
  return crowd.item_count() > 0 && !crowd.items().front().soft;
}
bool has_hard_labels_of(const MulticlassCrowd& crowd) { return !crowd.soft(); }

std::vector<double> likelihood_of(const Crowd& crowd, WorkerId worker, ClassId label) {
  const auto [positive, negative] = crowd[worker].mean.likelihood(model::to_label(label));
  return {negative, positive};
}
std::vector<double> likelihood_of(const MulticlassCrowd& crowd, WorkerId worker, ClassId label) {
  std::vector<double> chances;
  for (std::uint32_t k = 0; k < crowd.class_count(); ++k) {
    chances.push_back(crowd[worker][k * crowd.class_count() + position(label)]);
  }
  return chances;
}

double best_of(const Crowd& crowd) {
  double best = 0.5;
  for (std::uint32_t j = 0; j < crowd.worker_count(); ++j) {
    best = std::max(best, model::dominating_reliability(crowd[WorkerId{j}].mean));
  }
  return best;
}
/// No bound is made of it.
double best_of(const MulticlassCrowd&) { return 1; }

std::vector<double> all_classes(const Crowd& crowd) {
  std::vector<double> result;
  for (const model::ItemState& item : crowd.settled()) add_classes(item, result);
  return result;
}
std::vector<double> all_classes(const MulticlassCrowd& crowd) { return crowd.settled(); }

/// Of both coins together: the mean chance of a right label over the two classes.
Reliability trust(const Crowd& crowd, WorkerId worker, std::uint32_t) {
  const model::WorkerState& state = crowd[worker];
  const double mean = (state.mean.sensitivity + state.mean.specificity) / 2;
  const double square =
      (state.sensitivity_squared + 2 * state.product + state.specificity_squared) / 4;
  return interval(mean, square - mean * mean);
}
/// As sure as so many labels and four of the prior would make it.
Reliability trust(const MulticlassCrowd& crowd, WorkerId worker, std::uint32_t labels) {
  const std::uint32_t classes = crowd.class_count();
  double mean = 0;
  for (std::uint32_t k = 0; k < classes; ++k) mean += crowd[worker][k * classes + k] / classes;
  return interval(mean, mean * (1 - mean) / (labels + 5.0));
}

template <typename Crowd>
class DeskOf final : public Desk {
 public:
  explicit DeskOf(const Options& options)
      : crowd_(make_crowd_for(options, static_cast<const Crowd*>(nullptr))),
        policy_(make_policy_for(options, static_cast<const Crowd*>(nullptr))),
        newcomer_(make_crowd_for(options, static_cast<const Crowd*>(nullptr))),
        is_watched_(options.stop.any()) {
    newcomer_->grow(0, 1);
  }

  void grow(const std::shared_ptr<const model::Design>& design) override {
    all_moved = all_moved || crowd_->item_count() < offers.item_count();
    grow_to(*crowd_, offers, design);
    if (chooser_) chooser_->grow();
  }

  void expect(std::uint64_t labels) override {
    if (crowd_->expect(labels)) stale_ = all_moved = true;
  }
  void fit_ahead(bool ahead) override { crowd_->fit_ahead(ahead); }

  void record(const Pair& pair, ClassId label) override {
    if (absorb(*crowd_, pair, label)) {
      refits += !stale_;  // else it is one that somebody would see, of several
      stale_ = all_moved = true;
    } else if (is_watched_ && !all_moved) {
      moved.push_back(pair.item);
    }
    offers.count(pair);
    pair_changed(pair);
  }
  void record_known(const Pair& pair, ClassId truth, ClassId label) override {
    absorb_known(*crowd_, pair.worker, truth, label);
    offers.count(pair);
    pair_changed(pair);
  }
  void revise(const Pair& pair, ClassId label) override {
    change(*crowd_, pair, label);
    stale_ = all_moved = true;
  }
  void revise_known(const Pair& pair, ClassId truth, ClassId before, ClassId label) override {
    change_known(*crowd_, pair.worker, truth, before, label);
    stale_ = all_moved = true;
  }

  void pair_changed(const Pair& pair) override {
    if (chooser_ && !stale_) chooser_->refresh(pair, false);
  }
  void item_changed(ItemId item) override {
    if (chooser_ && !stale_) chooser_->update(item);
  }

  void exclude(WorkerId worker) override {
    offers.exclude(worker);
    if (chooser_ && !stale_) chooser_->exclude(worker);
  }
  void restore(std::span<const WorkerId> workers) override {
    for (const WorkerId worker : workers) offers.restore(worker);
    prices_changed();
  }
  void prices_changed() override {
    if (chooser_) chooser_->grow();
  }

  void prepare() override { ready(); }
  std::optional<ItemId> choose(WorkerId worker, Rng& rng) override {
    return ready().choose(worker, rng);
  }
  std::optional<Pair> choose(Rng& rng) override { return ready().choose(rng); }
  double value(const Pair& pair) override { return ready().value(pair); }

  std::vector<double> probabilities(ItemId item) const override {
    return classes_of(*crowd_, item);
  }
  std::vector<double> settled() const override { return all_classes(*crowd_); }
  std::vector<IfSaid> outlook(const Pair& pair) const override { return outlook_of(*crowd_, pair); }
  double error(ItemId item) const override { return error_of(*crowd_, item); }
  std::optional<std::vector<double>> log_odds() const override { return log_odds_of(*crowd_); }
  bool has_hard_labels() const override { return has_hard_labels_of(*crowd_); }
  std::vector<double> likelihood(WorkerId worker, ClassId label) const override {
    return likelihood_of(*crowd_, worker, label);
  }
  double usual_reliability() const override { return trust(*newcomer_, WorkerId{0}, 0).mean; }
  double best_reliability() const override {
    return std::max(best_of(*crowd_), best_of(*newcomer_));
  }
  Reliability reliability(WorkerId worker, std::uint32_t labels) const override {
    return trust(*crowd_, worker, labels);
  }

  void save(ByteWriter& to) const override { crowd_->save(to); }
  void load(ByteReader& from) override {
    crowd_->load(from);
    all_moved = true;
  }

 private:
  policy::PairChooser& ready() {
    if (!chooser_) {
      chooser_ = policy_->start(*crowd_, offers);
    } else if (stale_) {
      chooser_->refresh({}, true);
    }
    stale_ = false;
    return *chooser_;
  }

  const std::unique_ptr<Crowd> crowd_;
  const std::shared_ptr<const policy::PairPolicy> policy_;
  const std::unique_ptr<Crowd> newcomer_;  // one worker, as all are before the first label
  const bool is_watched_;
  std::unique_ptr<policy::PairChooser> chooser_;  // none until something is to be chosen
  bool stale_ = false;  // beliefs were fitted anew since the chooser was told
};

}  // namespace

Advisor::Advisor(const Options& options) {
  if (options.classes.size() > 2 || !options.features.empty()) {
    desk_ = std::make_unique<DeskOf<MulticlassCrowd>>(options);
  } else {
    desk_ = std::make_unique<DeskOf<Crowd>>(options);
  }
}

void Advisor::add_items(std::uint32_t count, std::shared_ptr<const model::Design> design) {
  open_.resize(open_.size() + count, true);
  designs_.push_back(std::move(design));
  note(Kind::items, {ItemId{count}, {}});
}

/// What is free is taken for all but free: gains are compared by their price.
void Advisor::add_worker(Money price) {
  prices_.push_back(std::max(price, Money::billionths(1)));
  note(Kind::worker, {});
}

void Advisor::set_price(WorkerId worker, Money price) {
  prices_.push_back(std::max(price, Money::billionths(1)));
  note(Kind::price, {{}, worker});
}

void Advisor::set_open(ItemId item, bool open) {
  if (open_[position(item)] == open) return;
  open_[position(item)] = open;
  note(Kind::open, {item, {}}, ClassId{open ? 1U : 0U});
}

void Advisor::note(Kind kind, const Pair& pair, ClassId label, ClassId truth, ClassId before) {
  waiting_.push_back({kind, static_cast<std::uint8_t>(position(label)),
                      static_cast<std::uint8_t>(position(truth)),
                      static_cast<std::uint8_t>(position(before)), pair.item, pair.worker});
  behind_ = behind_ || kind == Kind::record || kind == Kind::record_known || kind == Kind::revise ||
            kind == Kind::revise_known;
  if (waiting_.size() >= kMostWaiting) desk();
}

Desk& Advisor::desk() {
  for (std::size_t n = 0; n < waiting_.size(); ++n) {
    const bool new_items = n > 0 && waiting_[n - 1].kind == Kind::items;
    if (n == 0 || new_items) desk_->expect(labels_from(n));
    make(waiting_[n]);
  }
  waiting_.clear();
  behind_ = false;
  designs_.clear();
  next_design_ = 0;
  prices_.clear();
  next_price_ = 0;
  return *desk_;
}

std::uint64_t Advisor::labels_from(std::size_t change) const {
  std::uint64_t labels = 0;
  for (; change < waiting_.size() && waiting_[change].kind != Kind::items; ++change) {
    labels += waiting_[change].kind == Kind::record;
  }
  return labels;
}

void Advisor::make(const Change& change) {
  const Pair pair{change.item, change.worker};
  policy::Offers& offers = desk_->offers;
  switch (change.kind) {
    case Kind::items:
      offers.add_items(position(change.item));
      desk_->grow(designs_[next_design_++]);
      break;
    case Kind::worker:
      offers.add_workers(1, prices_[next_price_++]);
      desk_->grow(nullptr);
      break;
    case Kind::price:
      offers.set_price(change.worker, prices_[next_price_++]);
      desk_->prices_changed();
      break;
    case Kind::hold:
      offers.hold(pair);
      desk_->pair_changed(pair);
      break;
    case Kind::reopen:
      offers.reopen(pair);
      desk_->pair_changed(pair);
      break;
    case Kind::record:
      desk_->record(pair, ClassId{change.label});
      break;
    case Kind::record_known:
      desk_->record_known(pair, ClassId{change.truth}, ClassId{change.label});
      break;
    case Kind::revise:
      desk_->revise(pair, ClassId{change.label});
      break;
    case Kind::revise_known:
      desk_->revise_known(pair, ClassId{change.truth}, ClassId{change.before},
                          ClassId{change.label});
      break;
    case Kind::open:
      change.label != 0 ? offers.restore(change.item) : offers.withhold(change.item);
      desk_->item_changed(change.item);
      break;
  }
}

}  // namespace allot::campaign
