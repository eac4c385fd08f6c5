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

/// A Beta prior for binary items; a Dirichlet for several classes and for items with features.
model::CrowdOptions crowd_options(const Options& options) {
  model::CrowdOptions result{.worker_prior = io::parse_prior(options.worker_prior).value(),
                             .refit = options.refit,
                             .refit_every = options.refit_every,
                             .learn_workers = options.learn_workers,
                             .background_refit_gap = kBackgroundRefitGap};
  const auto classes = static_cast<std::uint32_t>(options.classes.size());
  if (classes > 2 || !options.features.empty()) {
    result.item_prior = io::parse_dirichlet_prior(options.item_prior, classes).value();
  } else {
    result.item_prior = io::parse_prior(options.item_prior).value();
  }
  result.coins = options.coins.value_or(classes == 2 ? model::Coins::two : model::Coins::one);
  return result;
}

/// The best reliability of one coin that dominates a worker; 1 where no bound is made of it.
double best_of(const Crowd& crowd) {
  const model::BinaryCrowd* const binary = crowd.binary();
  if (binary == nullptr) return 1;
  double best = 0.5;
  for (std::uint32_t j = 0; j < crowd.worker_count(); ++j) {
    best = std::max(best, model::dominating_reliability((*binary)[WorkerId{j}].mean));
  }
  return best;
}

class CrowdDesk final : public Desk {
 public:
  explicit CrowdDesk(const Options& options)
      : crowd_(model::make_crowd(crowd_options(options), 0, 0)),
        policy_(policy::make_pair_policy(options.policy, options.ties).value()),
        newcomer_(model::make_crowd(crowd_options(options), 0, 1)),
        is_watched_(options.stop.any()) {}

  void grow(const std::shared_ptr<const model::Design>& design) override {
    all_moved = all_moved || crowd_->item_count() < offers.item_count();
    crowd_->grow(offers.item_count(), offers.worker_count(), design);
    if (chooser_) chooser_->grow();
  }

  void expect(std::uint64_t labels) override {
    auto* const refits = crowd_->refit_control();
    if (refits != nullptr && refits->skip_refits_for(labels)) stale_ = all_moved = true;
  }
  void fit_ahead(bool ahead) override {
    if (auto* const refits = crowd_->refit_control()) refits->refit_in_background(ahead);
  }

  void record(const Pair& pair, ClassId label) override {
    if (crowd_->record(pair.item, pair.worker, label)) {
      refits += !stale_;  // else it is one that somebody would see, of several
      stale_ = all_moved = true;
    } else if (is_watched_ && !all_moved) {
      moved.push_back(pair.item);
    }
    offers.count(pair);
    pair_changed(pair);
  }
  void record_known(const Pair& pair, ClassId truth, ClassId label) override {
    crowd_->record_known(pair.worker, truth, label);
    offers.count(pair);
    pair_changed(pair);
  }
  void revise(const Pair& pair, ClassId label) override {
    crowd_->revise(pair.item, pair.worker, label);
    stale_ = all_moved = true;
  }
  void revise_known(const Pair& pair, ClassId truth, ClassId before, ClassId label) override {
    crowd_->revise_known(pair.worker, truth, before, label);
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
    return crowd_->probabilities(item);
  }
  std::vector<double> settled() const override { return crowd_->final_probabilities(); }
  std::vector<IfSaid> outlook(const Pair& pair) const override {
    std::vector<IfSaid> result;
    for (std::uint32_t k = 0; k < crowd_->class_count(); ++k) {
      std::vector<double> after(crowd_->class_count());
      const double chance = crowd_->outcome(pair.item, pair.worker, ClassId{k}, after);
      result.push_back({chance, std::move(after)});
    }
    return result;
  }
  double error(ItemId item) const override { return crowd_->error(item); }
  std::optional<std::vector<double>> log_odds() const override {
    const model::BinaryCrowd* const binary = crowd_->binary();
    if (binary == nullptr) return {};
    std::vector<double> odds;
    for (const model::ItemState& item : binary->items()) {
      if (item.soft) return {};
      const double error = error_probability(item);
      odds.push_back(std::log1p(-error) - std::log(std::max(error, 1e-300)));
    }
    return odds;
  }
  bool has_hard_labels() const override { return !crowd_->has_soft_labels(); }
  std::vector<double> likelihood(WorkerId worker, ClassId label) const override {
    std::vector<double> chances(crowd_->class_count());
    crowd_->likelihood(worker, label, chances);
    return chances;
  }
  double usual_reliability() const override { return newcomer_->reliability(WorkerId{0}, 0).mean; }
  double best_reliability() const override {
    return std::max(best_of(*crowd_), best_of(*newcomer_));
  }
  Reliability reliability(WorkerId worker, std::uint32_t labels) const override {
    const auto [mean, variance] = crowd_->reliability(worker, labels);
    return interval(mean, variance);
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

Advisor::Advisor(const Options& options) : desk_(std::make_unique<CrowdDesk>(options)) {}

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
