// Records answers, one by one or from files, and imports labels from elsewhere.
//
// A file with an invalid row (an unknown item or class) is refused as a whole. Rows that the
// campaign cannot accept (too late, another label before) are refused one by one, with their line.
#include <algorithm>
#include <tuple>

#include "allot/base/progress.hpp"
#include "allot/base/text.hpp"
#include "allot/campaign/state.hpp"
#include "allot/io/answer_file.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/label_files.hpp"
#include "cli/options.hpp"
#include "cli/progress_bar.hpp"

namespace allot::cli {
namespace {

using campaign::Answer;
using campaign::Outcome;
using campaign::State;
using io::AnswerRow;

/// Rows per transaction.
constexpr std::size_t kRowsAtOnce = 10'000;
/// Rows from which on a snapshot is saved, so that the next command opens quickly.
constexpr std::size_t kManyRows = 20'000;
constexpr std::size_t kMostNotes = 20;

struct AnswerFlags : CampaignFlags {
  std::optional<std::string> answers;              // a file, else a single answer:
  std::optional<std::string> item, worker, label;  // the worker also with a file
  std::optional<std::string> confidence;           // of the single answer
  FormatFlags input;
  bool revise = false;               // record
  bool skip_unknown = false;         // import
  std::string duplicates = "error";  // import
  std::optional<std::string> key;    // record
  std::optional<std::string> refused;
  std::string format = "table";
};

struct Refused {
  const AnswerRow* row;
  std::string reason;
};

/// Outcomes of the rows.
struct Tally {
  std::uint64_t recorded = 0, already = 0, revised = 0, unanswered = 0, unknown = 0;
  std::vector<Refused> refused = {};

  void count(Outcome outcome) {
    recorded += outcome == Outcome::recorded;
    already += outcome == Outcome::already;
    revised += outcome == Outcome::revised;
  }
};

/// A single answer from options, or the text of a file and how to read it.
struct AnswerSource {
  io::AnswerFile single = {};
  std::string text = {};
  io::LabelReading reading = {};
};

Result<AnswerSource> read_source(const AnswerFlags& flags) {
  if (flags.answers) {
    if (flags.item || flags.label || flags.confidence) {
      return invalid("{} cannot be combined with the file {}; expected one of them",
                     flags.item    ? "--item"
                     : flags.label ? "--label"
                                   : "--confidence",
                     in_quotes(*flags.answers));
    }
    AnswerSource source{.reading = TRY(read_format_rules(flags.input))};
    source.reading.worker = flags.worker;
    source.text = TRY(io::read_text_file(*flags.answers));
    return source;
  }
  const char* const missing = !flags.item     ? "--item"
                              : !flags.worker ? "--worker"
                              : !flags.label  ? "--label"
                                              : nullptr;
  if (missing) {
    return invalid("{} is missing; expected a file of answers, or --item, --worker and --label",
                   missing);
  }
  AnswerRow row{*flags.item, *flags.worker, *flags.label};
  if (flags.confidence) {
    row.confidence = static_cast<float>(
        TRY(read_number("--confidence", *flags.confidence, 0, 1, "a number from 0 to 1")));
  }
  return AnswerSource{.single = {{std::move(row)}, {}}};
}

/// The answers. A class of the campaign is a label even if it is called NA.
Result<io::AnswerFile> read_answers(AnswerSource source, const OpenCampaign& open,
                                    const AnswerFlags& flags) {
  if (!flags.answers) return source.single;
  source.reading.classes =
      TRY(open.read([](const State& state) { return state.options().classes; }));
  return in_file(*flags.answers, io::parse_answers(source.text, source.reading));
}

std::string at(const AnswerFlags& flags, const AnswerRow& row) {
  return flags.answers ? fmt::format("{}: line {}: ", file_name(*flags.answers), row.line) : "";
}

/// The mistake in a row; empty if there is none.
std::string mistake_in(const AnswerRow& row, const State& state, bool import) {
  if (const auto item = campaign::item_named(state, row.item); !item) return item.error().message;
  const auto label = campaign::class_named(state.options(), row.label);
  if (!label) return label.error().message;
  const auto sure = campaign::check_confidence(row.confidence);
  if (!sure) return sure.error().message;
  if (import) return "";
  const auto worker = campaign::worker_named(state, row.worker);
  return worker ? "" : worker.error().message;
}

/// Refuses two different labels of a worker for an item.
Result<void> check_contradictions(const std::vector<AnswerRow>& rows, const AnswerFlags& flags) {
  const auto pair = [](const AnswerRow* row) { return std::tie(row->item, row->worker); };
  std::vector<const AnswerRow*> order;
  for (const AnswerRow& row : rows) order.push_back(&row);
  std::ranges::stable_sort(order, {}, pair);
  for (std::size_t n = 1; n < order.size(); ++n) {
    const AnswerRow &before = *order[n - 1], &row = *order[n];
    if (pair(&before) != pair(&row) || before.label == row.label) continue;
    return invalid("{}worker {} labels item {} as {}, but as {} in line {}; expected one label",
                   at(flags, row), in_quotes(row.worker), in_quotes(row.item), in_quotes(row.label),
                   in_quotes(before.label), before.line);
  }
  return {};
}

/// The row of a group, all of one item and worker, that counts.
const AnswerRow* counting_row(std::span<const AnswerRow* const> group, io::Duplicates which) {
  if (which != io::Duplicates::majority)
    return which == io::Duplicates::first ? group.front() : group.back();
  const auto times = [&](const AnswerRow* one) {
    return std::ranges::count(group, one->label, [](const AnswerRow* row) { return row->label; });
  };
  return *std::ranges::max_element(group, {}, times);
}

/// Keeps one row per item and worker, in the order of the file; returns the number of the others.
std::size_t keep_one(std::vector<AnswerRow>& rows, io::Duplicates which) {
  const auto pair = [](const AnswerRow* row) { return std::tie(row->item, row->worker); };
  std::vector<const AnswerRow*> order;
  for (const AnswerRow& row : rows) order.push_back(&row);
  std::ranges::stable_sort(order, {}, pair);
  std::vector<bool> dropped(rows.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && pair(order[end]) == pair(order[begin])) ++end;
    const std::span group(&order[begin], end - begin);
    const AnswerRow* const kept = counting_row(group, which);
    for (const AnswerRow* const row : group)
      if (row != kept) dropped[static_cast<std::size_t>(row - rows.data())] = true;
  }
  std::size_t n = 0;
  return std::erase_if(rows, [&](const AnswerRow&) { return dropped[n++]; });
}

/// Refuses a file that has an invalid row. With `skip_unknown`, rows of unknown items are dropped
/// instead.
Result<void> check_rows(std::vector<AnswerRow>& rows, const OpenCampaign& open,
                        const AnswerFlags& flags, bool import, Tally& tally) {
  const std::string wrong = TRY(open.read([&](const State& state) -> std::string {
    if (flags.skip_unknown) {
      tally.unknown =
          std::erase_if(rows, [&](const AnswerRow& row) { return !state.find_item(row.item); });
    }
    for (const AnswerRow& row : rows) {
      std::string why = mistake_in(row, state, import);
      if (!why.empty()) return at(flags, row) + why;
    }
    return "";
  }));
  if (!wrong.empty()) return fail(ErrorCode::not_found, wrong);
  if (flags.revise) return {};  // the last label counts
  return check_contradictions(rows, flags);
}

/// The refusal of a row that contradicts a label, with the option that changes the label; empty for
/// other rows.
std::string contradiction(const AnswerRow& row, const State& state, bool import) {
  const auto item = state.find_item(row.item);
  const auto worker = state.find_worker(row.worker);
  if (!item || !worker || state.items().gold(*item)) return "";
  const auto label = state.pairs().label(*item, *worker);
  if (!label || class_name(state.options(), *label) == row.label) return "";
  return fmt::format(
      "worker {} already labelled item {} as {}; use {} to change it to {}", in_quotes(row.worker),
      in_quotes(row.item), in_quotes(class_name(state.options(), *label)),
      import ? "'allot campaign record --revise'" : "--revise", in_quotes(row.label));
}

/// Tells with refused rows that contradict a label how to change it.
Result<void> show_ways(const OpenCampaign& open, bool import, Tally& tally) {
  if (tally.refused.empty()) return {};
  return open.read([&](const State& state) {
    for (auto& [row, reason] : tally.refused) {
      const std::string text = contradiction(*row, state, import);
      if (!text.empty()) reason = text;
    }
  });
}

std::vector<Answer> answers_of(std::span<const AnswerRow> rows) {
  std::vector<Answer> answers;
  for (const AnswerRow& row : rows)
    answers.push_back({row.item, row.worker, row.label, {}, row.confidence});
  return answers;
}

/// Records rows in batches; each is on disk before the next begins.
Result<void> take(const std::vector<AnswerRow>& rows, const OpenCampaign& open,
                  const AnswerFlags& flags, bool import, Tally& tally) {
  Progress progress;
  progress.total = rows.size();
  const ProgressBar bar(import ? "importing" : "recording", progress);
  for (std::size_t begin = 0; begin < rows.size(); begin += kRowsAtOnce) {
    const std::span part(&rows[begin], std::min(kRowsAtOnce, rows.size() - begin));
    std::string key = flags.key.value_or("");
    if (!key.empty() && begin > 0) key += fmt::format("/{}", begin / kRowsAtOnce);
    const auto outcomes = import ? open->import(answers_of(part), open.now)
                                 : open->record(answers_of(part), open.now, flags.revise, key);
    for (std::size_t n = 0; n < part.size(); ++n) {
      if (outcomes[n]) {
        tally.count(*outcomes[n]);
      } else if (const ErrorCode code = outcomes[n].error().code;
                 code == ErrorCode::store_failure || code == ErrorCode::outcome_unknown ||
                 code == ErrorCode::internal) {
        return fail(code, begin == 0
                              ? outcomes[n].error().message
                              : fmt::format("{} (the first {} rows are done; the same command "
                                            "again goes on)",
                                            outcomes[n].error().message, begin));
      } else {
        tally.refused.push_back({&part[n], outcomes[n].error().message});
      }
    }
    progress.done += part.size();
  }
  // The snapshot only saves time, so a failure does not matter.
  if (rows.size() >= kManyRows) static_cast<void>(open->save_snapshot());
  return {};
}

std::string refused_csv(const Tally& tally) {
  DataTable table({{"item"}, {"worker"}, {"label"}, {"line", Kind::exact}, {"reason"}});
  for (const auto& [row, reason] : tally.refused)
    table.add({row->item, row->worker, row->label, fmt::format("{}", row->line), reason});
  return table.text(RowFormat::csv);
}

std::string tally_text(const Tally& tally, RowFormat format) {
  const std::vector<std::pair<const char*, std::uint64_t>> counts{
      {"recorded", tally.recorded},     {"already", tally.already},
      {"revised", tally.revised},       {"refused", tally.refused.size()},
      {"unanswered", tally.unanswered}, {"unknown", tally.unknown}};
  if (format == RowFormat::table) {
    std::string text;
    for (const auto& [name, count] : counts) {
      if (count == 0 && name != std::string_view("recorded")) continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
    }
    return text + "\n";
  }
  std::vector<Cell> cells;
  for (const auto& [name, count] : counts)
    cells.push_back({name, fmt::format("{}", count), Kind::exact});
  return record_text(cells, format);
}

Output output_of(const Tally& tally, const AnswerFlags& flags, RowFormat format) {
  Output output{tally_text(tally, format)};
  for (const auto& [row, reason] : tally.refused) {
    if (output.notes.size() == kMostNotes) {
      output.notes.push_back(fmt::format("... and {} more{}", tally.refused.size() - kMostNotes,
                                         flags.refused ? "" : " (--refused FILE writes all)"));
      break;
    }
    output.notes.push_back(at(flags, *row) + reason);
  }
  if (flags.refused) output.files.push_back({*flags.refused, refused_csv(tally)});
  output.status = tally.refused.empty() ? 0 : 2;
  return output;
}

Result<Output> take_in(const AnswerFlags& flags, bool import) {
  const auto format = TRY(read_row_format(flags.format));
  using enum io::Duplicates;
  const auto duplicates = TRY(read_choice<io::Duplicates>(
      "--duplicates", flags.duplicates,
      {{"error", error}, {"first", first}, {"last", last}, {"majority", majority}}));
  TRY(check_writable("--refused", flags.refused));
  auto source = TRY(read_source(flags));
  return changing(flags, [&](const OpenCampaign& open) -> Result<Output> {
    auto file = TRY(read_answers(std::move(source), open, flags));
    const std::size_t dropped =
        duplicates == io::Duplicates::error ? 0 : keep_one(file.rows, duplicates);
    Tally tally{.unanswered = file.left_out.missing};
    TRY(check_rows(file.rows, open, flags, import, tally));
    TRY(take(file.rows, open, flags, import, tally));
    TRY(show_ways(open, import, tally));
    // A refused single answer is an error of the command.
    if (!flags.answers && !tally.refused.empty())
      return fail(ErrorCode::conflict, tally.refused.front().reason);
    Output output = output_of(tally, flags, format);
    if (dropped > 0) {
      output.notes.push_back(fmt::format("{}: left out {} (--duplicates {})",
                                         file_name(*flags.answers),
                                         count_text(dropped, "repeated label"), flags.duplicates));
    }
    file.left_out.missing = 0;  // the tally has it
    if (const std::string text = left_out_text(file.left_out); !text.empty())
      output.notes.push_back(fmt::format("{}: {}", file_name(*flags.answers), text));
    return output;
  });
}

Result<Output> record_answers(const AnswerFlags& flags) { return take_in(flags, false); }

Result<Output> import_labels(const AnswerFlags& flags) { return take_in(flags, true); }

void add_answer_options(Command& command, AnswerFlags& flags) {
  command.add(
      "ANSWERS", &flags.answers,
      "File of answers, in any format that `allot formats` lists; `-` reads standard input");
  command.add("--item", &flags.item, "ID", "A single answer: its item");
  command.add("--worker", &flags.worker, "NAME",
              "A single answer: its worker; with a file: the worker of every row");
  command.add("--label", &flags.label, "CLASS", "A single answer: its label");
  command.add("--confidence", &flags.confidence, "P",
              "A single answer: how sure the worker is of it, from 0 to 1");
  add_format_options(command, flags.input);
  command.add("--confidence-column", &flags.input.columns.confidence, "COLUMN",
              "Column of a file that says how sure workers are of their labels, from 0 to 1");
  command.add("--refused", &flags.refused, "FILE", "Write refused rows and the reasons as CSV");
  add_format(command, flags.format);
}

void add_record_options(Command& command, AnswerFlags& flags) {
  add_answer_options(command, flags);
  command.add("--revise", &flags.revise,
              "Replace a label that the worker gave before, instead of refusing the new one");
  add_key(command, flags.key);
}

void add_import_options(Command& command, AnswerFlags& flags) {
  add_answer_options(command, flags);
  command.add("--skip-unknown", &flags.skip_unknown,
              "Skip labels of items that the campaign does not have");
  command.add(
      "--duplicates", &flags.duplicates, "RULE",
      "If a worker labels an item again: `error`, keep the `first` or `last` label, or that "
      "of the `majority`");
}

}  // namespace

std::vector<Command> record_commands() {
  return {campaign_command(
              "record", "Record the answers of workers", Access::write, record_answers,
              add_record_options,
              {"allot campaign record sentiment.db ann.csv",
               "allot campaign record sentiment.db --item review-17 --worker ann --label yes"},
              {"Rows without a label are skipped."}),
          campaign_command("import", "Import labels from elsewhere, free of charge", Access::write,
                           import_labels, add_import_options,
                           {"allot campaign import sentiment.db old-labels.csv"})};
}

}  // namespace allot::cli
