// Answers and clear votes.
//
// A vote is clear if one class has more labels than any other. Fits overrule it where they trust
// other workers more. Where they are in doubt themselves, the vote decides:
//   - If the answer depends on whether classes are uneven or the crowd leans. Labels do not tell
//     these two apart, and each belief trusts the workers who agree with it.
//   - If the probability of the answer is less than .57.
// So crowds that no fit explains well are answered as the vote answers them. On the mean, real
// crowds lose nothing by it. Workers who are believed to be right as often as by chance, or less,
// have no vote. No vote is clear where labels do not count alike, because members of groups err
// together or labels have confidences.
#pragma once

#include <optional>

#include "allot/base/ids.hpp"
#include "model/multiclass_fit.hpp"

namespace allot::model {

class ClearVotes {
 public:
  ClearVotes(const MulticlassLabelsByWorker& labels, const MulticlassFitOptions& options);

  /// Labels of the item, with those that are no votes.
  std::uint32_t label_count(std::size_t item) const { return label_counts_[item]; }
  /// The class of a clear vote.
  std::optional<ClassId> winner(std::size_t item) const;

  /// The probabilities of an item, which were made with even shares of classes, are mixed with
  /// those made with other shares, whose weight is `weight`. Where the two answer differently and
  /// one of them agrees with a clear vote, its class becomes the answer. True if they differ.
  bool mix(std::size_t item, std::span<double> even, std::span<const double> other,
           double weight) const;
  /// Answers all items whose answer is in doubt as clear votes do: the two classes exchange their
  /// probabilities. `probabilities` has one row per item.
  void settle_doubts(std::span<double> probabilities) const;

 private:
  const std::size_t classes_;
  bool are_clear_;
  std::vector<std::uint32_t> label_counts_;  // by item
  std::vector<std::uint32_t> votes_;         // one row per item
};

}  // namespace allot::model
