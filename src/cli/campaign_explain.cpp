// Explains why an item is asked or not, and which item is next.
#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "allot/model/best_class.hpp"
#include "base/try.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/campaign_file.hpp"
#include "cli/campaign_tables.hpp"
#include "cli/formats.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

using campaign::Explanation;
using campaign::LabelOutcome;
using campaign::PairStatus;
using campaign::RankedItem;
using Classes = std::vector<std::string>;

struct ExplainFlags {
  std::optional<std::string> item, worker;
  bool next = false;
  std::string count = "5";
  RowFlags rows;
};

double best(std::span<const double> probabilities) { return std::ranges::max(probabilities); }

std::string answer_of(std::span<const double> probabilities, const Classes& classes) {
  return classes[position(model::best_class(probabilities))];
}

/// Columns about the effect of each label.
void add_outlook_columns(std::vector<Column>& columns, const Classes& classes) {
  add_class_columns(columns, "chance_", classes);
  add_class_columns(columns, "then_", classes);
}

/// Probability of each label, and of the answer after it.
void add_outlook(std::vector<std::string>& row, const std::vector<LabelOutcome>& outlook,
                 std::size_t class_count) {
  if (outlook.empty()) {
    row.resize(row.size() + 2 * class_count);
    return;
  }
  for (const LabelOutcome& outcome : outlook) row.push_back(number_text(outcome.chance));
  for (const LabelOutcome& outcome : outlook)
    row.push_back(number_text(best(outcome.probabilities)));
}

std::string outlook_table(const std::vector<LabelOutcome>& outlook, const Classes& classes) {
  Table table({"label", "chance", "answer then", "probability then"});
  for (std::size_t c = 0; c < outlook.size(); ++c) {
    const auto& then = outlook[c].probabilities;
    table.add({classes[c], fmt::format("{:.4f}", outlook[c].chance), answer_of(then, classes),
               fmt::format("{:.4f}", best(then))});
  }
  return table.text();
}

/// A worker who had an item, and their label or what else happened.
struct Part {
  std::string worker, what;
};

std::string part_text(PairStatus bond) {
  switch (bond) {
    case PairStatus::leased:
      return "has leased it";
    case PairStatus::lapsed:
      return "lease expired";
    case PairStatus::skipped:
      return "skipped it";
    default:
      return "";
  }
}

Result<std::vector<Part>> parts_of(const OpenCampaign& open, const Explanation& why) {
  return state_value(open, [&](const campaign::State& state) {
    std::vector<Part> parts;
    for (const campaign::Share& share : why.shares) {
      parts.push_back(
          {state.name(share.worker), share.status == PairStatus::labelled
                                         ? state.options().classes[position(share.label)]
                                         : part_text(share.status)});
    }
    return parts;
  });
}

/// Why the item is asked or not, in one sentence.
std::string standing(const Explanation& why, const Classes& classes) {
  if (why.gold) {
    return fmt::format("gold item with the answer {}: it tests workers",
                       classes[position(*why.gold)]);
  }
  if (!why.finish_reason.empty())
    return fmt::format("settled: {}; no more labels are bought", why.finish_reason);
  if (why.pending > 0) {
    return fmt::format("open; {} leased it", why.pending == 1
                                                 ? "one worker has"
                                                 : fmt::format("{} workers have", why.pending));
  }
  return "open";
}

std::string probabilities_text(std::span<const double> probabilities, const Classes& classes) {
  std::vector<std::string> parts;
  for (std::size_t c = 0; c < classes.size(); ++c)
    parts.push_back(fmt::format("{} {:.4f}", classes[c], probabilities[c]));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string item_table(const Explanation& why, const std::vector<Part>& parts,
                       const Classes& classes, const std::optional<std::string>& worker) {
  std::string text =
      fmt::format("Item {}: {}\n\n  {}\n", in_quotes(why.item), standing(why, classes),
                  probabilities_text(why.probabilities, classes));
  if (!parts.empty()) {
    Table table({"worker", "label"});
    for (const Part& part : parts) table.add({part.worker, part.what});
    text += "\n" + table.text();
  }
  if (why.outlook.empty()) return text;
  return text + fmt::format("\nA label of worker {} (index {:.6g})\n\n{}", in_quotes(*worker),
                            why.value.value_or(0), outlook_table(why.outlook, classes));
}

std::uint64_t labels_of(const Explanation& why) {
  return static_cast<std::uint64_t>(
      std::ranges::count(why.shares, PairStatus::labelled, &campaign::Share::status));
}

std::string parts_json(const std::vector<Part>& parts) {
  std::vector<std::string> objects;
  for (const Part& part : parts) {
    objects.push_back(
        json_object({{"worker", json_string(part.worker)}, {"label", json_string(part.what)}}));
  }
  return json_array(objects);
}

std::string item_rows(const Explanation& why, const std::vector<Part>& parts,
                      const Classes& classes, const std::optional<std::string>& worker,
                      RowFormat format) {
  std::vector<Column> columns{{"item"},
                              {"truth"},
                              {"settled"},
                              {"labels", Kind::exact},
                              {"pending", Kind::exact},
                              {"worker"},
                              {"index", Kind::real}};
  add_class_columns(columns, "p_", classes);
  add_outlook_columns(columns, classes);
  std::vector<std::string> row{why.item,
                               why.gold ? classes[position(*why.gold)] : "",
                               why.finish_reason,
                               fmt::format("{}", labels_of(why)),
                               fmt::format("{}", why.pending),
                               worker.value_or(""),
                               why.value ? number_text(*why.value) : ""};
  add_numbers(row, why.probabilities);
  add_outlook(row, why.outlook, classes.size());
  if (format != RowFormat::csv) {
    columns.push_back({"shares", Kind::json});
    row.push_back(parts_json(parts));
  }
  DataTable table(columns);
  table.add(std::move(row));
  return table.text(format == RowFormat::json ? RowFormat::jsonl : format);
}

DataTable ranking_data(const std::vector<RankedItem>& ranking, const Classes& classes) {
  std::vector<Column> columns{{"item"}, {"index", Kind::real}};
  add_class_columns(columns, "p_", classes);
  add_outlook_columns(columns, classes);
  DataTable table(columns);
  for (const RankedItem& ranked : ranking) {
    std::vector<std::string> row{ranked.item, number_text(ranked.value)};
    add_numbers(row, ranked.probabilities);
    add_outlook(row, ranked.outlook, classes.size());
    table.add(std::move(row));
  }
  return table;
}

std::string ranking_table(const std::vector<RankedItem>& ranking, const Classes& classes,
                          const std::string& worker, const std::string& policy) {
  const RankedItem& first = ranking.front();
  std::string text =
      fmt::format("Worker {} would be asked about item {}: its {} index, {:.4g}, is the largest",
                  in_quotes(worker), in_quotes(first.item), policy, first.value);
  if (ranking.size() > 1) {
    const double ahead = first.value - ranking[1].value;
    text += ahead > 0 ? fmt::format(", {:.3g} ahead of {}", ahead, in_quotes(ranking[1].item))
                      : fmt::format(", equal to that of {}; the tie rule decides",
                                    in_quotes(ranking[1].item));
  }
  text += fmt::format("\n\n{}\n", outlook_table(first.outlook, classes));
  Table table({"item", "index", "behind", "answer", "probability"});
  for (const RankedItem& ranked : ranking) {
    table.add({ranked.item, fmt::format("{:.6g}", ranked.value),
               fmt::format("{:.3g}", first.value - ranked.value),
               answer_of(ranked.probabilities, classes),
               fmt::format("{:.4f}", best(ranked.probabilities))});
  }
  return text + table.text();
}

/// The worker of --worker, else the one whom the policy would ask.
Result<std::string> worker_asked(const OpenCampaign& open, const ExplainFlags& flags) {
  if (flags.worker) return *flags.worker;
  const auto pair = TRY(open->view().whom_next());
  if (pair) return pair->first;
  return fail(ErrorCode::not_found,
              "no worker can be asked; expected --worker with one who has had an item");
}

Result<std::string> explain_next(const OpenCampaign& open, const ExplainFlags& flags,
                                 std::uint32_t count, RowFormat format) {
  const auto worker = TRY(worker_asked(open, flags));
  const auto options =
      state_value(open, [](const campaign::State& state) { return state.options(); });
  if (!options) return tl::unexpected(options.error());
  const auto ranking = TRY(open->view().ranking(worker, count));
  if (ranking.empty()) {
    return fail(ErrorCode::not_found,
                fmt::format("nothing is left to ask worker {}", in_quotes(worker)));
  }
  if (format == RowFormat::table)
    return ranking_table(ranking, options->classes, worker, options->policy);
  return ranking_data(ranking, options->classes).text(format);
}

Result<std::string> explain_item(const OpenCampaign& open, const ExplainFlags& flags,
                                 RowFormat format) {
  const auto classes = TRY(classes_of(open));
  const auto why = TRY(open->view().explain(*flags.item, flags.worker.value_or("")));
  return parts_of(open, why).map([&](const std::vector<Part>& parts) {
    return format == RowFormat::table ? item_table(why, parts, classes, flags.worker)
                                      : item_rows(why, parts, classes, flags.worker, format);
  });
}

Result<Output> explain_choice(const CampaignFlags& where, const ExplainFlags& flags) {
  if (flags.item.has_value() == flags.next) {
    return fail(ErrorCode::invalid_argument,
                flags.next
                    ? fmt::format("--next cannot be combined with item {}; expected one of them",
                                  in_quotes(*flags.item))
                    : "ITEM is missing; expected the id of an item, or --next");
  }
  const auto count = TRY(read_whole("--count", flags.count, 1, 100'000));
  const auto format = TRY(read_rows(flags.rows));
  return reading(where, [&](const OpenCampaign& open) {
    return (flags.next ? explain_next(open, flags, static_cast<std::uint32_t>(count), format)
                       : explain_item(open, flags, format))
        .map([&](std::string text) { return delivered(std::move(text), flags.rows.output); });
  });
}

void add_explain_options(Command& command, ExplainFlags& flags) {
  command.add("ITEM", &flags.item, "Id of an item");
  command.add("--next", &flags.next, "Explain the next choice instead, and the runners-up");
  command.add("--worker", &flags.worker, "NAME", "Worker whose label to consider")
      .by_default("with `--next`, whom the policy would ask");
  command.add("--count", &flags.count, "N", "With `--next`, how many items");
  add_row_options(command, flags.rows);
}

}  // namespace

Command explain_command() {
  Command command =
      campaign_command("explain", "Explain why an item is asked or not, or which is next",
                       Access::read, explain_choice, add_explain_options);
  command.examples = {"allot campaign explain sentiment.db review-17 --worker ann",
                      "allot campaign explain sentiment.db --next --worker ann"};
  return command;
}

}  // namespace allot::cli
