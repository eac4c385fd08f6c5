// Rows of tables are padded to whole blocks of lanes, so that loops over labels become vectors;
// this file is compiled with -O3.
#include "index/worker_index.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "index/padded_table.hpp"

namespace allot::index {
namespace {

using Numbers = std::span<const double>;

/// Chances closer than this are equal: 0.3 and 1 - 0.7 differ in the last bit.
constexpr double kSameRow = 1e-15;
/// Margin of bounds for the rounding errors of values and bounds, which are sums of a few terms.
constexpr double kValueNoise = 1e-14;

std::size_t leading(Numbers shares) {
  return static_cast<std::size_t>(std::ranges::max_element(shares) - shares.begin());
}

/// -x log x
double surprise(double x) { return x > 0 ? -x * std::log(x) : 0; }

class InformationIndex final : public WorkerIndex {
 public:
  explicit InformationIndex(Numbers table)
      : classes_(class_count_of(table)),
        nothing_(says_nothing(table, classes_)),
        by_class_(classes_),
        by_label_(classes_),
        logs_(classes_),
        minus_entropy_(by_class_.stride()),
        others_(classes_),
        middle_(classes_),
        chances_(by_class_.stride()),
        zeros_(by_class_.stride()) {
    for (std::size_t k = 0; k < classes_; ++k) {
      for (std::size_t y = 0; y < classes_; ++y) {
        const double chance = table[k * classes_ + y];
        by_class_[k][y] = by_label_[y][k] = chance;
        logs_[k][y] = chance > 0 ? std::log(chance) : 0;
        minus_entropy_[k] += chance * logs_[k][y];
      }
    }
  }

  /// With a the leading class and e_k the probabilities of the others, a label has the chance
  ///   q_y = T_ay + d_y,   d_y = sum_k e_k (T_ky - T_ay),   and with h(x) = -x log x
  ///   I = sum_y (h(q_y) - h(T_ay)) - sum_k e_k (H(T_k) - H(T_a)).
  /// All terms are small where the others are, so that confident items keep their digits.
  double value(Numbers p) override {
    if (nothing_) return 0;
    const std::size_t a = leading(p);
    double gain = 0, all = 0;
    for (std::size_t k = 0; k < classes_; ++k) {
      others_[k] = k == a ? 0 : p[k];
      all += others_[k];
      gain += others_[k] * (minus_entropy_[k] - minus_entropy_[a]);
    }
    others_[a] = -all;
    by_class_.add_rows(others_, zeros_.data(), chances_.data());
    for (std::size_t y = 0; y < classes_; ++y) {
      gain += risen_surprise(by_class_[a][y], logs_[a][y], chances_[y]);
    }
    return std::max(0.0, gain);
  }

  double bound(Numbers low, Numbers high, double, std::span<double> slope) override {
    if (nothing_) {
      std::ranges::fill(slope, 0);
      return 0;
    }
    double all = 0;
    for (std::size_t k = 0; k < classes_; ++k) all += middle_[k] = low[k] + high[k];
    for (double& share : middle_) share /= all;
    by_class_.add_rows(middle_, zeros_.data(), chances_.data());
    // A chance is 0 only for labels that no class of the box gives.
    for (std::size_t y = 0; y < classes_; ++y) {
      middle_[y] = -std::log(std::max(chances_[y], std::numeric_limits<double>::min()));
    }
    by_label_.add_rows(middle_, minus_entropy_.data(), chances_.data());
    std::copy_n(chances_.begin(), classes_, slope.begin());
    return kValueNoise;
  }

 private:
  /// h(x + rise) - h(x), without cancellation where the rise is small.
  static double risen_surprise(double x, double log_x, double rise) {
    if (std::abs(rise) >= 0.5 * x) return surprise(x + rise) + x * log_x;
    return -rise * log_x - (x + rise) * std::log1p(rise / x);
  }

  const std::size_t classes_;
  const bool nothing_;
  PaddedTable by_class_, by_label_, logs_;
  std::vector<double> minus_entropy_;              // of the rows
  std::vector<double> others_, middle_, chances_;  // working memory
  const std::vector<double> zeros_;
};

}  // namespace

std::size_t class_count_of(Numbers table) {
  return static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(table.size()))));
}

bool says_nothing(Numbers table, std::size_t classes) {
  for (std::size_t row = classes; row < table.size(); row += classes) {
    for (std::size_t y = 0; y < classes; ++y) {
      if (std::abs(table[row + y] - table[y]) > kSameRow) return false;
    }
  }
  return true;
}

std::unique_ptr<WorkerIndex> worker_information(Numbers table) {
  return std::make_unique<InformationIndex>(table);
}

}  // namespace allot::index
