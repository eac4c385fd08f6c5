// Items of several classes: the calls are those of two classes, only the prior differs.
//
// Four classes, five workers; a worker who errs picks any other class.
#include <algorithm>
#include <allot/policy/desk.hpp>
#include <allot/policy/registry.hpp>
#include <cstdio>

int main() {
  using namespace allot;
  const std::uint32_t items = 30, workers = 5, classes = 4;
  const double reliability[workers] = {0.9, 0.85, 0.8, 0.7, 0.4};

  const model::CrowdOptions options{.item_prior = model::DirichletPrior::symmetric(classes)};
  policy::Desk desk(model::make_crowd(options, items, workers),
                    policy::make_policy("opt-kg", policy::TieBreak::random).value(),
                    policy::Offers::everyone(items, workers));
  Rng rng(1);
  for (int label = 0; label < 90; ++label) {
    const auto pair = desk.choose(rng);
    if (!pair) break;
    const std::uint32_t truth = position(pair->item) % classes;
    const bool right = uniform(rng) < reliability[position(pair->worker)];
    const auto wrong = static_cast<std::uint32_t>(1 + below(rng, classes - 1));
    desk.record(*pair, ClassId{right ? truth : (truth + wrong) % classes});
  }

  std::uint32_t right = 0;
  std::vector<double> probabilities(classes);
  for (std::uint32_t i = 0; i < items; ++i) {
    desk.crowd().probabilities(ItemId{i}, probabilities);
    const auto best = std::ranges::max_element(probabilities) - probabilities.begin();
    right += static_cast<std::uint32_t>(best) == i % classes;
  }
  std::printf("%u of %u answers are right after 90 labels\n", right, items);
}

// Prints:
//   28 of 30 answers are right after 90 labels
