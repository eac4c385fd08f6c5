#include "model/multiclass_fit.hpp"

#include <algorithm>
#include <cmath>

#include "model/feature_strength.hpp"

namespace allot::model {
namespace {

/// Pseudo-items that hold the shares of classes: in EM times the root of the items, in pooled fits
/// times the labelled items by the root of their labels. More labels per item hold them less.
constexpr double kHeld = 3, kPooledHeld = 12;
/// Errors per class that a pooled fit starts from.
constexpr double kPooledErrors = 20;
/// Workers' worth of the prior in the mean reliability of the crowd, the labels for which a worker
/// counts in it at most, and how far above chance it stays.
constexpr double kPriorWorkers = 5, kLabelsPerWorker = 4, kAboveChance = 0.05;
/// How much rarer an error is that goes one class farther, where classes have an order.
constexpr double kFarther = 1.0 / 3;
/// Rounds before the first look for spammers: until then items are believed by votes alone.
constexpr int kRoundsBefore = 2;
/// Climbing steps of the regression in a round.
constexpr int kSteps = 4;

class Fit {
 public:
  Fit(const MulticlassLabelsByWorker& labels, const MulticlassFitOptions& options,
      const KnownLabels* known)
      : labels_(labels),
        known_(known),
        options_(options),
        tables_(options.tables),
        shares_(options.shares),
        classes_(options.tables.class_count),
        probabilities_(std::size_t{options.item_count} * classes_),
        counts_(labels.size() * classes_ * classes_),
        log_table_(classes_ * classes_) {
    if (!options.groups.empty()) {
      groups_.emplace(labels, options.groups, options.item_count, options.tables.class_count,
                      known);
    }
    if (options.find_spammers || !options.spammers.empty())
      spammers_.emplace(labels, classes_, options.spammers);
    if (options.pooled && ConfidenceFit::any(labels)) confidences_.emplace(labels, classes_);
    start_from_votes();
    if (groups_) groups_->start(probabilities_);
    if (options.design && options.weight_variance) {
      const RegressionPrior prior{shares_, *options.weight_variance};
      regression_.emplace(*options.design, prior, labelled_);
    }
  }

  /// Makes rounds, fewer if nothing moves by more than the tolerance.
  void run(int rounds, std::optional<double> tolerance) {
    for (rounds_ = 0; rounds_ < rounds;) {
      round();
      if (tolerance && moved() <= *tolerance) break;
    }
  }

  /// Takes features for the rounds to come if the labels favour them.
  bool learn_features() {
    if (!options_.design || options_.weight_variance) return false;
    auto learned = learned_regression(*options_.design, {shares_, pseudo_items()}, labelled_,
                                      log_likelihoods());
    if (learned) regression_.emplace(std::move(*learned));
    return regression_.has_value();
  }

  /// Takes confidences for the rounds to come if they tell right labels from wrong ones.
  bool learn_confidences() { return confidences_ && confidences_->choose(probabilities_); }

  MulticlassFit result() && {
    count();
    const double last = moved();
    FittedGroups groups;
    if (groups_) groups = std::move(*groups_).result(tables_);
    FittedConfidences confidences;
    if (confidences_) confidences = confidences_->result(probabilities_);
    const double of_labels = options_.for_answers ? label_log_likelihood() : 0;
    return {.probabilities = std::move(probabilities_),
            .counts = std::move(counts_),
            .rounds = rounds_,
            .moved = last,
            .log_likelihood = log_likelihood_,
            .label_log_likelihood = of_labels,
            .tables = std::move(tables_),
            .groups = std::move(groups),
            .confidences = std::move(confidences),
            .spammers = spammers_ && spammers_->any() ? std::move(spammers_) : std::nullopt,
            .features = regression_.has_value()};
  }

 private:
  void round() {
    before_ = probabilities_;
    count();
    if (options_.find_spammers && rounds_ >= kRoundsBefore) lift_ = lift_to_votes();
    start_items();
    add_labels();
    lift_.clear();
    normalise();
    if (groups_) groups_->learn(probabilities_);
    ++rounds_;
  }

  /// By how much the last round moved some probability at most.
  double moved() const {
    double most = 0;
    for (std::size_t n = 0; n < before_.size(); ++n) {
      most = std::max(most, std::abs(probabilities_[n] - before_[n]));
    }
    return most;
  }

  /// The shares of votes with one vote shared between all classes.
  void start_from_votes() {
    std::ranges::fill(probabilities_, 1.0 / static_cast<double>(classes_));
    votes_.assign(options_.item_count, 1);
    voted_shares_.assign(classes_, 0.5);
    for (std::size_t j = 0; j < labels_.size(); ++j) {
      if (is_left_out(j)) continue;
      for (std::size_t n = 0; n < labels_[j].size(); ++n) {
        const auto& [item, label, confidence] = labels_[j][n];
        const double vote = is_member(j) ? groups_->vote(j, n) : 1;
        probabilities_[item * classes_ + label] += vote;
        votes_[item] += vote;
        voted_shares_[label] += vote;
      }
    }
    for (std::uint32_t i = 0; i < options_.item_count; ++i) {
      for (double& p : of(i)) p /= votes_[i];
      if (votes_[i] > 1) labelled_.push_back(i);
      label_count_ += votes_[i] - 1;
    }
    for (double& share : voted_shares_) share /= label_count_ + 0.5 * static_cast<double>(classes_);
    if (options_.voted_shares) shares_ = voted_shares_;
    label_count_ = std::max(label_count_, 1.0);
  }

  /// Whether the worker is taken for a spammer from the start: nothing is learned from the labels.
  bool is_left_out(std::size_t worker) const {
    return worker < options_.spammers.size() && options_.spammers[worker];
  }

  /// Whether the worker belongs to a group.
  bool is_member(std::size_t worker) const { return groups_ && groups_->has(worker); }

  std::span<double> of(std::uint32_t item) { return {&probabilities_[item * classes_], classes_}; }

  void count() {
    std::ranges::fill(counts_, 0);
    for (std::size_t j = 0; j < labels_.size(); ++j) {
      if (is_member(j) || is_left_out(j)) continue;
      double* const counts = &counts_[j * classes_ * classes_];
      if (known_) std::ranges::copy(known_->of(j), counts);
      for (const auto& [item, label, confidence] : labels_[j]) {
        const std::span<const double> p = of(item);
        for (std::size_t k = 0; k < classes_; ++k) counts[k * classes_ + label] += p[k];
      }
    }
    if (options_.pooled) {
      if (groups_) groups_->count(counts_);
      pool_errors();
      if (options_.learn_mean) learn_mean();
    }
    count_inherited();
  }

  /// Adds what workers inherit; of a member's, the part that does not repeat the view.
  void count_inherited() {
    for (std::size_t j = 0; known_ && j < labels_.size(); ++j) {
      const std::span<const double> inherited = known_->inherited(j);
      const double own = is_member(j) ? 1 - groups_->repeats(j) : 1;
      for (std::size_t n = 0; n < inherited.size(); ++n)
        counts_[j * classes_ * classes_ + n] += own * inherited[n];
    }
  }

  /// Counts over all workers where the errors of each class go.
  void pool_errors() {
    std::vector<double>& errors = tables_.errors;
    errors.assign(classes_ * classes_, 0);
    for (std::size_t n = 0; n < counts_.size(); ++n) errors[n % errors.size()] += counts_[n];
    for (std::size_t n = 0; groups_ && n < groups_->view_counts().size(); ++n)
      errors[n % errors.size()] += groups_->view_counts()[n];
    for (std::size_t k = 0; k < classes_; ++k) {
      const std::span<double> row(&errors[k * classes_], classes_);
      row[k] = 0;
      const std::vector<double> start = errors_before(k);
      const double held = options_.error_strength * kPooledErrors;
      double all = held;
      for (const double count : row) all += count;
      for (std::size_t y = 0; y < classes_; ++y) row[y] = (row[y] + held * start[y]) / all;
    }
  }

  /// Where the errors of a class go before any label.
  std::vector<double> errors_before(std::size_t truth) const {
    std::vector<double> shares(classes_, 0);
    double all = 0;
    for (std::size_t y = 0; y < classes_; ++y) {
      const auto distance = static_cast<int>(y) - static_cast<int>(truth);
      if (distance == 0) continue;
      all += shares[y] = options_.ordered ? std::pow(kFarther, std::abs(distance)) : 1;
    }
    for (double& share : shares) share /= all;
    return shares;
  }

  /// Moves the prior of workers to the mean reliability of this crowd; its weight does not change
  /// with labels. Workers count alike from a few labels on, however many they gave; the more alike
  /// the prior says that they are, the later.
  void learn_mean() {
    const auto [a, b] = options_.tables.prior;
    double right = kPriorWorkers * a, all = kPriorWorkers * (a + b);
    const auto take = [&](const double* counts) {
      const auto [of_worker, labels] = right_in(counts);
      if (labels == 0) return;
      const double weight = std::min(1.0, options_.prior_strength * kLabelsPerWorker / labels);
      right += weight * of_worker;
      all += weight * labels;
    };
    const std::size_t cells = classes_ * classes_;
    for (std::size_t j = 0; j < labels_.size(); ++j) take(&counts_[j * cells]);
    for (std::size_t at = 0; groups_ && at < groups_->view_counts().size(); at += cells)
      take(&groups_->view_counts()[at]);
    const double chance = 1 / static_cast<double>(classes_);
    const double mean = std::max(right / all, chance + kAboveChance);
    const double strength = options_.prior_strength * (a + b);
    tables_.prior = {strength * mean, strength * (1 - mean)};
  }

  /// The right labels of a table of counts as expected, and all.
  std::pair<double, double> right_in(const double* counts) const {
    double right = 0, all = 0;
    for (std::size_t n = 0; n < classes_ * classes_; ++n) {
      if (n % (classes_ + 1) == 0) right += counts[n];
      all += counts[n];
    }
    return {right, all};
  }

  const math::BetaShape& prior_of(std::size_t worker) const {
    return options_.worker_priors ? (*options_.worker_priors)[worker] : tables_.prior;
  }

  /// Likelihoods of the items' labels, in logarithms; workers as the last round leaves them.
  std::vector<double> log_likelihoods() {
    before_ = probabilities_;
    count();
    std::vector<double> result(probabilities_.size());
    result.swap(probabilities_);
    add_labels();
    result.swap(probabilities_);
    return result;
  }

  /// Pseudo-items that hold the shares of classes.
  double pseudo_items() const {
    const auto labelled = static_cast<double>(std::max<std::size_t>(labelled_.size(), 1));
    return options_.pooled ? kPooledHeld * labelled / std::sqrt(label_count_)
                           : kHeld * std::sqrt(static_cast<double>(options_.item_count));
  }

  /// What is known of an item apart from its labels, in logarithms.
  void start_items() {
    if (regression_) {
      regression_->climb(probabilities_, kSteps);
      probabilities_ = regression_->log_predictions();
      return;
    }
    std::vector<double> shares = believed_shares();
    for (double& share : shares) share = std::log(share);
    for (std::uint32_t i = 0; i < options_.item_count; ++i)
      std::ranges::copy(shares, of(i).begin());
  }

  std::vector<double> believed_shares() const {
    std::vector<double> shares = shares_;
    for (double& share : shares) share *= pseudo_items();
    for (const std::uint32_t item : labelled_) {
      for (std::size_t k = 0; k < classes_; ++k) shares[k] += probabilities_[item * classes_ + k];
    }
    const double all = pseudo_items() + static_cast<double>(labelled_.size());
    for (double& share : shares) share /= all;
    return shares;
  }

  void add_labels() {
    for (std::size_t j = 0; j < labels_.size(); ++j) {
      if (labels_[j].empty() || is_member(j) || is_left_out(j)) continue;
      options_.pooled ? add_labels_apart(j) : add_labels(j);
    }
    if (confidences_ && confidences_->is_used()) confidences_->add_labels(before_, probabilities_);
    if (!groups_) return;
    std::vector<math::BetaShape> priors;
    for (std::size_t j = 0; j < labels_.size(); ++j) priors.push_back(prior_of(j));
    groups_->add_labels(tables_, priors, counts_, probabilities_);
  }

  void add_labels(std::size_t worker) {
    tables_.mean(prior_of(worker), &counts_[worker * classes_ * classes_], log_table_.data());
    for (double& chance : log_table_) chance = std::log(chance);
    for (const auto& [item, label, confidence] : labels_[worker]) {
      const std::span<double> p = of(item);
      for (std::size_t k = 0; k < classes_; ++k) p[k] += log_table_[k * classes_ + label];
    }
  }

  /// Calls use(label, chances) with the chances of each of a worker's labels by true class, through
  /// the table that the worker's other labels make.
  template <typename Use>
  void read_apart(std::size_t worker, const Use& use) const {
    const double* const counts = &counts_[worker * classes_ * classes_];
    const auto [a, b] = prior_of(worker);
    const auto [right, labels] = right_in(counts);
    std::vector<double> in_row(classes_), chances(classes_);
    for (std::size_t n = 0; n < classes_ * classes_; ++n) in_row[n / classes_] += counts[n];
    for (const WorkerClassLabel& one : labels_[worker]) {
      const std::uint32_t label = one.label;
      const double* const own = &before_[std::size_t{one.item} * classes_];
      const double if_right = (a + right - own[label]) / (a + b + labels - 1);
      for (std::size_t k = 0; k < classes_; ++k) {
        const std::size_t cell = k * classes_ + label;
        const double one_coin = k == label ? if_right : (1 - if_right) * tables_.errors[cell];
        const double given = std::max(counts[cell] - own[k], 0.0);
        const double others = std::max(in_row[k] - own[k], 0.0);
        chances[k] = tables_.coins == Coins::one ? one_coin
                                                 : (tables_.row_strength * one_coin + given) /
                                                       (tables_.row_strength + others);
      }
      use(one, chances);
    }
  }

  void add_labels_apart(std::size_t worker) {
    chances_.clear();
    read_apart(worker, [&](const WorkerClassLabel&, const std::vector<double>& chances) {
      chances_.insert(chances_.end(), chances.begin(), chances.end());
    });
    if (!lift_.empty()) judge_spammer(worker);
    const double* chance = chances_.data();
    for (const WorkerClassLabel& one : labels_[worker]) {
      for (double& p : of(one.item)) p += std::log(chance_of(worker, one.label, *chance++));
    }
  }

  /// The chance of a label, of which the worker's table says `by_table`.
  double chance_of(std::size_t worker, std::uint32_t label, double by_table) const {
    return spammers_ ? spammers_->chance(worker, label, by_table) : by_table;
  }

  /// By what the believed shares of classes are too low, against those of the votes.
  std::vector<double> lift_to_votes() const {
    std::vector<double> lift = believed_shares();
    for (std::size_t k = 0; k < classes_; ++k) lift[k] = voted_shares_[k] / lift[k];
    return lift;
  }

  /// Weighs whether the worker's labels, with `chances_`, depend on the items. The shares of
  /// classes are those of the votes here: with even ones, all workers would seem to lean to a
  /// common class.
  void judge_spammer(std::size_t worker) {
    double log_evidence = 0;
    const double* chances = chances_.data();
    for (const WorkerClassLabel& one : labels_[worker]) {
      const double* const own = &before_[std::size_t{one.item} * classes_];
      const bool alone = votes_[one.item] - 1 <= 1;
      double predicted = 0, all = 0;
      for (std::size_t k = 0; k < classes_ && !alone; ++k) {
        const double by_others = lift_[k] * own[k] / chance_of(worker, one.label, chances[k]);
        predicted += by_others * chances[k];
        all += by_others;
      }
      chances += classes_;
      if (alone) continue;
      log_evidence += spammers_->log_share_apart(worker, one.label) - std::log(predicted / all);
    }
    spammers_->judge(worker, log_evidence);
  }

  /// The sum over labels of log Pr(label given the item's other labels). The belief by the others
  /// is p_k / chance_k, scaled to sum to 1.
  double label_log_likelihood() {
    before_ = probabilities_;
    double sum = 0;
    for (std::size_t j = 0; j < labels_.size(); ++j) {
      if (is_member(j) || is_left_out(j)) continue;
      read_apart(j, [&](const WorkerClassLabel& one, const std::vector<double>& chances) {
        double scale = 0;
        for (std::size_t k = 0; k < classes_; ++k) scale += of(one.item)[k] / chances[k];
        sum -= std::log(scale);
      });
    }
    return sum;
  }

  void normalise() {
    log_likelihood_ = 0;
    for (std::uint32_t i = 0; i < options_.item_count; ++i) {
      const std::span<double> p = of(i);
      const double most = *std::ranges::max_element(p);
      double sum = 0;
      for (double& one : p) sum += one = std::exp(one - most);
      for (double& one : p) one /= sum;
      log_likelihood_ += most + std::log(sum);
    }
  }

  const MulticlassLabelsByWorker& labels_;
  const KnownLabels* const known_;
  const MulticlassFitOptions& options_;
  WorkerTables tables_;         // with what a pooled fit has learned
  std::vector<double> shares_;  // of classes before the first label
  const std::size_t classes_;
  std::vector<double> probabilities_, counts_;
  std::vector<double> before_;     // the probabilities before the last round
  std::vector<double> log_table_;  // of one worker
  int rounds_ = 0;
  double log_likelihood_ = 0;
  double label_count_ = 0;            // at least 1
  std::vector<double> votes_;         // by item, with the one shared between all classes
  std::vector<double> voted_shares_;  // of classes
  std::vector<double> lift_;          // of classes; empty if nobody is judged
  std::vector<double> chances_;       // of one worker's labels, label by label and class by class
  std::vector<std::uint32_t> labelled_;
  std::optional<MulticlassRegression> regression_;
  std::optional<GroupFit> groups_;            // none if no worker belongs to a group
  std::optional<ConfidenceFit> confidences_;  // none if no label has one
  std::optional<Spammers> spammers_;          // none if not looked for
};

}  // namespace

void WorkerTables::mean(const math::BetaShape& of_worker, const double* counts,
                        double* table) const {
  double right = of_worker.a, wrong = of_worker.b;
  for (std::size_t k = 0; k < class_count; ++k) {
    for (std::size_t y = 0; y < class_count; ++y) (k == y ? right : wrong) += *counts++;
  }
  counts -= std::size_t{class_count} * class_count;
  const double if_right = right / (right + wrong);
  const double if_wrong = wrong / (right + wrong), evenly = if_wrong / (class_count - 1);
  for (std::size_t k = 0; k < class_count; ++k) {
    const std::span<const double> row(counts + k * class_count, class_count);
    double in_row = row_strength;
    for (const double count : row) in_row += count;
    for (std::size_t y = 0; y < class_count; ++y) {
      const double by_class = errors.empty() ? evenly : if_wrong * errors[k * class_count + y];
      const double one_coin = k == y ? if_right : by_class;
      *table++ = coins == Coins::one ? one_coin : (row_strength * one_coin + row[y]) / in_row;
    }
  }
}

double pooled_row_strength(std::uint32_t classes) { return std::max(4.0, 1.5 * classes); }

bool MulticlassFitOptions::are_shares_open() const {
  const auto [least, most] = std::ranges::minmax(shares);
  return !shares_known && most - least < 1e-9;
}

MulticlassFit multiclass_fit(const MulticlassLabelsByWorker& labels,
                             const MulticlassFitOptions& options, int rounds,
                             std::optional<double> tolerance, const KnownLabels* known) {
  Fit fit(labels, options, known);
  fit.run(rounds, tolerance);
  if (fit.learn_features()) fit.run(rounds, tolerance);
  if (fit.learn_confidences()) fit.run(rounds, tolerance);
  return std::move(fit).result();
}

}  // namespace allot::model
