#include "allot/model/multiclass_belief.hpp"

#include <algorithm>
#include <numeric>

#include "allot/base/check.hpp"
#include "allot/math/dirichlet_win.hpp"

namespace allot::model {

DirichletPrior DirichletPrior::dirichlet(std::vector<double> alpha) {
  constexpr std::string_view kName = "DirichletPrior::dirichlet";
  require(alpha.size() >= 2, kName, "number of classes", static_cast<double>(alpha.size()),
          "expected at least 2");
  for (const double a : alpha) {
    require(a >= DirichletPrior::kLeast && a <= DirichletPrior::kMost, kName, "alpha", a,
            "expected 1e-8 to 1e9");
  }
  return DirichletPrior(std::move(alpha));
}

DirichletPrior DirichletPrior::symmetric(std::uint32_t class_count, double alpha) {
  return dirichlet(std::vector<double>(class_count, alpha));
}

bool DirichletPrior::is_symmetric() const {
  return std::ranges::all_of(*alpha_, [&](double a) { return a == alpha_->front(); });
}

DirichletBelief DirichletBelief::after(ClassId label) const {
  DirichletBelief next = *this;
  ++next.alpha.at(position(label));
  return next;
}

std::vector<double> chances(const DirichletBelief& belief) {
  // Summed in order of size, so that permuted beliefs have permuted chances to the last bit.
  std::vector<double> result = belief.alpha;
  std::ranges::sort(result);
  const double total = std::accumulate(result.begin(), result.end(), 0.0);
  std::ranges::transform(belief.alpha, result.begin(), [&](double a) { return a / total; });
  return result;
}

std::vector<double> class_probabilities(const DirichletBelief& belief) {
  return math::win_outlook(belief.alpha).win;
}

double error_probability(const DirichletBelief& belief) {
  return math::win_outlook(belief.alpha).error;
}

MulticlassBeliefs::MulticlassBeliefs(std::uint32_t item_count, DirichletPrior prior)
    : item_count_(item_count),
      class_count_(prior.class_count()),
      priors_{std::move(prior)},
      counts_(std::size_t{item_count} * class_count_) {
  require(item_count > 0, "MulticlassBeliefs", "item_count", 0, "expected at least 1");
}

MulticlassBeliefs::MulticlassBeliefs(std::vector<DirichletPrior> priors,
                                     std::vector<std::uint32_t> prior_of_item)
    : item_count_(static_cast<std::uint32_t>(prior_of_item.size())),
      class_count_(priors.empty() ? 0 : priors.front().class_count()),
      priors_(std::move(priors)),
      prior_of_item_(std::move(prior_of_item)),
      counts_(std::size_t{item_count_} * class_count_) {
  constexpr std::string_view kName = "MulticlassBeliefs";
  require(item_count_ > 0, kName, "number of items", 0, "expected at least 1");
  for (const DirichletPrior& prior : priors_) {
    require(prior.class_count() == class_count_, kName, "number of classes", prior.class_count(),
            "expected the same in all priors");
  }
  for (const std::uint32_t prior : prior_of_item_) {
    require(prior < priors_.size(), kName, "prior_of_item", prior, "expected a position in priors");
  }
}

DirichletBelief MulticlassBeliefs::operator[](ItemId item) const {
  const std::span<const double> prior = prior_of(item).alpha();
  DirichletBelief belief{{prior.begin(), prior.end()}};
  const auto labels = counts(item);
  for (std::size_t c = 0; c < labels.size(); ++c) belief.alpha[c] += labels[c];
  return belief;
}

void MulticlassBeliefs::record(ItemId item, ClassId label) {
  constexpr std::string_view kName = "MulticlassBeliefs::record";
  require(position(label) < class_count_, kName, "label", position(label), "expected a class");
  std::uint32_t& count = counts_[std::size_t{position(item)} * class_count_ + position(label)];
  require(count < UINT32_MAX, kName, "labels of the item", count, "expected fewer");
  ++count;
  ++stage_;
}

}  // namespace allot::model
