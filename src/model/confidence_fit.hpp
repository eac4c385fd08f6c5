// Confidences of labels, as a part of the pooled fit (model/multiclass_fit.hpp).
//
// A worker can say how sure they are of a label, by a number on any scale. No number is taken at
// its word. The numbers of a worker are sorted into five bins at the worker's own quantiles, so
// only their order counts. Given whether the label is right, its bin b has a chance
//   R_j(b) if it is right,   W_j(b) if it is wrong,
// whatever the class. A label z of bin b then has the likelihood
//   Pr(z, b | y) = P_j(y, z) R_j(b) if y = z, else P_j(y, z) W_j(b):
// the confidence multiplies the odds of z by R_j(b) / W_j(b). Both are counted from the items as
// believed, without the label that is read (cavity updates). They start from those of the crowd,
// worth `strength` labels, and these from the shares of the bins, worth 20 labels.
//
// The meaning is chosen by held-out likelihood, after a fit that knows no confidences. Let r be the
// probability, by that fit, that a label is right. Then
//   G = sum over labels of log (r R_j(b) + (1 - r) W_j(b)) / M_j(b),
// R and W without the label, M_j(b) the share of the bin with it. Candidates have one meaning for
// all workers, or one that each worker has more or less for themselves (`strength`). Either can
// turn the order of workers whose labels are right more often where they are less sure; to say who
// is turned takes log 2 per worker, which is subtracted from G. The candidate with the largest G is
// used, and none if no G exceeds 3 nats. So confidences that say nothing cost nothing.
//
// Cost: O(labels) per round, and O(labels log labels) to sort.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/by_worker.hpp"

namespace allot::model {

inline constexpr std::size_t kConfidenceBins = 5;

/// What a fit learned about the confidences of one worker, or of workers who are new.
struct ConfidenceReading {
  std::array<float, kConfidenceBins - 1> edges;  // ascending; a bin begins at its edge
  std::array<double, kConfidenceBins> odds;      // R_j / W_j by bin

  /// Factor of the odds of a label with this confidence.
  double factor(float confidence) const;
};

/// What a fit learned about confidences; empty if they are not used.
struct FittedConfidences {
  double strength = 0;                      // 0 if they are not used
  bool own = false;                         // whether workers differ in what they mean
  std::vector<ConfidenceReading> readings;  // by worker, and one more for all others

  /// Factor of the odds of a worker's label; 1 if confidences are not used.
  double factor(std::uint32_t worker, float confidence) const;
};

class ConfidenceFit {
 public:
  /// The labels must outlive the object.
  ConfidenceFit(const MulticlassLabelsByWorker& labels, std::uint32_t classes);

  /// Whether any label has a confidence.
  static bool any(const MulticlassLabelsByWorker& labels);

  /// Chooses the strength, by a fit that has used no confidences. Returns whether they are used.
  bool choose(const std::vector<double>& probabilities);
  bool is_used() const { return strength_ > 0; }
  /// Adds the logarithms of the factors of all labels, items as believed before.
  void add_labels(const std::vector<double>& probabilities, std::vector<double>& log_probabilities);

  FittedConfidences result(const std::vector<double>& probabilities);

 private:
  using Edges = std::array<float, kConfidenceBins - 1>;
  using Bins = std::array<double, kConfidenceBins>;
  /// Labels by bin, right and wrong as far as believed.
  struct Counts {
    Bins right{}, wrong{};
    double all_right = 0, all_wrong = 0;

    void add(std::size_t bin, double is_right);
  };
  struct Chances {
    double right, wrong;
  };

  static Edges edges_of(std::vector<float> confidences);
  /// The worker's bin of a confidence, the highest one first if the worker is turned.
  std::size_t bin_of(std::size_t worker, float confidence) const;
  /// Turns the workers whose labels are right more often where they are less sure.
  void turn(const std::vector<double>& probabilities);
  double is_right(const WorkerClassLabel& given, const std::vector<double>& probabilities) const {
    return probabilities[std::size_t{given.item} * classes_ + given.label];
  }
  void count(const std::vector<double>& probabilities);
  /// R_j(b) and W_j(b) without a label of the worker that counts so much as right and as wrong.
  Chances chances(const Counts& worker, std::size_t bin, double strength, double taken_right,
                  double taken_wrong) const;
  double gain(const std::vector<double>& probabilities, double strength) const;

  const MulticlassLabelsByWorker& labels_;
  const std::size_t classes_;
  std::vector<Edges> edges_;    // by worker, then those of the crowd
  std::vector<Counts> counts_;  // by worker
  Counts crowd_;
  Bins shares_{};  // of all labels by bin
  double strength_ = 0;
  std::vector<bool> turned_;  // by worker, and false for all others
};

}  // namespace allot::model
