#include <algorithm>
#include <cmath>

#include "base/try.hpp"
#include "campaign/impl.hpp"
#include "campaign/verify.hpp"

namespace allot::campaign {
namespace {

double entropy(std::span<const double> probabilities) {
  double sum = 0;
  for (const double p : probabilities) {
    if (p > 0) sum -= p * std::log(p);
  }
  return sum;
}

/// Of classes that only rounding tells apart, the first.
std::uint32_t best_class(std::span<const double> probabilities) {
  const double most = std::ranges::max(probabilities) * (1 - 1e-9);
  const auto best = std::ranges::find_if(probabilities, [&](double p) { return p >= most; });
  return static_cast<std::uint32_t>(best - probabilities.begin());
}

/// 1 if the label is the most frequent one of the others, the chance of drawing it where several
/// are.
double agreement_with_others(std::vector<std::uint32_t> votes, std::uint32_t label) {
  --votes[label];
  const std::uint32_t most = std::ranges::max(votes);
  if (votes[label] < most) return 0;
  return 1.0 / static_cast<double>(std::ranges::count(votes, most));
}

}  // namespace

Result<Status> Campaign::status(bool with_bound) {
  return impl_->look([&](Core& core) -> Result<Status> {
    const State& state = core.state();
    Status status{state.phase(),
                  state.reason(),
                  state.started(),
                  state.time(),
                  state.budget(),
                  state.spent(),
                  state.reserved(),
                  state.left(),
                  state.sequence(),
                  state.item_count(),
                  static_cast<std::uint32_t>(state.gold().size()),
                  state.worker_count(),
                  state.lease_count(),
                  state.label_count(),
                  state.gold_label_count(),
                  state.imported_count(),
                  {},
                  0,
                  {state.labels_by_day().begin(), state.labels_by_day().end()},
                  with_bound ? core.bound() : std::nullopt,
                  state.reference_count(),
                  {}};
    std::map<std::string, std::uint32_t> reasons;
    double right = 0;
    std::uint32_t hits = 0;
    for (std::uint32_t i = 0; i < state.item_count(); ++i) {
      if (state.truth(ItemId{i})) continue;
      const std::vector<double> probabilities = core.crowd().probabilities(ItemId{i});
      right += std::ranges::max(probabilities);
      if (const auto reference = state.reference(ItemId{i})) {
        hits += best_class(probabilities) == position(*reference);
      }
      const std::string_view reason = state.settled(ItemId{i});
      if (!reason.empty()) ++reasons[std::string(reason)];
    }
    status.settled.assign(reasons.begin(), reasons.end());
    const std::uint32_t asked = status.items - status.gold;
    status.expected_accuracy = asked == 0 ? 1 : right / asked;
    if (status.references > 0) {
      status.accuracy = static_cast<double>(hits) / status.references;
    }
    return status;
  });
}

Result<Board> Campaign::board() {
  return impl_->look([&](Core& core) -> Result<Board> {
    const State& state = core.state();
    const model::Crowd& crowd = core.crowd();
    Board board{state.sequence(), {}};
    board.items.reserve(state.item_count());
    for (std::uint32_t i = 0; i < state.item_count(); ++i) {
      const ItemId item{i};
      if (const auto truth = state.truth(item)) {
        board.items.push_back({1, *truth, state.labels(item)});
        continue;
      }
      const std::vector<double> here = crowd.probabilities(item);
      const std::uint32_t best = best_class(here);
      board.items.push_back({here[best], ClassId{best}, state.labels(item)});
    }
    return board;
  });
}

Result<std::vector<std::vector<double>>> Campaign::along(ItemId item, std::span<const Said> said) {
  return impl_->look([&](Core& core) -> Result<std::vector<std::vector<double>>> {
    const model::Crowd& crowd = core.crowd();
    std::vector<std::vector<double>> all;
    if (core.state().truth(item) || crowd.has_soft_labels()) return all;
    // Logarithms of the chance of each label, by class: what is believed now without them, and then
    // with them one by one.
    std::map<std::uint32_t, std::vector<double>> given;
    const auto logs = [](std::vector<double> values) {
      for (double& one : values) one = std::log(std::max(one, 1e-300));
      return values;
    };
    std::vector<double> now = logs(crowd.probabilities(item));
    const auto label_logs = [&](const Said& one) {
      std::vector<double> chances(crowd.class_count());
      crowd.likelihood(one.worker, one.label, chances);
      return logs(std::move(chances));
    };
    const auto move = [&](const std::vector<double>& by, double sign) {
      for (std::size_t k = 0; k < now.size(); ++k) now[k] += sign * by[k];
    };
    for (const Said& one : said) {
      given[position(one.worker)] = label_logs(one);
    }
    for (const auto& [worker, log] : given) move(log, -1);
    given.clear();
    for (const Said& one : said) {
      std::vector<double>& before = given[position(one.worker)];
      if (!before.empty()) move(before, -1);
      before = label_logs(one);
      move(before, 1);
      const double most = std::ranges::max(now);
      std::vector<double> shares(now.size());
      double sum = 0;
      for (std::size_t k = 0; k < now.size(); ++k) sum += shares[k] = std::exp(now[k] - most);
      for (double& share : shares) share /= sum;
      all.push_back(std::move(shares));
    }
    return all;
  });
}

Result<std::vector<AnswerRow>> Campaign::answers() {
  return impl_->look([&](Core& core) -> Result<std::vector<AnswerRow>> {
    const State& state = core.state();
    const std::size_t classes = state.options().classes.size();
    const std::vector<double> all = core.crowd().final_probabilities();
    std::vector<AnswerRow> rows;
    for (std::uint32_t i = 0; i < state.item_count(); ++i) {
      const ItemId item{i};
      if (state.truth(item)) continue;
      const std::span<const double> here(&all[i * classes], classes);
      const std::uint32_t best = best_class(here);
      std::uint32_t others = 0;
      for (const Share& share : state.shares(item)) {
        others += share.bond == Bond::labelled && position(share.label) != best;
      }
      const std::uint32_t labels = state.labels(item);
      rows.push_back({state.id(item),
                      ClassId{best},
                      {here.begin(), here.end()},
                      labels,
                      entropy(here),
                      labels == 0 ? 0 : static_cast<double>(others) / labels,
                      std::string(state.settled(item))});
    }
    return rows;
  });
}

Result<std::vector<WorkerRow>> Campaign::workers() {
  return impl_->look([&](Core& core) -> Result<std::vector<WorkerRow>> {
    const State& state = core.state();
    std::vector<std::pair<double, std::uint32_t>> agreed(state.worker_count());
    for (std::uint32_t i = 0; i < state.item_count(); ++i) {
      const ItemId item{i};
      if (state.truth(item) || state.labels(item) < 2) continue;
      std::vector<std::uint32_t> votes(state.options().classes.size());
      const auto shares = state.shares(item);
      for (const Share& share : shares) {
        if (share.bond == Bond::labelled) ++votes[position(share.label)];
      }
      for (const Share& share : shares) {
        if (share.bond != Bond::labelled) continue;
        auto& [same, all] = agreed[position(share.worker)];
        same += agreement_with_others(votes, position(share.label));
        ++all;
      }
    }
    std::vector<WorkerRow> rows;
    for (std::uint32_t j = 0; j < state.worker_count(); ++j) {
      const WorkerId worker{j};
      const WorkerFacts& facts = state[worker];
      const auto [mean, low, high] = interval(core.crowd().reliability(worker, facts.labels));
      WorkerRow row{state.name(worker),
                    facts,
                    facts.price.value_or(state.options().price),
                    mean,
                    low,
                    high,
                    {}};
      if (agreed[j].second > 0) {
        row.agreement = agreed[j].first / agreed[j].second;
      }
      rows.push_back(std::move(row));
    }
    return rows;
  });
}

Result<std::vector<Assignment>> Campaign::leases(std::string_view worker) {
  return impl_->look([&](Core& core) -> Result<std::vector<Assignment>> {
    const State& state = core.state();
    const auto who = state.find_worker(worker);
    std::vector<Assignment> all;
    if (!who) return all;
    for (const Lease& one : state.leases(*who)) {
      auto fields = TRY(impl_->content(one.item));
      const Why why = state.truth(one.item) ? Why::gold : Why::chosen;
      all.push_back({state.id(one.item), std::move(fields), one.price, one.expires, why});
    }
    return all;
  });
}

Result<Explanation> Campaign::explain(std::string_view item, std::string_view worker) {
  return impl_->look([&](Core& core) -> Result<Explanation> {
    const State& state = core.state();
    Batch nothing;
    const Work names(core, impl_->store(), impl_->name(), state.time(), nothing);
    const auto which = TRY(names.item(item));
    Explanation result{state.id(which),
                       state.shares(which),
                       core.crowd().probabilities(which),
                       state.pending(which),
                       std::string(state.settled(which)),
                       state.truth(which),
                       {},
                       {}};
    if (worker.empty()) return result;
    return names.worker(worker).map([&](WorkerId who) {
      result.value = core.desk().value({which, who});
      result.outlook = outlook(core.crowd(), {which, who});
      return result;
    });
  });
}

Result<std::vector<Ranked>> Campaign::ranking(std::string_view worker, std::uint32_t count) {
  return impl_->look([&](Core& core) -> Result<std::vector<Ranked>> {
    const State& state = core.state();
    Batch nothing;
    const Work names(core, impl_->store(), impl_->name(), state.time(), nothing);
    return names.worker(worker).map([&](WorkerId who) {
      policy::Desk& desk = core.desk();
      Rng rng(state.options().seed, Rng::Purpose::tie, state.sequence() + 1);
      policy::Withheld ranked(desk);
      std::vector<Ranked> all;
      while (all.size() < count) {
        const auto item = desk.choose(who, rng);
        if (!item) break;
        all.push_back({state.id(*item), desk.value({*item, who}), desk.crowd().probabilities(*item),
                       outlook(desk.crowd(), {*item, who})});
        ranked.add(*item);
      }
      return all;
    });
  });
}

Result<std::optional<std::pair<std::string, std::string>>> Campaign::whom_next() {
  using Found = std::optional<std::pair<std::string, std::string>>;
  return impl_->look([&](Core& core) -> Result<Found> {
    const State& state = core.state();
    const auto pair = core.pick_pair();
    if (!pair) return Found();
    return Found(std::pair(state.name(pair->worker), state.id(pair->item)));
  });
}

Result<void> Campaign::read(const std::function<void(const State&)>& visit) {
  return impl_->look([&](Core& core) -> Result<void> {
    visit(core.state());
    return {};
  });
}

Result<std::vector<Happened>> Campaign::events(std::uint64_t after, std::size_t most) {
  const auto records = TRY(impl_->store().read(impl_->name(), after, most));
  std::vector<Happened> events;
  events.reserve(records.size());
  for (const store::Record& record : records) {
    auto event = TRY(decode(record.kind, record.payload));
    events.push_back({record.sequence, Time(std::chrono::microseconds(record.time)), record.key,
                      std::move(event)});
  }
  return events;
}

Result<void> Campaign::replay(const std::function<void(const Happened&)>& visit) {
  std::uint64_t last = 0;
  while (true) {
    const auto some = TRY(events(last, kRecordsAtOnce));
    for (const Happened& one : some) visit(one);
    if (some.size() < kRecordsAtOnce) return {};
    last = some.back().sequence;
  }
}

Result<Verification> Campaign::verify() {
  return impl_->look(
      [&](Core& core) { return campaign::verify(impl_->store(), impl_->name(), core); });
}

Result<void> Campaign::save_snapshot() { return impl_->save_snapshot(); }

}  // namespace allot::campaign
