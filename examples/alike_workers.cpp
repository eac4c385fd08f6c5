// Workers who are alike: decide which item to ask about next, from labels alone.
//
// Ten items, each a coin with its own chance of "yes"; forty labels, bought one at a time with the
// optimistic knowledge gradient.
#include <allot/aggregate/posterior.hpp>
#include <allot/model/belief.hpp>
#include <allot/policy/registry.hpp>
#include <cstdio>

int main() {
  using namespace allot;
  const double chance_of_yes[] = {0.95, 0.9, 0.85, 0.7, 0.55, 0.45, 0.3, 0.15, 0.1, 0.05};
  const std::uint64_t budget = 40;

  model::Beliefs beliefs(10, model::Prior::uniform());
  const auto policy = policy::make_policy("opt-kg", policy::TieBreak::random).value();
  const auto chooser = policy->start(beliefs, budget).value();
  Rng rng(1);
  for (std::uint64_t label = 0; label < budget; ++label) {
    const ItemId item = chooser->choose(rng);
    const bool yes = uniform(rng) < chance_of_yes[position(item)];  // here you would ask a worker
    beliefs.record(item, yes ? Label::positive : Label::negative);
    chooser->refresh(item);
  }

  std::uint32_t item = 0;
  for (const aggregate::Answer& answer : aggregate::posterior_vote(beliefs)) {
    std::printf("item %u: %-3s with probability %.3f after %u labels\n", item,
                answer.label == Label::positive ? "yes" : "no", answer.probability,
                beliefs.counts(ItemId{item}).total());
    ++item;
  }
}

// Prints:
//   item 0: yes with probability 0.938 after 3 labels
//   item 1: yes with probability 0.875 after 2 labels
//   item 2: yes with probability 0.875 after 2 labels
//   item 3: yes with probability 0.875 after 2 labels
//   item 4: yes with probability 0.855 after 7 labels
//   item 5: yes with probability 0.788 after 13 labels
//   item 6: no  with probability 0.875 after 2 labels
//   item 7: no  with probability 0.875 after 2 labels
//   item 8: no  with probability 0.891 after 5 labels
//   item 9: no  with probability 0.875 after 2 labels
