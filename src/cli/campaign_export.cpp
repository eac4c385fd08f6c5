// What a campaign holds, as files for other programs: labels, answers, workers, and every event.
#include <fmt/format.h>

#include <unordered_map>

#include "allot/base/text.hpp"
#include "allot/io/text_file.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/campaign_file.hpp"
#include "cli/campaign_rows.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace allot::cli {
namespace {

using campaign::Event;
using campaign::Time;

enum class ExportFormat { csv, jsonl, crowd_kit };

/// Names by number, as long as the file is read.
struct Names {
  std::vector<std::string> items, workers, classes;
  std::vector<std::string> truths;  // of items; empty if not known
};

Result<Names> names_of(const OpenCampaign& open) {
  return looked_at(open, [](const campaign::State& state) {
    Names names;
    names.classes = state.options().classes;
    for (std::uint32_t i = 0; i < state.item_count(); ++i) {
      names.items.push_back(state.id(ItemId{i}));
      const auto truth = state.truth(ItemId{i});
      names.truths.push_back(truth ? names.classes[position(*truth)] : "");
    }
    for (std::uint32_t j = 0; j < state.worker_count(); ++j)
      names.workers.push_back(state.name(WorkerId{j}));
    return names;
  });
}

const char* how_text(campaign::How how) {
  switch (how) {
    case campaign::How::leased:
      return "leased";
    case campaign::How::late:
      return "late";
    case campaign::How::imported:
      break;
  }
  return "imported";
}

const char* why_text(campaign::Why why) {
  switch (why) {
    case campaign::Why::chosen:
      return "chosen";
    case campaign::Why::gold:
      return "gold";
    case campaign::Why::waiting:
      break;
  }
  return "waiting";
}

/// A label as it stands now.
struct LabelRow {
  ItemId item;
  WorkerId worker;
  ClassId label;
  Time time;
  Money price;
  campaign::How how;
};

/// Every label in the order in which they came; a revised one keeps its place.
Result<std::vector<LabelRow>> labels_of(const OpenCampaign& open) {
  std::vector<LabelRow> rows;
  std::unordered_map<std::uint64_t, std::size_t> places;
  const auto pair = [](ItemId item, WorkerId worker) {
    return std::uint64_t{position(item)} << 32 | position(worker);
  };
  return open
      ->replay([&](const campaign::Happened& one) {
        const auto& [sequence, time, key, event] = one;
        if (const auto* given = std::get_if<campaign::Answered>(&event)) {
          places[pair(given->item, given->worker)] = rows.size();
          rows.push_back(
              {given->item, given->worker, given->label, time, given->price, given->how});
        } else if (const auto* revised = std::get_if<campaign::Revised>(&event)) {
          LabelRow& row = rows[places.at(pair(revised->item, revised->worker))];
          row.label = revised->label;
          row.time = time;
        }
      })
      .map([&] { return std::move(rows); });
}

Result<Sheet> label_sheet(const OpenCampaign& open, ExportFormat format) {
  const auto names = names_of(open);
  if (!names) return tl::unexpected(names.error());
  return labels_of(open).map([&](const std::vector<LabelRow>& rows) {
    const bool three = format == ExportFormat::crowd_kit;
    std::vector<Column> columns{{three ? "task" : "item"}, {"worker"}, {"label"}};
    if (!three) {
      for (Column column :
           {Column{"time"}, Column{"price", Kind::exact}, Column{"how"}, Column{"truth"}})
        columns.push_back(std::move(column));
    }
    Sheet sheet(columns);
    for (const LabelRow& one : rows) {
      std::vector<std::string> row{names->items[position(one.item)],
                                   names->workers[position(one.worker)],
                                   names->classes[position(one.label)]};
      if (!three) {
        row.push_back(time_text(one.time));
        row.push_back(money_text(one.price));
        row.emplace_back(how_text(one.how));
        row.push_back(names->truths[position(one.item)]);
      }
      sheet.add(std::move(row));
    }
    return sheet;
  });
}

/// task, agg_label, confidence.
Result<Sheet> crowd_kit_answers(const OpenCampaign& open, const std::vector<std::string>& classes) {
  return open->answers().map([&](const std::vector<campaign::AnswerRow>& answers) {
    Sheet sheet({{"task"}, {"agg_label"}, {"confidence", Kind::real}});
    for (const campaign::AnswerRow& one : answers) {
      const std::uint32_t answer = position(one.answer);
      sheet.add({one.item, classes[answer], number_text(one.probabilities[answer])});
    }
    return sheet;
  });
}

/// task and the probability of each class.
Result<Sheet> probability_sheet(const OpenCampaign& open, const std::vector<std::string>& classes,
                                ExportFormat format) {
  return open->answers().map([&](const std::vector<campaign::AnswerRow>& answers) {
    std::vector<Column> columns{{format == ExportFormat::crowd_kit ? "task" : "item"}};
    add_class_columns(columns, "", classes);
    Sheet sheet(columns);
    for (const campaign::AnswerRow& one : answers) {
      std::vector<std::string> row{one.item};
      add_numbers(row, one.probabilities);
      sheet.add(std::move(row));
    }
    return sheet;
  });
}

Result<Sheet> crowd_kit_workers(const OpenCampaign& open) {
  return open->workers().map([](const std::vector<campaign::WorkerRow>& workers) {
    Sheet sheet({{"worker"}, {"skill", Kind::real}});
    for (const campaign::WorkerRow& one : workers)
      sheet.add({one.worker, number_text(one.reliability)});
    return sheet;
  });
}

/// The columns of an event; most are empty for most.
struct EventRow {
  std::string item = {}, worker = {}, label = {}, price = {}, expires = {}, detail = {};
};

/// One row an event, one an item where items are added.
class EventRows {
 public:
  explicit EventRows(const Names& names) : names_(names) {}

  std::vector<EventRow> of(const Event& event) const {
    return std::visit([&](const auto& one) { return rows(one); }, event);
  }

 private:
  std::string item(ItemId id) const { return names_.items[position(id)]; }
  std::string worker(WorkerId id) const { return names_.workers[position(id)]; }
  std::string label(ClassId id) const { return names_.classes[position(id)]; }

  std::vector<EventRow> rows(const campaign::Created& event) const {
    return {{.price = money_text(event.options.price),
             .detail = fmt::format(
                 "classes {}, budget {}, policy {}, seed {}", fmt::join(event.options.classes, "|"),
                 money_text(event.options.budget), event.options.policy, event.options.seed)}};
  }
  std::vector<EventRow> rows(const campaign::ItemsAdded& event) const {
    std::vector<EventRow> all;
    for (const campaign::NewItem& one : event.items) {
      EventRow row{.item = one.id};
      if (one.truth) row.label = label(*one.truth);
      if (one.price) row.price = money_text(*one.price);
      row.detail = fmt::format("{}", fmt::join(one.features, "|"));
      all.push_back(std::move(row));
    }
    return all;
  }
  std::vector<EventRow> rows(const campaign::WorkerJoined& event) const {
    return {{.worker = event.name}};
  }
  std::vector<EventRow> rows(const campaign::WorkerPriced& event) const {
    return {{.worker = worker(event.worker), .price = money_text(event.price)}};
  }
  std::vector<EventRow> rows(const campaign::Leased& event) const {
    return {{.item = item(event.item),
             .worker = worker(event.worker),
             .price = money_text(event.price),
             .expires = time_text(event.expires),
             .detail = why_text(event.why)}};
  }
  std::vector<EventRow> rows(const campaign::Answered& event) const {
    return {{.item = item(event.item),
             .worker = worker(event.worker),
             .label = label(event.label),
             .price = money_text(event.price),
             .detail = how_text(event.how)}};
  }
  std::vector<EventRow> rows(const campaign::Revised& event) const {
    return {
        {.item = item(event.item), .worker = worker(event.worker), .label = label(event.label)}};
  }
  std::vector<EventRow> rows(const campaign::Settled& event) const {
    return {{.item = item(event.item), .detail = event.reason}};
  }
  std::vector<EventRow> rows(const campaign::BudgetChanged& event) const {
    return {{.price = money_text(event.budget)}};
  }
  std::vector<EventRow> rows(const campaign::Closed& event) const {
    return {{.detail = event.reason}};
  }
  std::vector<EventRow> rows(const campaign::Paused& event) const {
    return {{.detail = event.reason}};
  }
  template <typename Other>
  std::vector<EventRow> rows(const Other& event) const {
    if constexpr (requires { event.item; }) {  // skipped, released, expired
      return {{.item = item(event.item), .worker = worker(event.worker)}};
    } else {  // resumed
      return {{}};
    }
  }

  const Names& names_;
};

Result<Sheet> event_sheet(const OpenCampaign& open) {
  const auto names = names_of(open);
  if (!names) return tl::unexpected(names.error());
  const EventRows rows(*names);
  Sheet sheet({{"sequence", Kind::exact},
               {"time"},
               {"event"},
               {"key"},
               {"item"},
               {"worker"},
               {"label"},
               {"price", Kind::exact},
               {"expires"},
               {"detail"}});
  return open
      ->replay([&](const campaign::Happened& one) {
        const auto& [sequence, time, key, event] = one;
        for (EventRow& row : rows.of(event)) {
          sheet.add({fmt::format("{}", sequence), time_text(time),
                     std::string(campaign::name(event)), std::string(key), row.item, row.worker,
                     row.label, row.price, row.expires, row.detail});
        }
      })
      .map([&] { return std::move(sheet); });
}

Result<Sheet> sheet_of(const OpenCampaign& open, std::string_view what, ExportFormat format) {
  const bool crowd_kit = format == ExportFormat::crowd_kit;
  if (what == "labels") return label_sheet(open, format);
  if (what == "workers") return crowd_kit ? crowd_kit_workers(open) : worker_sheet(open);
  if (what == "events") return event_sheet(open);
  const auto classes = classes_of(open);
  if (!classes) return tl::unexpected(classes.error());
  if (what == "probabilities") return probability_sheet(open, *classes, format);
  return crowd_kit ? crowd_kit_answers(open, *classes) : answer_sheet(open);
}

}  // namespace

Result<Output> export_campaign(const CampaignFlags& where, const ExportFlags& flags) {
  using namespace std::string_view_literals;
  const auto what = read_choice<std::string_view, 5>("WHAT", flags.what,
                                                     {{{"labels", "labels"},
                                                       {"answers", "answers"},
                                                       {"probabilities", "probabilities"},
                                                       {"workers", "workers"},
                                                       {"events", "events"}}});
  if (!what) return tl::unexpected(what.error());
  const auto format = read_choice<ExportFormat, 3>("--format", flags.format,
                                                   {{{"csv", ExportFormat::csv},
                                                     {"jsonl", ExportFormat::jsonl},
                                                     {"crowd-kit", ExportFormat::crowd_kit}}});
  if (!format) return tl::unexpected(format.error());
  if (*format == ExportFormat::crowd_kit && *what == "events"sv) {
    return fail(ErrorCode::invalid_argument,
                "--format 'crowd-kit' has no form for events; expected csv or jsonl");
  }
  if (flags.output) {
    const auto writable = in_option("--output", io::check_writable(*flags.output));
    if (!writable) return tl::unexpected(writable.error());
  }
  return reading(where, [&](const OpenCampaign& open) {
    return sheet_of(open, *what, *format).map([&](const Sheet& sheet) {
      return delivered(
          sheet.text(*format == ExportFormat::jsonl ? RowFormat::jsonl : RowFormat::csv),
          flags.output);
    });
  });
}

}  // namespace allot::cli
