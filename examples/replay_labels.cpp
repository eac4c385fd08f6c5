// A replay: what would a policy have reached with fewer of the labels that you already have?
//
// Twenty items with five labels each. Policies are compared on half of the labels, run by run with
// the same labels in the same order.
#include <allot/policy/registry.hpp>
#include <allot/sim/experiment.hpp>
#include <cstdio>

int main() {
  using namespace allot;
  const std::uint32_t items = 20, workers = 5;
  auto recording = std::make_shared<sim::Recording>();
  recording->labels = {
      .item_count = items, .worker_count = workers, .class_count = 2, .labels = {}};
  Rng rng(7);
  for (std::uint32_t i = 0; i < items; ++i) {
    const std::uint32_t truth = i % 2;
    recording->truth.push_back(ClassId{truth});
    for (std::uint32_t j = 0; j < workers; ++j) {
      const bool right = uniform(rng) < 0.8;  // here you would read your own file
      recording->labels.labels.push_back(
          {ItemId{i}, WorkerId{j}, ClassId{right ? truth : 1 - truth}});
    }
  }

  sim::Experiment experiment;
  experiment.world = std::shared_ptr<const sim::Recording>(recording);
  experiment.workers = sim::DifferingWorkers{};
  for (const char* name : {"uniform", "opt-kg"}) {
    experiment.policies.push_back(policy::make_policy(name, policy::TieBreak::random).value());
  }
  experiment.budgets = {50};
  experiment.runs = 40;
  const std::vector<sim::Row> rows = sim::run(experiment).value();
  for (const sim::Row& row : rows) {
    std::printf("%-8s %.3f of the answers are right with 50 labels\n", row.policy.c_str(),
                row.accuracy);
  }
}

// Prints:
//   uniform  0.864 of the answers are right with 50 labels
//   opt-kg   0.922 of the answers are right with 50 labels
