// The example of the README: ask ten labels about three items, then print the answers.
#include <allot/allot.hpp>
#include <cstdio>

int main() {
  using namespace allot;
  model::Beliefs beliefs(3, model::Prior::uniform());
  const auto policy = policy::make_policy("opt-kg", policy::TieBreak::random).value();
  const auto chooser = policy->start(beliefs, 10).value();
  Rng rng(1);
  for (int label = 0; label < 10; ++label) {
    const ItemId item = chooser->choose(rng);
    // Here a worker would be asked; item 0 is a clear yes, item 1 a clear no, item 2 is hard.
    const double soft_label[] = {0.9, 0.1, 0.55};
    const bool yes = uniform(rng) < soft_label[position(item)];
    beliefs.record(item, yes ? Label::positive : Label::negative);
    chooser->refresh(item);
  }
  for (const aggregate::Answer& answer : aggregate::posterior_vote(beliefs)) {
    std::printf("%s with probability %.3f\n", answer.label == Label::positive ? "yes" : "no",
                answer.probability);
  }
}
