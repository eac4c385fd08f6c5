#include "allot/campaign/view.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "allot/math/entropy.hpp"
#include "allot/model/best_class.hpp"
#include "campaign/earlier_request.hpp"

namespace allot::campaign {
namespace {

/// Probabilities of the classes of one item, valid until the next call.
using ItemBeliefs = std::function<std::span<const double>(ItemId)>;

/// The beliefs that answers and status report: those of now, or after a last refit.
ItemBeliefs beliefs_of(Core& core, Beliefs which) {
  const std::size_t classes = core.state().options().classes.size();
  if (which == Beliefs::present) {
    return [&core, here = std::vector<double>(classes)](ItemId item) mutable {
      core.stated(item, here);
      return std::span<const double>(here);
    };
  }
  return [all = core.final_stated(), classes](ItemId item) {
    return std::span(all).subspan(position(item) * classes, classes);
  };
}

/// Calibrated accuracy of the labelled items; verdicts count as right answers.
std::optional<model::AccuracyRange> calibrated_accuracy(Core& core, const ItemBeliefs& beliefs) {
  const State& state = core.state();
  std::vector<double> probabilities;
  std::vector<std::uint32_t> labels;
  std::uint32_t known = 0;
  for (std::uint32_t i = 0; i < state.item_count(); ++i) {
    const ItemId item{i};
    known += state.items().reviewed(item).has_value();
    if (state.items().known(item) || state.items().labels(item) == 0) continue;
    const std::span<const double> here = beliefs(item);
    probabilities.insert(probabilities.end(), here.begin(), here.end());
    labels.push_back(state.items().labels(item));
  }
  if (labels.empty()) return {};
  const model::AccuracyRange open = core.calibration().accuracy(probabilities, labels);
  const auto of_all = [&](double share) {
    const auto count = static_cast<double>(labels.size());
    return (share * count + known) / (count + known);
  };
  return model::AccuracyRange{of_all(open.mean), of_all(open.low), of_all(open.high)};
}

/// Items by whether they have an answer, with what is expected and known about them.
struct ItemSums {
  std::uint32_t items = 0, truths = 0, right = 0;
  double expected = 0;

  void add(std::span<const double> probabilities, std::optional<ClassId> truth) {
    ++items;
    expected += std::ranges::max(probabilities);
    truths += truth.has_value();
    right += truth == model::best_class(probabilities);
  }
  std::optional<double> mean() const {
    return items == 0 ? std::nullopt : std::optional(expected / items);
  }
  std::optional<double> accuracy() const {
    return truths == 0 ? std::nullopt : std::optional(static_cast<double>(right) / truths);
  }
};

/// Fills in what one pass over the items tells: how they finished, and how good answers are.
void summarise_items(const State& state, const ItemBeliefs& beliefs, Status& status) {
  std::map<std::string, std::uint32_t> reasons;
  ItemSums all, answered;
  for (std::uint32_t i = 0; i < state.item_count(); ++i) {
    const ItemId item{i};
    if (state.items().gold(item)) continue;
    const std::span<const double> probabilities = beliefs(item);
    const auto truth = state.items().truth(item);
    all.add(probabilities, truth);
    if (has_answer(state.items(), item)) answered.add(probabilities, truth);
    const std::string_view reason = state.items().finish_reason(item);
    if (!reason.empty()) ++reasons[std::string(reason)];
  }
  status.finished.assign(reasons.begin(), reasons.end());
  status.expected_accuracy = all.mean().value_or(1);
  status.accuracy = all.accuracy();
  status.answers = {.count = answered.items,
                    .unlabelled = all.items - answered.items,
                    .truths = answered.truths,
                    .expected_accuracy = answered.mean(),
                    .accuracy = answered.accuracy(),
                    .verified = status.known_answers > 0 || answered.truths > 0};
}

}  // namespace

Result<Status> CampaignView::status(bool with_bound, Beliefs which) const {
  return run_look(*source_, [&](Core& core, const State& state) -> Result<Status> {
    Status status{
        .phase = state.phase(),
        .reason = state.reason(),
        .archived = state.archived(),
        .started = state.started(),
        .last_event = state.time(),
        .budget = state.account().budget,
        .spent = state.account().spent,
        .reserved = state.account().reserved,
        .left = state.account().left(),
        .events = state.sequence(),
        .items = state.item_count(),
        .gold = static_cast<std::uint32_t>(state.items().gold_items().size()),
        .workers = state.worker_count(),
        .leases = state.leases().count(),
        .labels = state.label_counts().all,
        .gold_labels = state.label_counts().gold,
        .imported = state.label_counts().imported,
        .excluded = state.label_counts().excluded,
        .labels_by_day = {state.label_counts().by_day.begin(), state.label_counts().by_day.end()},
        .reviewed = static_cast<std::uint32_t>(state.verdicts().count()),
        .truths = state.items().truth_count()};
    const ItemBeliefs beliefs = beliefs_of(core, which);
    if (with_bound) status.bound = core.bound();
    if (with_bound) status.calibrated = calibrated_accuracy(core, beliefs);
    status.people_sample = core.people_progress();
    status.known_answers = core.calibration().known();
    summarise_items(state, beliefs, status);
    // The bound rests on the present beliefs.
    if (status.bound) status.bound = std::max(*status.bound, status.expected_accuracy);
    return status;
  });
}

Result<Board> CampaignView::board() const {
  return run_look(*source_, [&](Core& core, const State& state) -> Result<Board> {
    std::vector<Board::Item> items;
    items.reserve(state.item_count());
    for (std::uint32_t i = 0; i < state.item_count(); ++i) {
      const ItemId item{i};
      if (const auto truth = state.items().gold(item)) {
        items.push_back({1, *truth, state.items().labels(item)});
        continue;
      }
      const std::vector<double> here = core.stated(item);
      const ClassId best = model::best_class(here);
      const auto answer = has_answer(state.items(), item) ? std::optional(best) : std::nullopt;
      items.push_back({here[position(best)], answer, state.items().labels(item)});
    }
    return Board{state.sequence(), std::move(items)};
  });
}

Result<std::vector<std::vector<double>>> CampaignView::belief_history(
    ItemId item, std::span<const WorkerLabel> said) const {
  using History = std::vector<std::vector<double>>;
  return run_look(*source_, [&](Core& core, const State& state) -> Result<History> {
    const model::Crowd& crowd = core.crowd();
    History all;
    if (state.items().known(item) || crowd.has_soft_labels()) return all;
    // In logarithms: take the labels out of the present belief, then put them in
    // one by one.
    std::map<std::uint32_t, std::vector<double>> given;
    const auto logs = [](std::vector<double> values) {
      for (double& one : values) one = std::log(std::max(one, 1e-300));
      return values;
    };
    std::vector<double> now = logs(crowd.probabilities(item));
    const auto label_logs = [&](const WorkerLabel& one) {
      std::vector<double> chances(crowd.class_count(), 1);
      if (state[one.worker].standing != Standing::excluded)
        crowd.likelihood(one.worker, one.label, chances);
      return logs(std::move(chances));
    };
    const auto move = [&](const std::vector<double>& by, double sign) {
      for (std::size_t k = 0; k < now.size(); ++k) now[k] += sign * by[k];
    };
    for (const WorkerLabel& one : said) given[position(one.worker)] = label_logs(one);
    for (const auto& [worker, log] : given) move(log, -1);
    given.clear();
    for (const WorkerLabel& one : said) {
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

Result<std::vector<AnswerRow>> CampaignView::answers() const {
  return run_look(*source_, [&](Core& core, const State& state) -> Result<std::vector<AnswerRow>> {
    const std::size_t classes = state.options().classes.size();
    const std::vector<double> all = core.final_stated();
    std::vector<AnswerRow> rows;
    for (std::uint32_t i = 0; i < state.item_count(); ++i) {
      const ItemId item{i};
      if (state.items().gold(item)) continue;
      const std::span<const double> here(&all[i * classes], classes);
      const ClassId best = model::best_class(here);
      std::uint32_t others = 0;
      for (const Share& share : state.pairs().shares(item)) {
        others += share.status == PairStatus::labelled && share.label != best;
      }
      const std::uint32_t labels = state.items().labels(item);
      std::optional<ClassId> answer;
      std::optional<double> calibrated;
      if (has_answer(state.items(), item)) {
        answer = best;
        calibrated =
            state.items().reviewed(item) ? 1 : core.calibration().answer_probability(here, labels);
      }
      rows.push_back({state.id(item),
                      answer,
                      {here.begin(), here.end()},
                      calibrated,
                      labels,
                      math::entropy(here),
                      labels == 0 ? 0 : static_cast<double>(others) / labels,
                      std::string(state.items().finish_reason(item)),
                      {},
                      {}});
      if (const VerdictRecord* const verdict = state.verdicts().find(item)) {
        rows.back().reviewer = verdict->reviewer;
        rows.back().review_reason = verdict->reason;
      }
    }
    return rows;
  });
}

Result<KnownCalibration> CampaignView::known_calibration() const {
  return run_look(*source_, [&](Core& core, const State& state) -> Result<KnownCalibration> {
    const auto is_drawn = [](const auto& one) { return one.second.drawn; };
    const auto drawn = std::ranges::count_if(state.verdicts().all(), is_drawn);
    KnownCalibration known{.only_drawn = drawn >= static_cast<std::ptrdiff_t>(kEnoughDrawn),
                           .map = core.calibration()};
    for (const model::KnownAnswer& one : core.known_answers()) {
      known.items.push_back(
          {{one.probabilities.begin(), one.probabilities.end()}, one.labels, one.right});
    }
    return known;
  });
}

Result<AgreementLabels> CampaignView::agreement_labels() const {
  return run_look(*source_, [&](Core& core, const State& state) -> Result<AgreementLabels> {
    const Options& options = state.options();
    AgreementLabels result{.sample = options.agreement_sample,
                           .ordered = options.ordered,
                           .seed = options.seed,
                           .labels = {state.item_count(),
                                      state.worker_count(),
                                      static_cast<std::uint32_t>(options.classes.size()),
                                      {}}};
    const auto add = [&](ItemId item, std::uint32_t most) {
      for (const Share& share : state.pairs().shares(item)) {
        if (share.status != PairStatus::labelled) continue;
        if (most-- == 0) break;
        result.labels.labels.push_back({item, share.worker, share.label});
      }
    };
    if (!core.sample()) {
      for (std::uint32_t i = 0; i < state.item_count(); ++i)
        if (!state.items().gold(ItemId{i})) add(ItemId{i}, UINT32_MAX);
      return result;
    }
    for (const auto& [ticket, item] : core.sample()->items()) {
      ++result.sampled;
      if (state.items().labels(ItemId{item}) < core.sample()->labels()) continue;
      ++result.complete;
      add(ItemId{item}, core.sample()->labels());
    }
    return result;
  });
}

Result<std::vector<SessionRow>> CampaignView::sessions() const {
  return read([](const State& state) {
    const SessionTable& table = state.sessions();
    std::vector<SessionRow> rows;
    for (const Session& one : table.sessions()) {
      const RecruitingLink& link = table.links()[one.link];
      const std::string& worker = state.name(one.worker);
      rows.push_back({link.id, worker, worker.substr(worker.find(':') + 1), one,
                      state.known_right(one),
                      std::chrono::floor<std::chrono::seconds>(one.last - one.joined)});
    }
    return rows;
  });
}

Result<std::vector<Assignment>> CampaignView::leases(std::string_view worker) const {
  return run_look(*source_, [&](Core&, const State& state) -> Result<std::vector<Assignment>> {
    const auto who = state.find_worker(worker);
    std::vector<Assignment> all;
    if (!who) return all;
    for (const Lease& one : state.leases().of(*who)) {
      auto fields = TRY(source_->content(one.item));
      const LeaseReason reason =
          state.items().gold(one.item) ? LeaseReason::gold : LeaseReason::chosen;
      all.push_back({state.id(one.item), std::move(fields), one.price, one.expires, reason});
    }
    return all;
  });
}

Result<Explanation> CampaignView::explain(std::string_view item, std::string_view worker) const {
  return run_look(*source_, [&](Core& core, const State& state) -> Result<Explanation> {
    const auto which = TRY(item_named(state, item));
    Explanation result{state.id(which),
                       state.pairs().shares(which),
                       core.stated(which),
                       state.items().pending(which),
                       std::string(state.items().finish_reason(which)),
                       state.items().gold(which),
                       has_answer(state.items(), which),
                       {},
                       {}};
    if (worker.empty()) return result;
    return worker_named(state, worker).map([&](WorkerId who) {
      result.value = core.desk().value({which, who});
      result.outlook = outlook(core.crowd(), {which, who});
      return result;
    });
  });
}

Result<std::vector<RankedItem>> CampaignView::ranking(std::string_view worker,
                                                      std::uint32_t count) const {
  return run_look(*source_, [&](Core& core, const State& state) -> Result<std::vector<RankedItem>> {
    return worker_named(state, worker).map([&](WorkerId who) {
      policy::Desk& desk = core.desk();
      Rng rng(state.options().seed, Rng::Purpose::tie, state.sequence() + 1);
      policy::Withheld ranked(desk);
      std::vector<RankedItem> all;
      while (all.size() < count) {
        const auto item = desk.choose(who, rng);
        if (!item) break;
        all.push_back({state.id(*item), desk.value({*item, who}), desk.crowd().probabilities(*item),
                       outlook(desk.crowd(), {*item, who}), has_answer(state.items(), *item)});
        ranked.add(*item);
      }
      return all;
    });
  });
}

Result<std::optional<std::pair<std::string, std::string>>> CampaignView::whom_next() const {
  using Found = std::optional<std::pair<std::string, std::string>>;
  return run_look(*source_, [&](Core& core, const State& state) -> Result<Found> {
    const auto pair = core.pick_pair();
    if (!pair) return Found();
    return Found(std::pair(state.name(pair->worker), state.id(pair->item)));
  });
}

Result<bool> CampaignView::knows(std::string_view key) const {
  if (key.empty()) return false;
  return source_->find(key).map([](const auto& record) { return record.has_value(); });
}

Result<std::optional<std::string>> CampaignView::handed_under(std::string_view key) const {
  using Found = std::optional<std::string>;
  if (key.empty()) return Found();
  const auto record = TRY(source_->find(key));
  const auto lease = record ? event_in<Leased>(*record) : std::nullopt;
  if (!lease) return Found();
  return read([&](const State& state) { return Found(state.name(lease->worker)); });
}

Result<std::string> CampaignView::content(ItemId item) const { return source_->content(item); }

Result<void> CampaignView::visit_state(const std::function<void(const State&)>& visit) const {
  return source_->look([&](Core& core) { visit(core.state()); });
}

Result<std::vector<LedgerEntry>> CampaignView::events(std::uint64_t after, std::size_t most) const {
  const auto records = TRY(source_->read(after, most));
  std::vector<LedgerEntry> events;
  events.reserve(records.size());
  for (const store::Record& record : records) {
    auto event = TRY(decode(record.kind, record.payload));
    events.push_back({record.sequence, Time(std::chrono::microseconds(record.time)), record.key,
                      std::move(event)});
  }
  return events;
}

Result<void> CampaignView::replay(const std::function<void(const LedgerEntry&)>& visit) const {
  std::uint64_t last = 0;
  while (true) {
    const auto some = TRY(events(last, kRecordsAtOnce));
    for (const LedgerEntry& one : some) visit(one);
    if (some.size() < kRecordsAtOnce) return {};
    last = some.back().sequence;
  }
}

}  // namespace allot::campaign
