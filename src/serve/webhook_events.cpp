#include "serve/webhook_events.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "serve/json.hpp"

namespace allot::serve {
namespace {

using namespace campaign;

}  // namespace

std::string message_body(std::string_view type, Time time, const std::string& data) {
  return JsonObject().text("type", type).time("timestamp", time).json("data", data);
}

/// One event of a ledger on its way to messages. There is an overload for every event, so a new
/// event does not compile until somebody decides what webhooks tell about it.
class MessageWriter::Visit {
 public:
  Visit(MessageWriter& writer, const LedgerEntry& entry, const State& state,
        std::vector<Message>& messages)
      : writer_(writer), entry_(entry), state_(state), messages_(messages) {}

  void operator()(const Created& created) {
    writer_.budget_ = created.options.budget;
    writer_.price_ = created.options.price;
    writer_.limit_ = created.options.labels_per_item;
    writer_.stop_ = created.options.stop;
    check_budget();
  }
  void operator()(const ItemsAdded& added) {
    if (writer_.wants(Topic::item_settled)) {
      writer_.items_.resize(writer_.items_.size() + added.items.size());
    }
    std::optional<Money>& lowest = writer_.item_price_;
    for (const NewItem& item : added.items) {
      if (item.price) lowest = std::min(lowest.value_or(*item.price), *item.price);
    }
    check_budget();
  }
  void operator()(const WorkerJoined&) {}
  void operator()(const WorkerPriced& priced) {
    writer_.worker_prices_[priced.worker] = priced.price;
    check_budget();
  }
  void operator()(const Leased&) {}
  void operator()(const Answered& answered) {
    if (writer_.wants(Topic::label_created)) {
      tell(Topic::label_created,
           labelled(answered).money("price", answered.price).text("how", name(answered.origin)));
    }
    if (writer_.wants(Topic::item_settled) && writer_.is_filled_by(answered.item, state_)) {
      tell_settled(answered.item, "full");
    }
    writer_.spent_ += answered.price;
    check_budget();
  }
  void operator()(const Revised& revised) {
    if (!writer_.wants(Topic::label_created)) return;
    tell(Topic::label_created, labelled(revised).json("price", "0").text("how", "revised"));
  }
  void operator()(const Skipped& skipped) {
    if (skipped.paid == Money()) return;
    writer_.spent_ += skipped.paid;
    check_budget();
  }
  void operator()(const Released&) {}
  void operator()(const Expired& expired) {
    if (!writer_.wants(Topic::lease_expired)) return;
    tell(Topic::lease_expired,
         data().text("item", state_.id(expired.item)).text("worker", state_.name(expired.worker)));
  }
  void operator()(const Settled& settled) {
    const bool by_rule = settled.reason == kCertain;
    settle(settled.item, settled.reason,
           by_rule ? Progress::Settled::by_rule : Progress::Settled::by_hand);
  }
  void operator()(const Reviewed& reviewed) {
    for (const campaign::Verdict& one : reviewed.verdicts)
      settle(one.item, "reviewed", Progress::Settled::by_hand);
  }
  void operator()(const ReviewUndone&) {}
  void operator()(const Paused&) {}
  void operator()(const Resumed&) {}
  void operator()(const ModelChanged&) {}
  void operator()(const AuditStarted&) {}
  void operator()(const GoldStated&) {}
  void operator()(const RecruitingChanged&) {}
  void operator()(const SessionJoined&) {}
  void operator()(const Qualified&) {}
  void operator()(const SessionEnded&) {}
  void operator()(const PageChanged&) { tell_changed("page"); }
  void operator()(const ArchiveChanged& changed) {
    if (!writer_.wants(Topic::campaign_archived)) return;
    tell(Topic::campaign_archived, data().flag("archived", changed.archived));
  }
  void operator()(const OptionsChanged& changed) {
    tell_changed("options");
    writer_.limit_ = changed.options.labels_per_item;
    const policy::StopRules before = std::exchange(writer_.stop_, changed.options.stop);
    if (before != writer_.stop_) writer_.unsettle();
  }
  void operator()(const StandingChanged& changed) {
    bool& is_excluded = writer_.excluded_[changed.worker];
    const bool was_excluded = std::exchange(is_excluded, changed.standing == Standing::excluded);
    if (was_excluded != is_excluded) writer_.recount(changed.worker, is_excluded, state_);
    if (!writer_.wants(Topic::worker_changed)) return;
    tell(Topic::worker_changed, data()
                                    .text("worker", state_.name(changed.worker))
                                    .text("standing", name(changed.standing))
                                    .text_or_null("reason", changed.reason));
  }
  void operator()(const WorkerGrouped& grouped) {
    std::string& group = writer_.groups_[grouped.worker];
    const auto members = [&](const std::string& name) {
      const auto of_group = [&](const auto& one) { return one.second == name; };
      return name.empty() ? 0 : std::ranges::count_if(writer_.groups_, of_group);
    };
    const bool changes = members(group) > 1 || members(grouped.group) > 0;
    group = grouped.group;
    if (changes) writer_.unsettle();
  }
  void operator()(const WorkerVersioned&) {}
  void operator()(const ClockSetBack&) {}
  void operator()(const BudgetChanged& changed) {
    tell_changed("budget");
    writer_.budget_ = changed.budget;
    check_budget();
  }
  void operator()(const Closed& closed) {
    if (!writer_.wants(Topic::campaign_closed)) return;
    tell(Topic::campaign_closed, data().text_or_null("reason", closed.reason));
  }

 private:
  void settle(ItemId item, std::string_view reason, Progress::Settled how) {
    if (!writer_.wants(Topic::item_settled)) return;
    Progress& progress = writer_.items_[position(item)];
    if (!writer_.is_finished(progress)) tell_settled(item, reason);
    progress.settled = how;
  }
  JsonObject data() const {
    return JsonObject().text("campaign", writer_.campaign_).whole("sequence", entry_.sequence);
  }
  template <typename Label>
  JsonObject labelled(const Label& label) const {
    JsonObject members = data();
    members.text("item", state_.id(label.item))
        .text("worker", state_.name(label.worker))
        .text("label", state_.options().classes[position(label.label)]);
    if (label.confidence) members.json("confidence", fmt::format("{}", *label.confidence));
    return members;
  }

  void tell(Topic topic, const JsonObject& members) {
    const auto place = static_cast<std::size_t>(topic);
    const std::string type(kTopics[place]);
    messages_.push_back(
        {entry_.sequence, type, message_body(type, entry_.time, members), static_cast<int>(place)});
  }
  void tell_changed(std::string_view what) {
    if (writer_.wants(Topic::campaign_changed)) {
      tell(Topic::campaign_changed, data().text("what", what));
    }
  }
  void tell_settled(ItemId item, std::string_view reason) {
    tell(Topic::item_settled, data().text("item", state_.id(item)).text("reason", reason));
  }
  void check_budget() {
    if (!writer_.wants(Topic::budget_exhausted)) return;
    const bool is_exhausted = writer_.budget_ - writer_.spent_ < writer_.lowest_price();
    const bool was_exhausted = std::exchange(writer_.exhausted_, is_exhausted);
    if (!is_exhausted || was_exhausted) return;
    tell(Topic::budget_exhausted,
         data().money("budget", writer_.budget_).money("spent", writer_.spent_));
  }

  MessageWriter& writer_;
  const LedgerEntry& entry_;
  const State& state_;
  std::vector<Message>& messages_;
};

void MessageWriter::take(const LedgerEntry& entry, const State& state,
                         std::vector<Message>& messages) {
  std::visit(Visit(*this, entry, state, messages), entry.event);
}

bool MessageWriter::is_filled_by(ItemId item, const State& state) {
  if (state.items().gold(item)) return false;
  Progress& progress = items_[position(item)];
  const bool was_finished = is_finished(progress);
  ++progress.labels;
  return !was_finished && is_finished(progress);
}

void MessageWriter::recount(WorkerId worker, bool excluded, const State& state) {
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    if (state.items().gold(ItemId{i}) || !state.pairs().label(ItemId{i}, worker)) continue;
    std::uint32_t& labels = items_[i].labels;
    labels = excluded ? labels - std::min(labels, 1U) : labels + 1;
  }
  unsettle();
}

void MessageWriter::unsettle() {
  for (Progress& item : items_) {
    if (item.settled == Progress::Settled::by_rule) item.settled = Progress::Settled::no;
  }
}

Money MessageWriter::lowest_price() const {
  Money lowest = std::min(price_, item_price_.value_or(price_));
  for (const auto& [worker, price] : worker_prices_) lowest = std::min(lowest, price);
  return lowest;
}

}  // namespace allot::serve
