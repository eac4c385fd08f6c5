#include "allot/model/contextual.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "allot/base/check.hpp"
#include "allot/math/normal_tail.hpp"
#include "math/gaussian_batch.hpp"
#include "math/positive_definite.hpp"

namespace allot::model {
namespace {

using math::RowPanels;

/// a += factor x x', the whole square.
void add_outer(std::vector<double>& a, std::span<const double> x, double factor) {
  const std::size_t size = x.size();
  for (std::size_t i = 0; i < size; ++i) {
    // The factor on the product: a stays symmetric to the last bit.
    for (std::size_t j = 0; j < size; ++j) a[i * size + j] += factor * (x[i] * x[j]);
  }
}

double dot(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * y[j];
  return sum;
}

}  // namespace

Contextual::Contextual(const Design& design, const ContextualOptions& options)
    : Contextual(std::make_shared<const ItemRows>(design), options) {}

Contextual::Contextual(std::shared_ptr<const ItemRows> rows, const ContextualOptions& options)
    : rows_(std::move(rows)), method_(options.method) {
  const double prior = options.prior_variance;
  require(prior > 0 && std::isfinite(prior), "Contextual", "prior_variance", prior,
          "expected more than 0");
  const std::size_t size = rows_->column_count();
  weights_.resize(size);
  covariance_.resize(size * size);
  precision_.resize(size * size);
  for (std::size_t j = 0; j < size; ++j) {
    covariance_[j * size + j] = prior;
    precision_[j * size + j] = 1 / prior;
  }
  means_.resize(rows_->panels().padded_rows());
  variances_.resize(means_.size());
  for (std::uint32_t row = 0; row < rows_->row_count(); ++row) {
    const std::vector<double> x = rows_->panels().row(row);
    variances_[row] = prior * dot(x, x);
  }
}

double Contextual::prob_positive(ItemId item) const {
  const double m = mean(item), s = std::sqrt(variance(item));
  return m == 0 ? 0.5 : math::normal_tail(-m / s);
}

double Contextual::chance_positive(ItemId item) const {
  return math::predictive_logistic(mean(item), variance(item));
}

double Contextual::chance_positive(std::uint32_t row, const Channel& worker) const {
  const auto [positive, negative] = worker.likelihood(Label::positive);
  const double chance = math::predictive_logistic(means_[row], variances_[row]);
  return positive * chance + negative * (1 - chance);
}

math::LogisticUpdate Contextual::update(std::uint32_t row, Label label,
                                        const Channel& worker) const {
  const auto [positive, negative] = worker.likelihood(label);
  if (method_ == math::LogisticMethod::variational && positive != negative &&
      (positive == 0 || negative == 0)) {
    return math::variational_update(means_[row], variances_[row],
                                    negative == 0 ? Label::positive : Label::negative);
  }
  return math::laplace_update(means_[row], variances_[row], {positive, negative});
}

void Contextual::record(ItemId item, Label label, const Channel& worker) {
  require(position(item) < item_count(), "Contextual::record", "item", position(item),
          "expected one of the items");
  const std::uint32_t row = rows_->row_of(item);
  const math::LogisticUpdate update = this->update(row, label, worker);
  const math::LogitMove move(update, variances_[row]);
  const std::size_t size = weights_.size();
  const std::vector<double> x = rows_->panels().row(row);
  std::vector<double> direction(size);  // Sigma x
  for (std::size_t j = 0; j < size; ++j) {
    direction[j] = dot(std::span(covariance_).subspan(j * size, size), x);
  }
  for (std::size_t j = 0; j < size; ++j) weights_[j] += direction[j] * update.step;
  add_outer(precision_, x, update.curvature);
  ++labels_;
  if (++since_refresh_ >= std::max<std::size_t>(64, size)) return refresh();
  add_outer(covariance_, direction, -move.shrink);
  math::move_logits(rows_->panels().multiply(direction).data(), move, means_.data(),
                    variances_.data(), means_.size());
}

void Contextual::refresh() {
  since_refresh_ = 0;
  const std::size_t size = weights_.size();
  covariance_ = math::inverse_positive_definite(precision_, size);
  means_ = rows_->panels().multiply(weights_);
  const RowPanels covariance(size, size, covariance_);
  const std::size_t stride = covariance.padded_rows();
  std::vector<double> products(RowPanels::kVectors * stride);
  std::vector<std::uint32_t> four;
  for (std::uint32_t row = 0; row < rows_->row_count(); ++row) {
    four.push_back(row);
    if (four.size() < RowPanels::kVectors && row + 1 < rows_->row_count()) continue;
    const std::vector<double> x = rows_->panels().in_turn(four);
    covariance.multiply(0, covariance.panels(), x, products.data(), stride);
    for (std::size_t v = 0; v < four.size(); ++v) {
      double sum = 0;
      for (std::size_t j = 0; j < size; ++j) {
        sum += products[v * stride + j] * x[RowPanels::kVectors * j + v];
      }
      variances_[four[v]] = sum;
    }
    four.clear();
  }
}

ContextualClasses::ContextualClasses(const Design& design, std::uint32_t class_count,
                                     const ContextualOptions& options)
    : rows_(std::make_shared<const ItemRows>(design)) {
  require(class_count >= 2, "ContextualClasses", "class_count", class_count, "expected at least 2");
  models_.assign(class_count, Contextual(rows_, options));
}

void ContextualClasses::record(ItemId item, ClassId label) {
  require(position(label) < class_count(), "ContextualClasses::record", "label", position(label),
          "expected one of the classes");
  for (std::uint32_t c = 0; c < class_count(); ++c) {
    models_[c].record(item, ClassId{c} == label ? Label::positive : Label::negative);
  }
}

std::vector<double> ContextualClasses::probabilities(ItemId item) const {
  std::vector<double> result;
  for (const Contextual& model : models_) result.push_back(model.chance_positive(item));
  const double sum = std::accumulate(result.begin(), result.end(), 0.0);
  for (double& share : result) share /= sum;
  return result;
}

}  // namespace allot::model
