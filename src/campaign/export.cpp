#include "allot/campaign/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "allot/model/best_class.hpp"
#include "base/try.hpp"
#include "campaign/result_rows.hpp"
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

/// Time in view; empty if it is not known.
std::string seconds_text(const Remark& remark) {
  return remark.milliseconds > 0 ? number_text(remark.milliseconds / 1000.0) : "";
}

}  // namespace

std::string remark_text(const Remark& remark) {
  const bool both = !remark.reason.empty() && !remark.note.empty();
  return remark.reason + (both ? ": " : "") + remark.note;
}

std::string confidence_text(const std::optional<float>& confidence) {
  return confidence ? fmt::format("{}", *confidence) : "";
}

void add_class_columns(std::vector<Column>& columns, const std::string& prefix,
                       const std::vector<std::string>& classes) {
  for (const std::string& name : classes) columns.push_back({prefix + name, Kind::real});
}

void add_numbers(std::vector<std::string>& row, std::span<const double> numbers) {
  for (const double number : numbers) row.push_back(number_text(number));
}

std::vector<Column> answer_columns(const Options& options) {
  std::vector<Column> columns{{"item"},
                              {"answer"},
                              {"probability", Kind::real},
                              {"calibrated", Kind::real},
                              {"labels", Kind::exact},
                              {"entropy", Kind::real},
                              {"disagreement", Kind::real},
                              {"settled"},
                              {"reviewer"},
                              {"reason"},
                              {"status"}};
  if (options.ordered) columns.push_back({"expected_rank", Kind::real});
  add_class_columns(columns, "p_", options.classes);
  return columns;
}

std::string_view answer_status(const AnswerRow& one) {
  if (!one.answer) return "no label yet";
  return one.reviewer.empty() ? "labelled" : "reviewed";
}

std::vector<std::string> answer_values(const AnswerRow& one, const Options& options) {
  const auto about_answer = [&](const std::string& value) { return one.answer ? value : ""; };
  std::vector<std::string> row{
      one.item,
      one.answer ? class_name(options, *one.answer) : "",
      one.answer ? number_text(one.probabilities[position(*one.answer)]) : "",
      one.calibrated ? number_text(*one.calibrated) : "",
      whole(one.labels),
      number_text(one.entropy),
      about_answer(number_text(one.disagreement)),
      one.finish_reason,
      one.reviewer,
      one.review_reason,
      std::string(answer_status(one))};
  if (options.ordered) {
    row.push_back(about_answer(number_text(model::expected_rank(one.probabilities))));
  }
  add_numbers(row, one.probabilities);
  return row;
}

std::vector<Column> worker_columns() {
  return {{"worker"},
          {"labels", Kind::exact},
          {"at_hand", Kind::exact},
          {"skips", Kind::exact},
          {"reliability", Kind::real},
          {"low", Kind::real},
          {"high", Kind::real},
          {"agreement", Kind::real},
          {"gold", Kind::exact},
          {"gold_right", Kind::exact},
          {"reviewed", Kind::exact},
          {"reviewed_right", Kind::exact},
          {"price", Kind::exact},
          {"spent", Kind::exact},
          {"standing"},
          {"reason"},
          {"answer_agreement", Kind::real},
          {"seconds", Kind::real},
          {"pay_per_hour", Kind::exact},
          {"too_fast", Kind::exact},
          {"group"},
          {"abstained", Kind::exact},
          {"version"},
          {"follows"}};
}

std::vector<std::string> worker_values(const WorkerRow& one) {
  return {one.worker,
          whole(one.facts.labels),
          whole(one.facts.leases),
          whole(one.facts.skips),
          number_text(one.reliability),
          number_text(one.low),
          number_text(one.high),
          one.agreement ? number_text(*one.agreement) : "",
          whole(one.facts.gold),
          whole(one.facts.gold_right),
          whole(one.facts.reviewed),
          whole(one.facts.reviewed_right),
          money_text(one.price),
          money_text(one.facts.spent),
          std::string(name(one.facts.standing)),
          one.facts.standing_reason,
          one.answer_agreement ? number_text(*one.answer_agreement) : "",
          one.seconds ? number_text(*one.seconds) : "",
          one.pay_per_hour ? money_text(*one.pay_per_hour) : "",
          one.too_fast ? "true" : "false",
          one.facts.group,
          whole(one.facts.abstained),
          one.facts.version,
          one.follows};
}

namespace {

using Write = std::function<void(const Row&)>;
/// Columns, and a function that writes some rows; it returns false if none are left.
struct Table {
  std::vector<Column> columns;
  std::function<Result<bool>(const CampaignView&, const Write&)> more;
  /// Whether a CSV file has no line with the names of columns.
  bool is_headless = false;
};

/// Rounded to hundredths.
std::int64_t cents(Money amount) { return (amount.in_billionths() + 5'000'000) / 10'000'000; }

/// A list that is known at once and written row by row.
template <typename Entry, typename ToRow>
Table list(std::vector<Column> columns, std::vector<Entry> entries, ToRow to_row) {
  return {std::move(columns), [entries = std::move(entries), to_row, at = std::size_t{0}](
                                  const CampaignView&, const Write& write) mutable {
            const std::size_t end = std::min(at + kAtOnce, entries.size());
            if (at == end) return false;
            for (; at < end; ++at) write(to_row(entries[at]));
            return true;
          }};
}

Result<Options> options_of(const CampaignView& campaign) {
  return campaign.read([](const State& state) { return state.options(); });
}

/// That library has no row for a task without a label.
void leave_answers_only(std::vector<AnswerRow>& rows) {
  std::erase_if(rows, [](const AnswerRow& one) { return !one.answer; });
}

Result<Table> answers(const CampaignView& campaign, bool crowd_kit) {
  auto answers = TRY(campaign.answers());
  const Options options = TRY(options_of(campaign));
  if (!crowd_kit) {
    return list(answer_columns(options), std::move(answers),
                [options](const AnswerRow& one) { return answer_values(one, options); });
  }
  leave_answers_only(answers);
  return list({{"task"}, {"agg_label"}, {"confidence", Kind::real}}, std::move(answers),
              [options](const AnswerRow& one) {
                return Row{one.item, class_name(options, *one.answer),
                           number_text(one.probabilities[position(*one.answer)])};
              });
}

Result<Table> probabilities(const CampaignView& campaign, bool crowd_kit) {
  auto answers = TRY(campaign.answers());
  if (crowd_kit) leave_answers_only(answers);
  std::vector<Column> columns{{crowd_kit ? "task" : "item"}};
  add_class_columns(columns, "", TRY(options_of(campaign)).classes);
  return list(std::move(columns), std::move(answers), [](const AnswerRow& one) {
    Row row{one.item};
    add_numbers(row, one.probabilities);
    return row;
  });
}

Result<Table> workers(const CampaignView& campaign, bool crowd_kit) {
  auto workers = TRY(campaign.workers());
  if (!crowd_kit) return list(worker_columns(), std::move(workers), worker_values);
  return list({{"worker"}, {"skill", Kind::real}}, std::move(workers), [](const WorkerRow& one) {
    return Row{one.worker, number_text(one.reliability)};
  });
}

Result<Table> kinds(const CampaignView& campaign, bool) {
  return list(kind_columns(), TRY(campaign.kinds()), kind_values);
}

std::string parameters_text(const SessionParameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) {
    text += fmt::format("{}{}={}", text.empty() ? "" : "&", name, value);
  }
  return text;
}

Row session_values(const SessionRow& one) {
  const Session& session = one.session;
  return {one.link,
          one.worker,
          one.id,
          session.name,
          session.outcome ? std::string(name(*session.outcome)) : "open",
          time_text(session.joined),
          whole(static_cast<std::uint64_t>(one.seconds.count())),
          whole(session.labels),
          whole(session.skipped.size()),
          whole(session.tried),
          whole(session.known.size()),
          whole(one.known_right),
          money_text(session.earned),
          parameters_text(session.parameters)};
}

Result<Table> sessions(const CampaignView& campaign, bool) {
  return list({{"link"},
               {"worker"},
               {"id"},
               {"session"},
               {"outcome"},
               {"joined"},
               {"seconds", Kind::exact},
               {"labels", Kind::exact},
               {"skipped", Kind::exact},
               {"qualification", Kind::exact},
               {"known", Kind::exact},
               {"known_right", Kind::exact},
               {"owed", Kind::exact},
               {"parameters"}},
              TRY(campaign.sessions()), session_values);
}

/// Amounts owed by participant, in hundredths, as bulk payments take them: no line of names.
Result<Table> bonuses(const CampaignView& campaign, bool) {
  std::vector<std::pair<std::string, Money>> owed;
  std::map<std::string, std::size_t> places;
  for (const SessionRow& one : TRY(campaign.sessions())) {
    const auto [place, is_new] = places.try_emplace(one.worker, owed.size());
    if (is_new) owed.emplace_back(one.id, Money());
    owed[place->second].second += one.session.earned;
  }
  std::erase_if(owed, [](const auto& one) { return cents(one.second) == 0; });
  Table table = list({{"id"}, {"amount", Kind::exact}}, std::move(owed), [](const auto& one) {
    return Row{one.first,
               fmt::format("{}.{:02}", cents(one.second) / 100, cents(one.second) % 100)};
  });
  table.is_headless = true;
  return table;
}

Result<Table> results(const CampaignView& campaign, bool) {
  auto rows = TRY(ResultRows::begin(campaign));
  std::vector<Column> columns = rows.columns();
  return Table{std::move(columns),
               [rows = std::move(rows)](const CampaignView& now, const Write& write) mutable {
                 return rows.more(now, kAtOnce, write);
               }};
}

/// Events up to the last one when the export began.
class Events {
 public:
  static Result<Events> begin(const CampaignView& campaign) {
    return campaign.read([](const State& state) { return Events(state.sequence()); });
  }
  /// take(event, state) for the next few; false if there are none.
  template <typename Take>
  Result<bool> next(const CampaignView& campaign, Take take) {
    if (at_ == until_) return false;
    const auto events = TRY(campaign.events(at_, std::min<std::uint64_t>(kAtOnce, until_ - at_)));
    TRY(campaign.read([&](const State& state) {
      for (const LedgerEntry& one : events) take(one, state);
    }));
    at_ += events.size();
    return true;
  }
  void rewind() { at_ = 0; }

 private:
  explicit Events(std::uint64_t until) : until_(until) {}
  std::uint64_t at_ = 0, until_;
};

Result<Table> events(const CampaignView& campaign, bool) {
  std::vector<Column> columns{
      {"sequence", Kind::exact}, {"time"},    {"event"}, {"key"}, {"item"}, {"worker"}, {"label"},
      {"price", Kind::exact},    {"expires"}, {"detail"}};
  const auto more = [events = TRY(Events::begin(campaign))](const CampaignView& now,
                                                            const Write& write) mutable {
    return events.next(now, [&](const LedgerEntry& one, const State& state) {
      for (const EventRow& row : event_rows(one.event, state)) {
        write({whole(one.sequence), time_text(one.time), std::string(name(one.event)), one.key,
               row.item, row.worker, row.label, row.price, row.expires, row.detail});
      }
    });
  };
  return Table{std::move(columns), more};
}

/// Labels in the order in which they came, with their present values. The first pass over the
/// events finds revisions, the second writes. crowd-kit files have no column that could say that a
/// label is excluded, and leave it out.
class Labels {
 public:
  Labels(Events events, bool crowd_kit) : events_(events), crowd_kit_(crowd_kit) {}

  Result<bool> more(const CampaignView& campaign, const Write& write) {
    if (!writing_) {
      const bool found = TRY(events_.next(campaign, [&](const LedgerEntry& one, const State&) {
        if (const auto* revised = std::get_if<Revised>(&one.event)) {
          revised_[{revised->item, revised->worker}] = {*revised, one.time};
        }
      }));
      if (found) return true;
      writing_ = true;
      events_.rewind();
    }
    return events_.next(campaign, [&](const LedgerEntry& one, const State& state) {
      const auto* given = std::get_if<Answered>(&one.event);
      if (given == nullptr) return;
      const bool counts = state[given->worker].standing != Standing::excluded;
      if (counts || !crowd_kit_) write(row_of(*given, one.time, state));
    });
  }

 private:
  Row row_of(const Answered& given, Time time, const State& state) const {
    ClassId label = given.label;
    std::optional<float> confidence = given.confidence;
    if (const auto now = revised_.find({given.item, given.worker}); now != revised_.end()) {
      label = now->second.first.label;
      confidence = now->second.first.confidence;
      time = now->second.second;
    }
    const Options& options = state.options();
    Row row{state.id(given.item), state.name(given.worker), class_name(options, label)};
    if (crowd_kit_) return row;
    const auto truth = state.items().known(given.item);
    row.insert(
        row.end(),
        {time_text(time), money_text(given.price), std::string(name(given.origin)),
         truth ? class_name(options, *truth) : "", seconds_text(given.remark), given.remark.note,
         state[given.worker].standing == Standing::excluded ? "false" : "true",
         confidence_text(confidence)});
    return row;
  }

  Events events_;
  const bool crowd_kit_;
  bool writing_ = false;
  std::map<std::pair<ItemId, WorkerId>, std::pair<Revised, Time>> revised_;
};

Result<Table> labels(const CampaignView& campaign, bool crowd_kit) {
  std::vector<Column> columns{{crowd_kit ? "task" : "item"}, {"worker"}, {"label"}};
  if (!crowd_kit) {
    columns.insert(columns.end(), {{"time"},
                                   {"price", Kind::exact},
                                   {"how"},
                                   {"truth"},
                                   {"seconds", Kind::real},
                                   {"note"},
                                   {"counts", Kind::exact},
                                   {"confidence", Kind::real}});
  }
  Labels labels(TRY(Events::begin(campaign)), crowd_kit);
  return Table{std::move(columns),
               [labels = std::move(labels)](const CampaignView& now, const Write& write) mutable {
                 return labels.more(now, write);
               }};
}

/// Items that workers skipped, in order.
Result<Table> skips(const CampaignView& campaign, bool) {
  const auto more = [events = TRY(Events::begin(campaign))](const CampaignView& now,
                                                            const Write& write) mutable {
    return events.next(now, [&](const LedgerEntry& one, const State& state) {
      const auto* const skip = std::get_if<Skipped>(&one.event);
      if (skip == nullptr) return;
      write({state.id(skip->item), state.name(skip->worker), time_text(one.time),
             skip->remark.reason, skip->remark.note, seconds_text(skip->remark),
             money_text(skip->paid)});
    });
  };
  return Table{{{"item"},
                {"worker"},
                {"time"},
                {"reason"},
                {"note"},
                {"seconds", Kind::real},
                {"price", Kind::exact}},
               more};
}

/// In the order of ExportKind.
struct NamedTable {
  std::string_view name;
  Result<Table> (*begin)(const CampaignView& campaign, bool crowd_kit);
};
constexpr std::array<NamedTable, 10> kTables{{{"labels", labels},
                                              {"answers", answers},
                                              {"probabilities", probabilities},
                                              {"workers", workers},
                                              {"events", events},
                                              {"sessions", sessions},
                                              {"bonuses", bonuses},

                                              {"skips", skips},
                                              {"results", results},
                                              {"kinds", kinds}}};

}  // namespace

std::optional<ExportKind> export_kind_named(std::string_view name) {
  const auto known = std::ranges::find(kTables, name, &NamedTable::name);
  if (known == kTables.end()) return std::nullopt;
  return static_cast<ExportKind>(known - kTables.begin());
}

/// An export under way.
struct ExportRows {
  ExportKind what;
  ExportFormat format;
  std::optional<Table> table = {};  // none before the first piece
};

Export::Export(ExportKind what, ExportFormat format) : rows_(new ExportRows{what, format}) {}
Export::~Export() = default;

Result<std::optional<std::string>> Export::next(const CampaignView& campaign) {
  auto& [what, format, table] = *rows_;
  const bool json = format == ExportFormat::jsonl;
  std::string text;
  if (!table) {
    const auto begin = kTables[static_cast<std::size_t>(what)].begin;
    table = TRY(begin(campaign, format == ExportFormat::crowd_kit));
    if (!json && !table->is_headless) text = io::csv_head(table->columns);
  }
  const bool found = TRY(table->more(campaign, [&](const Row& row) {
    text += json ? io::json_row(table->columns, row) + "\n" : io::csv_line(row);
  }));
  return found || !text.empty() ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace allot::campaign
