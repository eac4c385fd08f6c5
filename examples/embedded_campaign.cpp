// A campaign inside your own program: a budget, workers who come and go, and a ledger of every
// event.
//
// The store here is in memory; store::open_sqlite("reviews.db") keeps the same campaign in a file,
// which the program allot opens too.
#include <allot/campaign/campaign.hpp>
#include <allot/store/memory_store.hpp>
#include <cstdio>

namespace {

/// Stands in for the people or models you would ask.
std::string label_of(const std::string& item) { return item.ends_with("good") ? "yes" : "no"; }

}  // namespace

int main() {
  using namespace allot;
  using campaign::Campaign;

  const auto store = store::memory_store();
  const campaign::ItemDraft items[] = {{.id = "r1-good"}, {.id = "r2-bad"}, {.id = "r3-good"}};
  campaign::Options options;
  options.classes = {"no", "yes"};
  options.budget = parse_money("6").value();  // a label costs 1 unless it has a price
  const auto campaign =
      Campaign::create(*store, "reviews", options, campaign::now(), {.items = items}).value();

  for (const std::string worker : {"ann", "bob"}) {
    // Leases up to three items to the worker; each comes back as a label, or expires.
    const auto leased = campaign->next(worker, 3, campaign::now());
    if (!leased) {
      std::printf("%s\n", leased.error().message.c_str());
      return 1;
    }
    for (const campaign::Assignment& assignment : leased->assignments) {
      const auto recorded = campaign->record(
          {.item = assignment.item, .worker = worker, .label = label_of(assignment.item)},
          campaign::now());
      if (!recorded) std::printf("%s\n", recorded.error().message.c_str());
    }
  }

  const std::vector<campaign::AnswerRow> answers = campaign->view().answers().value();
  for (const campaign::AnswerRow& row : answers) {
    const char* const answer =
        row.answer ? options.classes[position(*row.answer)].c_str() : "no label yet";
    std::printf("%s: %s\n", row.item.c_str(), answer);
  }
  std::printf("%s\n", campaign->verify().has_value() ? "the ledger verifies" : "broken ledger");
}

// Prints:
//   r1-good: yes
//   r2-bad: no
//   r3-good: yes
//   the ledger verifies
