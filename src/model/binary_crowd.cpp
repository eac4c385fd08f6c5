#include "allot/model/binary_crowd.hpp"

#include "allot/model/label_set.hpp"

namespace allot::model {
namespace {

void write_probabilities(const ItemState& item, std::span<double> out) {
  const double wrong = error_probability(item);
  const bool positive = favoured_label(item) == Label::positive;
  out[0] = positive ? wrong : 1 - wrong;
  out[1] = positive ? 1 - wrong : wrong;
}

}  // namespace

double BinaryCrowd::error(ItemId item) const { return error_probability((*this)[item]); }

void BinaryCrowd::probabilities(ItemId item, std::span<double> out) const {
  write_probabilities((*this)[item], out);
}

void BinaryCrowd::likelihood(WorkerId worker, ClassId label, std::span<double> out) const {
  const auto [positive, negative] = (*this)[worker].mean.likelihood(to_label(label));
  out[0] = negative;
  out[1] = positive;
}

double BinaryCrowd::outcome(ItemId item, WorkerId worker, ClassId label,
                            std::span<double> out) const {
  const Channel& channel = (*this)[worker].mean;
  write_probabilities(after((*this)[item], channel, to_label(label)), out);
  const double positive = chance_positive((*this)[item], channel);
  return to_label(label) == Label::positive ? positive : 1 - positive;
}

/// The mean of both coins: E((s + t) / 2), and its variance from the second moments.
Reliability BinaryCrowd::reliability(WorkerId worker, std::uint32_t) const {
  const WorkerState& state = (*this)[worker];
  const double mean = (state.mean.sensitivity + state.mean.specificity) / 2;
  const double square =
      (state.sensitivity_squared + 2 * state.product + state.specificity_squared) / 4;
  return {mean, square - mean * mean};
}

std::vector<double> class_probabilities(std::span<const ItemState> items) {
  std::vector<double> result(2 * items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    write_probabilities(items[i], std::span(result).subspan(2 * i, 2));
  }
  return result;
}

}  // namespace allot::model
