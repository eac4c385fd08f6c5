#include "model/multiclass_answers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "model/clear_votes.hpp"
#include "model/held_out.hpp"
#include "model/uneven_classes.hpp"

namespace allot::model {
namespace {

/// How strong priors and rows can be, and the logarithm of what speaks for it before any label.
constexpr struct { double strength, head_start; } kTables[] = {{1, 0}, {3, 2}, {10, 2}, {1000, 0}};
/// How strong the start of where errors go is, where it is nearly all that counts.
constexpr double kFixedErrors = 100;
/// What speaks against leaving workers of one label out, in logarithms: before any label, and per
/// label.
constexpr double kAgainstLeavingOut = 8, kAgainstPerLabel = 0.003;
/// Head start of the usual strength, in logarithms: so much per label, and so much at most.
constexpr double kPerLabel = 0.02, kMost = 5;
/// Fits whose weight in the answers, against the best one's, is less are left out.
constexpr double kLeastWeight = 0.02;
/// By how much, in logarithms, voted shares must predict labels better before that counts.
constexpr double kSharesMargin = 8;
/// The most that voted shares weigh in the answer to an item with a single label.
constexpr double kLonePart = 0.1;

/// Options with tables of every strength, and what speaks for each; the options alone if the worker
/// prior is not learned.
std::vector<Contender> strengths(const MulticlassLabelsByWorker& labels,
                                 const MulticlassFitOptions& options, int rounds,
                                 const KnownLabels* known) {
  if (!options.learn_mean) return {{options}};
  std::vector<Contender> contenders;
  for (const auto& [strength, head_start] : kTables) {
    Contender contender{options, head_start};
    contender.options.find_spammers = true;
    contender.options.prior_strength *= strength;
    contender.options.tables.row_strength *= strength;
    contenders.push_back(contender);
    if (strength == 1 || options.tables.class_count == 2) continue;
    contender.options.error_strength *= kFixedErrors;
    contenders.push_back(contender);
  }
  double count = 0;
  for (const auto& given : labels) count += static_cast<double>(given.size());
  contenders.front().log_evidence += std::min(kPerLabel * count, kMost);
  if (const auto of_one_label = workers_of_one_label(labels, options.tables.class_count);
      !of_one_label.empty()) {
    for (std::size_t n = contenders.size(); n-- > 0;) {
      Contender without = contenders[n];
      without.options.spammers = of_one_label;
      without.log_evidence -= kAgainstLeavingOut + kAgainstPerLabel * count;
      contenders.push_back(without);
    }
  }
  predict_hidden_labels(labels, rounds, known, contenders);
  return contenders;
}

MulticlassFitOptions with_voted_shares(MulticlassFitOptions options) {
  options.voted_shares = true;
  return options;
}

/// The labels of all workers but these.
MulticlassLabelsByWorker without(const std::vector<bool>& workers,
                                 MulticlassLabelsByWorker labels) {
  for (std::size_t j = 0; j < workers.size(); ++j)
    if (workers[j]) labels[j].clear();
  return labels;
}

/// The labels with those of each group as labels of one worker: members lean together.
MulticlassLabelsByWorker joined(const std::vector<std::uint32_t>& groups,
                                MulticlassLabelsByWorker labels) {
  std::map<std::uint32_t, std::size_t> first;
  for (std::size_t j = 0; j < groups.size() && j < labels.size(); ++j) {
    if (groups[j] == 0) continue;
    const std::size_t to = first.try_emplace(groups[j], j).first->second;
    if (to == j) continue;
    labels[to].insert(labels[to].end(), labels[j].begin(), labels[j].end());
    labels[j].clear();
  }
  return labels;
}

/// The weight of the fit with voted shares, by fits that do not look for spammers: with even shares
/// workers who name a common class look like spammers, with voted ones they do not.
double weight_of_voted(const MulticlassLabelsByWorker& labels, const MulticlassFit& even,
                       const MulticlassFit& voted) {
  const double gain = std::min(voted.log_likelihood - even.log_likelihood,
                               voted.label_log_likelihood - even.label_log_likelihood);
  const double log_odds = log_odds_of_uneven_classes(labels, even.tables.class_count) +
                          std::max(gain - kSharesMargin, 0.0);
  return 1 / (1 + std::exp(-log_odds));
}

/// Mixes answers with those by voted shares, and counts where the two differ.
void mix_voted(const ClearVotes& votes, const MulticlassFit& voted, double weight,
               MulticlassAnswers& answers) {
  const std::size_t classes = voted.tables.class_count;
  for (std::size_t i = 0; i * classes < voted.probabilities.size(); ++i) {
    const std::span<double> p(&answers.fit.probabilities[i * classes], classes);
    const std::span<const double> other(&voted.probabilities[i * classes], classes);
    const std::uint32_t labels = votes.label_count(i);
    const double part = labels == 1 ? std::min(weight, kLonePart) : weight;
    if (votes.mix(i, p, other, part) && labels > 0) ++answers.decided_by_shares;
  }
}

}  // namespace

MulticlassAnswers multiclass_answers(const MulticlassLabelsByWorker& labels,
                                     const MulticlassFitOptions& options, int rounds,
                                     const KnownLabels* known) {
  const auto fit = [&](const MulticlassFitOptions& how) {
    return multiclass_fit(labels, how, rounds, std::nullopt, known);
  };
  if (!options.pooled) return {fit(options)};
  const ClearVotes votes(labels, options);
  const auto answer = [&](MulticlassFitOptions how) {
    how.for_answers = true;
    MulticlassAnswers result{fit(how)};
    if (!options.are_shares_open()) return result;
    const MulticlassFit voted = fit(with_voted_shares(how));
    double weight = 0;
    if (result.fit.spammers || voted.spammers) {
      how.find_spammers = false;
      weight = weight_of_voted(joined(how.groups, without(how.spammers, labels)), fit(how),
                               fit(with_voted_shares(how)));
    } else {
      weight = weight_of_voted(joined(how.groups, labels), result.fit, voted);
    }
    mix_voted(votes, voted, weight, result);
    return result;
  };
  std::vector<Contender> contenders = strengths(labels, options, rounds, known);
  std::ranges::stable_sort(contenders, std::greater(), &Contender::log_evidence);
  const double best = contenders.front().log_evidence;
  MulticlassAnswers result = answer(contenders.front().options);
  std::vector<double>& probabilities = result.fit.probabilities;
  double all = 1;
  for (std::size_t n = 1; n < contenders.size(); ++n) {
    const double weight = std::exp(contenders[n].log_evidence - best);
    if (!(weight > kLeastWeight)) continue;
    const MulticlassAnswers other = answer(contenders[n].options);
    all += weight;
    for (std::size_t i = 0; i < probabilities.size(); ++i)
      probabilities[i] += weight / all * (other.fit.probabilities[i] - probabilities[i]);
  }
  votes.settle_doubts(probabilities);
  return result;
}

}  // namespace allot::model
