// Kinds of workers compared: language models against people, or any groups.
#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "allot/campaign/view.hpp"
#include "base/try.hpp"
#include "campaign/rows.hpp"
#include "campaign/work.hpp"

namespace allot::campaign {
namespace {

/// The class with the most votes; nothing if two have as many, or none has any.
std::optional<std::size_t> plurality(const std::vector<std::uint32_t>& votes) {
  const auto most = std::ranges::max_element(votes);
  if (*most == 0 || std::ranges::count(votes, *most) > 1) return {};
  return static_cast<std::size_t>(most - votes.begin());
}

/// Number of the worker's kind: that of the group, or one more than all groups.
std::size_t kind_of(const io::WorkerGroups& groups, WorkerId worker) {
  const std::uint32_t group = groups.of_worker[position(worker)];
  return group == 0 ? groups.names.size() : group - 1;
}

/// Adds the item to what kinds say about the same items as others.
void compare_kinds(const State& state, const io::WorkerGroups& groups, ItemId item,
                   std::vector<KindRow>& rows) {
  const std::size_t classes = state.options().classes.size();
  std::vector<std::vector<std::uint32_t>> votes(rows.size(), std::vector<std::uint32_t>(classes));
  std::vector<std::uint32_t> all(classes);
  for (const Share& share : state.pairs().shares(item)) {
    if (share.status != PairStatus::labelled) continue;
    ++votes[kind_of(groups, share.worker)][position(share.label)];
    ++all[position(share.label)];
  }
  for (std::size_t n = 0; n < rows.size(); ++n) {
    std::vector<std::uint32_t> others = all;
    for (std::size_t k = 0; k < classes; ++k) others[k] -= votes[n][k];
    const auto own = plurality(votes[n]), theirs = plurality(others);
    if (!own || !theirs) continue;
    ++rows[n].shared;
    rows[n].agreed += own == theirs;
  }
}

std::optional<double> share(std::uint64_t part, std::uint64_t all) {
  if (all == 0) return {};
  return static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

std::optional<double> KindRow::accuracy() const { return share(known_right, known); }
std::optional<double> KindRow::agreement() const { return share(agreed, shared); }
std::optional<double> KindRow::cost_per_right() const {
  const auto right = accuracy();
  if (!right || *right == 0 || labels == 0) return {};
  constexpr double kBillion = 1e9;
  return static_cast<double>(spent.in_billionths()) / kBillion /
         (static_cast<double>(labels) * *right);
}

std::vector<io::Column> kind_columns() {
  using io::Kind;
  return {{"kind"},
          {"workers", Kind::exact},
          {"labels", Kind::exact},
          {"abstained", Kind::exact},
          {"spent", Kind::exact},
          {"known", Kind::exact},
          {"known_right", Kind::exact},
          {"accuracy", Kind::real},
          {"shared", Kind::exact},
          {"agreed", Kind::exact},
          {"agreement", Kind::real},
          {"cost_per_right", Kind::real}};
}

std::vector<std::string> kind_values(const KindRow& one) {
  const auto whole = [](std::uint64_t count) { return fmt::format("{}", count); };
  const auto number = [](const std::optional<double>& value) {
    return value ? number_text(*value) : std::string();
  };
  return {one.kind,
          whole(one.workers),
          whole(one.labels),
          whole(one.abstained),
          money_text(one.spent),
          whole(one.known),
          whole(one.known_right),
          number(one.accuracy()),
          whole(one.shared),
          whole(one.agreed),
          number(one.agreement()),
          number(one.cost_per_right())};
}

Result<std::vector<KindRow>> CampaignView::kinds() const {
  return run_look(*source_, [&](Core&, const State& state) -> Result<std::vector<KindRow>> {
    const io::WorkerGroups groups = state.groups();
    std::vector<KindRow> rows;
    for (const std::string& name : groups.names) rows.push_back({.kind = name});
    rows.push_back({.kind = ""});
    for (std::uint32_t j = 0; j < state.worker_count(); ++j) {
      const WorkerFacts& facts = state[WorkerId{j}];
      if (facts.standing == Standing::excluded) continue;
      KindRow& row = rows[kind_of(groups, WorkerId{j})];
      ++row.workers;
      row.labels += facts.labels;
      row.abstained += facts.abstained;
      row.spent += facts.spent;
      row.known += facts.gold + facts.reviewed;
      row.known_right += facts.gold_right + facts.reviewed_right;
    }
    for (std::uint32_t i = 0; i < state.item_count(); ++i)
      compare_kinds(state, groups, ItemId{i}, rows);
    std::erase_if(rows, [](const KindRow& row) { return row.workers == 0; });
    return rows;
  });
}

}  // namespace allot::campaign
