#include "allot/aggregate/kos.hpp"

#include <algorithm>
#include <cmath>

#include "aggregate/item_labels.hpp"
#include "allot/aggregate/majority.hpp"
#include "allot/base/check.hpp"
#include "allot/base/rng.hpp"
#include "base/try.hpp"

namespace allot::aggregate {
namespace {

using model::GivenLabel;

/// Share of the absolute sum below which a sum is rounding noise.
constexpr double kRounding = 1e-12;

bool is_positive(const GivenLabel& label) {
  return model::to_label(label.label) == Label::positive;
}

class Messages {
 public:
  Messages(const model::LabelSet& labels, std::uint64_t seed)
      : labels_(labels), by_item_(labels.item_count), by_worker_(labels.worker_count) {
    Rng rng(seed);
    for (const GivenLabel& label : labels.labels)
      signed_.push_back(sign(label) * (1 + normal(rng)));
  }

  /// Updates the messages once. Each edge keeps A_ij y_ij; A_ij x_ij replaces it for half a round.
  void pass() {
    pass_through(by_item_, [](const GivenLabel& label) { return position(label.item); });
    pass_through(by_worker_, [](const GivenLabel& label) { return position(label.worker); });
    scale();
  }

  struct Sum {
    double value = 0;
    double size = 0;  // of the absolute values

    /// True if the messages cancel, up to rounding.
    bool is_zero() const { return std::abs(value) <= kRounding * size; }
  };
  std::vector<Sum> sums() const {
    std::vector<Sum> sums(labels_.item_count);
    for (std::size_t n = 0; n < signed_.size(); ++n) {
      Sum& sum = sums[position(labels_.labels[n].item)];
      sum.value += signed_[n];
      sum.size += std::abs(signed_[n]);
    }
    return sums;
  }

 private:
  static double sign(const GivenLabel& label) { return is_positive(label) ? 1 : -1; }

  /// Replaces each message by the sum of the others at its node, signed again: A_ij x_ij.
  template <typename Node>
  void pass_through(std::vector<double>& totals, Node node) {
    std::ranges::fill(totals, 0);
    for (std::size_t n = 0; n < signed_.size(); ++n) totals[node(labels_.labels[n])] += signed_[n];
    for (std::size_t n = 0; n < signed_.size(); ++n) {
      const GivenLabel& label = labels_.labels[n];
      signed_[n] = sign(label) * (totals[node(label)] - signed_[n]);
    }
  }

  void scale() {
    double squares = 0;
    for (const double message : signed_) squares += message * message;
    if (squares == 0) return;
    const double factor = std::sqrt(static_cast<double>(signed_.size()) / squares);
    for (double& message : signed_) message *= factor;
  }

  const model::LabelSet& labels_;
  std::vector<double> signed_;  // one per label
  std::vector<double> by_item_, by_worker_;
};

/// Replaces the answers of items about which the messages carry information.
void decide(const model::LabelSet& labels, const std::vector<Messages::Sum>& sums,
            std::vector<ClassId>& answers) {
  std::int64_t agreeing = 0;  // labels that agree with the signs of the sums, less the others
  for (const GivenLabel& label : labels.labels) {
    const Messages::Sum& sum = sums[position(label.item)];
    if (!sum.is_zero()) agreeing += is_positive(label) == (sum.value > 0) ? 1 : -1;
  }
  if (agreeing == 0) return;  // nothing tells the two sides apart
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].is_zero()) continue;
    const bool positive = (sums[i].value > 0) != (agreeing < 0);
    answers[i] = model::to_class(positive ? Label::positive : Label::negative);
  }
}

}  // namespace

Result<Aggregation> kos(const model::LabelSet& labels, const KosOptions& options) {
  require(options.rounds >= 1, "kos", "rounds", options.rounds, "expected at least 1");
  TRY(check_binary("kos", labels));
  auto result = majority(labels);
  if (!result) return result;
  Messages messages(labels, options.seed);
  for (std::uint32_t round = 0; round < options.rounds; ++round) messages.pass();
  ClassAnswers& answers = result->answers;
  decide(labels, messages.sums(), answers.answers);
  answers.probabilities.clear();
  result->workers.reliability = agreement(labels, answers);
  result->fit = Fit{options.rounds, false, {}, {}};
  return result;
}

}  // namespace allot::aggregate
