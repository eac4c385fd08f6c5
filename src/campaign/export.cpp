#include "allot/campaign/export.hpp"

#include <fmt/format.h>

#include <array>
#include <unordered_map>

#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "base/try.hpp"
#include "campaign/rows.hpp"
#include "io/row_text.hpp"

namespace allot::campaign {
namespace {

using io::Column;
using io::Kind;
using Row = std::vector<std::string>;

/// Events that are read, and rows that are written, at a time.
constexpr std::size_t kAtOnce = 2000;

std::string whole(std::uint64_t count) { return fmt::format("{}", count); }

/// Writes events as columns, with the names that the state knows.
class EventColumns {
 public:
  explicit EventColumns(const State& state) : state_(state) {}

  std::vector<EventRow> of(const Event& event) const {
    return std::visit([&](const auto& one) { return rows(one); }, event);
  }

 private:
  std::string item(ItemId id) const { return state_.id(id); }
  std::string worker(WorkerId id) const { return state_.name(id); }
  std::string label(ClassId id) const { return state_.options().classes[position(id)]; }

  std::vector<EventRow> rows(const Created& event) const {
    return {{.price = money_text(event.options.price),
             .detail = fmt::format(
                 "classes {}, budget {}, policy {}, seed {}", fmt::join(event.options.classes, "|"),
                 money_text(event.options.budget), event.options.policy, event.options.seed)}};
  }
  std::vector<EventRow> rows(const ItemsAdded& event) const {
    std::vector<EventRow> all;
    for (const NewItem& one : event.items) {
      EventRow row{.item = one.id};
      if (one.gold) row.label = label(*one.gold);
      if (one.price) row.price = money_text(*one.price);
      row.detail = fmt::format("{}", fmt::join(one.features, "|"));
      all.push_back(std::move(row));
    }
    return all;
  }
  std::vector<EventRow> rows(const WorkerJoined& event) const { return {{.worker = event.name}}; }
  std::vector<EventRow> rows(const WorkerPriced& event) const {
    return {{.worker = worker(event.worker), .price = money_text(event.price)}};
  }
  std::vector<EventRow> rows(const Leased& event) const {
    return {{.item = item(event.item),
             .worker = worker(event.worker),
             .price = money_text(event.price),
             .expires = time_text(event.expires),
             .detail = std::string(name(event.reason))}};
  }
  std::vector<EventRow> rows(const Answered& event) const {
    return {{.item = item(event.item),
             .worker = worker(event.worker),
             .label = label(event.label),
             .price = money_text(event.price),
             .detail = std::string(name(event.origin))}};
  }
  std::vector<EventRow> rows(const Revised& event) const {
    return {
        {.item = item(event.item), .worker = worker(event.worker), .label = label(event.label)}};
  }
  std::vector<EventRow> rows(const Settled& event) const {
    return {{.item = item(event.item), .detail = event.reason}};
  }
  std::vector<EventRow> rows(const BudgetChanged& event) const {
    return {{.price = money_text(event.budget)}};
  }
  std::vector<EventRow> rows(const Closed& event) const { return {{.detail = event.reason}}; }
  std::vector<EventRow> rows(const Paused& event) const { return {{.detail = event.reason}}; }
  std::vector<EventRow> rows(const Resumed&) const { return {{}}; }
  std::vector<EventRow> rows(const Skipped& event) const { return pair(event); }
  std::vector<EventRow> rows(const Released& event) const { return pair(event); }
  std::vector<EventRow> rows(const Expired& event) const { return pair(event); }
  template <typename EndOfLease>
  std::vector<EventRow> pair(const EndOfLease& event) const {
    return {{.item = item(event.item), .worker = worker(event.worker)}};
  }

  const State& state_;
};

}  // namespace

std::vector<EventRow> event_rows(const Event& event, const State& state) {
  return EventColumns(state).of(event);
}

std::optional<ExportKind> export_kind_named(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, ExportKind>, 5> kNames{
      {{"labels", ExportKind::labels},
       {"answers", ExportKind::answers},
       {"probabilities", ExportKind::probabilities},
       {"workers", ExportKind::workers},
       {"events", ExportKind::events}}};
  for (const auto& [known, value] : kNames) {
    if (known == name) return value;
  }
  return std::nullopt;
}

/// An export under way.
class ExportRows {
 public:
  explicit ExportRows(ExportFormat format) : format_(format) {}
  virtual ~ExportRows() = default;

  Result<std::optional<std::string>> next(const CampaignView& campaign) {
    std::string head;
    if (columns_.empty()) {
      columns_ = TRY(begin(campaign));
      if (format_ != ExportFormat::jsonl) head = io::csv_head(columns_);
    }
    text_ = std::move(head);
    return more(campaign).map([&](bool found) {
      return found || !text_.empty() ? std::optional(std::move(text_)) : std::nullopt;
    });
  }

 protected:
  virtual Result<std::vector<Column>> begin(const CampaignView& campaign) = 0;
  /// Writes some rows; false if none are left.
  virtual Result<bool> more(const CampaignView& campaign) = 0;

  void write(const Row& row) {
    text_ +=
        format_ == ExportFormat::jsonl ? io::json_row(columns_, row) + "\n" : io::csv_line(row);
  }
  bool crowd_kit() const { return format_ == ExportFormat::crowd_kit; }

 private:
  const ExportFormat format_;
  std::vector<Column> columns_;
  std::string text_;
};

namespace {

/// A list that is known at once and written row by row.
template <typename Entry>
class RowList : public ExportRows {
 public:
  using ExportRows::ExportRows;

 protected:
  Result<bool> more(const CampaignView&) override {
    const std::size_t end = std::min(at_ + kAtOnce, list_.size());
    if (at_ == end) return false;
    for (; at_ < end; ++at_) write(row(list_[at_]));
    return true;
  }
  virtual Row row(const Entry& one) const = 0;

  std::vector<Entry> list_;
  Options options_;

  Result<void> keep(const CampaignView& campaign, Result<std::vector<Entry>> list) {
    if (!list) return tl::unexpected(list.error());
    list_ = *std::move(list);
    return campaign.read([&](const State& state) { options_ = state.options(); });
  }

 private:
  std::size_t at_ = 0;
};

class Answers : public RowList<AnswerRow> {
 public:
  using RowList<AnswerRow>::RowList;

 private:
  Result<std::vector<Column>> begin(const CampaignView& campaign) override {
    return keep(campaign, campaign.answers()).map([&] {
      if (crowd_kit()) {
        return std::vector<Column>{{"task"}, {"agg_label"}, {"confidence", Kind::real}};
      }
      return answer_columns(options_);
    });
  }

  Row row(const AnswerRow& one) const override {
    if (!crowd_kit()) return answer_values(one, options_);
    const std::uint32_t answer = position(one.answer);
    return {one.item, options_.classes[answer], number_text(one.probabilities[answer])};
  }
};

class Probabilities : public RowList<AnswerRow> {
 public:
  using RowList<AnswerRow>::RowList;

 private:
  Result<std::vector<Column>> begin(const CampaignView& campaign) override {
    return keep(campaign, campaign.answers()).map([&] {
      std::vector<Column> columns{{crowd_kit() ? "task" : "item"}};
      add_class_columns(columns, "", options_.classes);
      return columns;
    });
  }
  Row row(const AnswerRow& one) const override {
    Row row{one.item};
    add_numbers(row, one.probabilities);
    return row;
  }
};

class Workers : public RowList<WorkerRow> {
 public:
  using RowList<WorkerRow>::RowList;

 private:
  Result<std::vector<Column>> begin(const CampaignView& campaign) override {
    return keep(campaign, campaign.workers()).map([&] {
      if (crowd_kit()) return std::vector<Column>{{"worker"}, {"skill", Kind::real}};
      return worker_columns();
    });
  }
  Row row(const WorkerRow& one) const override {
    if (crowd_kit()) return {one.worker, number_text(one.reliability)};
    return worker_values(one);
  }
};

/// Events up to the last one when the export began.
class Events {
 public:
  Result<void> begin(const CampaignView& campaign) {
    return campaign.read([&](const State& state) { until_ = state.sequence(); });
  }
  /// take(event, state) for the next few; false if there are none.
  template <typename Take>
  Result<bool> next(const CampaignView& campaign, Take take) {
    if (at_ == until_) return false;
    const auto events = TRY(campaign.events(at_, std::min<std::uint64_t>(kAtOnce, until_ - at_)));
    return campaign
        .read([&](const State& state) {
          for (const LedgerEntry& one : events) take(one, state);
        })
        .map([&] {
          at_ += events.size();
          return true;
        });
  }
  void rewind() { at_ = 0; }

 private:
  std::uint64_t at_ = 0, until_ = 0;
};

class EventList : public ExportRows {
 public:
  using ExportRows::ExportRows;

 private:
  Result<std::vector<Column>> begin(const CampaignView& campaign) override {
    return events_.begin(campaign).map([] {
      return std::vector<Column>{{"sequence", Kind::exact},
                                 {"time"},
                                 {"event"},
                                 {"key"},
                                 {"item"},
                                 {"worker"},
                                 {"label"},
                                 {"price", Kind::exact},
                                 {"expires"},
                                 {"detail"}};
    });
  }
  Result<bool> more(const CampaignView& campaign) override {
    return events_.next(campaign, [&](const LedgerEntry& one, const State& state) {
      for (EventRow& row : event_rows(one.event, state)) {
        write({whole(one.sequence), time_text(one.time), std::string(name(one.event)), one.key,
               row.item, row.worker, row.label, row.price, row.expires, row.detail});
      }
    });
  }

  Events events_;
};

/// Labels in the order in which they came, with their present values. The first pass over the
/// events finds revisions, the second writes.
class Labels : public ExportRows {
 public:
  using ExportRows::ExportRows;

 private:
  Result<std::vector<Column>> begin(const CampaignView& campaign) override {
    return events_.begin(campaign).map([&] {
      std::vector<Column> columns{{crowd_kit() ? "task" : "item"}, {"worker"}, {"label"}};
      if (crowd_kit()) return columns;
      columns.insert(columns.end(), {{"time"}, {"price", Kind::exact}, {"how"}, {"truth"}});
      return columns;
    });
  }
  Result<bool> more(const CampaignView& campaign) override {
    if (!writing_) {
      const auto found = events_.next(campaign, [&](const LedgerEntry& one, const State&) {
        if (const auto* revised = std::get_if<Revised>(&one.event)) {
          revised_[pair(revised->item, revised->worker)] = {revised->label, one.time};
        }
      });
      if (!found || *found) return found;
      writing_ = true;
      events_.rewind();
    }
    return events_.next(campaign, [&](const LedgerEntry& one, const State& state) {
      if (const auto* given = std::get_if<Answered>(&one.event)) add(*given, one.time, state);
    });
  }

  void add(const Answered& given, Time time, const State& state) {
    ClassId label = given.label;
    if (const auto now = revised_.find(pair(given.item, given.worker)); now != revised_.end()) {
      std::tie(label, time) = now->second;
    }
    const auto& classes = state.options().classes;
    Row row{state.id(given.item), state.name(given.worker), classes[position(label)]};
    if (!crowd_kit()) {
      const auto truth = state.items().gold(given.item);
      row.insert(row.end(),
                 {time_text(time), money_text(given.price), std::string(name(given.origin)),
                  truth ? classes[position(*truth)] : ""});
    }
    write(row);
  }

  static std::uint64_t pair(ItemId item, WorkerId worker) {
    return std::uint64_t{position(item)} << 32 | position(worker);
  }

  Events events_;
  bool writing_ = false;
  std::unordered_map<std::uint64_t, std::pair<ClassId, Time>> revised_;
};

}  // namespace

Export::Export(ExportKind what, ExportFormat format) {
  switch (what) {
    case ExportKind::labels:
      rows_ = std::make_unique<Labels>(format);
      break;
    case ExportKind::answers:
      rows_ = std::make_unique<Answers>(format);
      break;
    case ExportKind::probabilities:
      rows_ = std::make_unique<Probabilities>(format);
      break;
    case ExportKind::workers:
      rows_ = std::make_unique<Workers>(format);
      break;
    case ExportKind::events:
      rows_ = std::make_unique<EventList>(format);
      break;
  }
}

Export::~Export() = default;

Result<std::optional<std::string>> Export::next(const CampaignView& campaign) {
  return rows_->next(campaign);
}

}  // namespace allot::campaign
