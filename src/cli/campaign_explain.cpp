// Explains why an item is asked or not, and which item is next.
#include <algorithm>

#include "allot/base/text.hpp"
#include "allot/campaign/state.hpp"
#include "allot/model/best_class.hpp"
#include "base/errors.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

using campaign::Explanation;
using campaign::LabelOutcome;
using campaign::PairStatus;
using campaign::RankedItem;
using Classes = std::vector<std::string>;

struct ExplainFlags : CampaignFlags {
  std::optional<std::string> item, worker;
  bool next = false;
  std::string count = "5";
  RowFlags rows;
};

double best(std::span<const double> probabilities) { return std::ranges::max(probabilities); }

std::string answer_of(std::span<const double> probabilities, const Classes& classes) {
  return classes[position(model::best_class(probabilities))];
}

/// Cells named by the prefix and a class each; without numbers they are empty.
void add_cells(std::vector<Cell>& cells, const std::string& prefix, const Classes& classes,
               std::span<const double> numbers) {
  for (std::size_t c = 0; c < classes.size(); ++c) {
    cells.push_back(
        {prefix + classes[c], numbers.empty() ? "" : number_text(numbers[c]), Kind::real});
  }
}

/// Probabilities of the classes, then those of each label and of the answer after it.
void add_outlook(std::vector<Cell>& cells, std::span<const double> probabilities,
                 const std::vector<LabelOutcome>& outlook, const Classes& classes) {
  std::vector<double> chances, then;
  for (const LabelOutcome& outcome : outlook) {
    chances.push_back(outcome.chance);
    then.push_back(best(outcome.probabilities));
  }
  add_cells(cells, "p_", classes, probabilities);
  add_cells(cells, "chance_", classes, chances);
  add_cells(cells, "then_", classes, then);
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
  return open.read([&](const campaign::State& state) {
    std::vector<Part> parts;
    for (const campaign::Share& share : why.shares) {
      std::string what = part_text(share.status);
      if (share.status >= PairStatus::labelled) {
        what = class_name(state.options(), share.label);
        if (share.status == PairStatus::excluded) what += " (does not count)";
      }
      parts.push_back({state.name(share.worker), std::move(what)});
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
  const std::string_view missing = why.answered ? "" : "; no label yet";
  if (!why.finish_reason.empty()) {
    return fmt::format("settled: {}; no more labels are bought{}", why.finish_reason, missing);
  }
  if (why.pending > 0) {
    return fmt::format(
        "open; {} leased it{}",
        why.pending == 1 ? "one worker has" : fmt::format("{} workers have", why.pending), missing);
  }
  return fmt::format("open{}", missing);
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
  const auto labels =
      std::ranges::count(why.shares, PairStatus::labelled, &campaign::Share::status);
  std::vector<Cell> cells{{"item", why.item},
                          {"truth", why.gold ? classes[position(*why.gold)] : ""},
                          {"settled", why.finish_reason},
                          {"labels", fmt::format("{}", labels), Kind::exact},
                          {"pending", fmt::format("{}", why.pending), Kind::exact},
                          {"worker", worker.value_or("")},
                          {"index", why.value ? number_text(*why.value) : "", Kind::real}};
  add_outlook(cells, why.probabilities, why.outlook, classes);
  cells.push_back({"shares", parts_json(parts), Kind::json});
  return record_text(std::move(cells), format);
}

DataTable ranking_data(const std::vector<RankedItem>& ranking, const Classes& classes) {
  std::vector<std::vector<Cell>> rows;
  for (const RankedItem& ranked : ranking) {
    rows.push_back({{"item", ranked.item}, {"index", number_text(ranked.value), Kind::real}});
    add_outlook(rows.back(), ranked.probabilities, ranked.outlook, classes);
  }
  return DataTable(rows);
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
               ranked.answered ? answer_of(ranked.probabilities, classes) : "no label yet",
               ranked.answered ? fmt::format("{:.4f}", best(ranked.probabilities)) : "-"});
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
  const auto options = TRY(open.options());
  const auto ranking = TRY(open->view().ranking(worker, count));
  if (ranking.empty())
    return fail(ErrorCode::not_found, "nothing is left to ask worker {}", in_quotes(worker));
  if (format == RowFormat::table)
    return ranking_table(ranking, options.classes, worker, options.policy);
  return ranking_data(ranking, options.classes).text(format);
}

Result<std::string> explain_item(const OpenCampaign& open, const ExplainFlags& flags,
                                 RowFormat format) {
  const Classes classes = TRY(open.options()).classes;
  const auto why = TRY(open->view().explain(*flags.item, flags.worker.value_or("")));
  const auto parts = TRY(parts_of(open, why));
  return format == RowFormat::table ? item_table(why, parts, classes, flags.worker)
                                    : item_rows(why, parts, classes, flags.worker, format);
}

Result<Output> explain_choice(const ExplainFlags& flags) {
  if (flags.next && flags.item) {
    return invalid("--next cannot be combined with item {}; expected one of them",
                   in_quotes(*flags.item));
  }
  if (!flags.next && !flags.item)
    return invalid("ITEM is missing; expected the id of an item, or --next");
  const auto count = TRY(read_whole<std::uint32_t>("--count", flags.count, 1, 100'000));
  const auto format = TRY(read_rows(flags.rows));
  const auto open = TRY(open_campaign(flags));
  auto text = TRY(flags.next ? explain_next(open, flags, count, format)
                             : explain_item(open, flags, format));
  return delivered(std::move(text), flags.rows.output);
}

void add_explain_options(Command& command, ExplainFlags& flags) {
  command.add("ITEM", &flags.item, "Id of an item");
  command.add("--next", &flags.next, "Explain the next choice instead, and the runners-up");
  command.add("--worker", &flags.worker, "NAME", "Worker whose label to consider",
              "with `--next`, whom the policy would ask");
  command.add("--count", &flags.count, "N", "With `--next`, how many items");
  add_row_options(command, flags.rows);
}

}  // namespace

std::vector<Command> explain_commands() {
  return {campaign_command("explain", "Explain why an item is asked or not, or which is next",
                           Access::read, explain_choice, add_explain_options,
                           {"allot campaign explain sentiment.db review-17 --worker ann",
                            "allot campaign explain sentiment.db --next --worker ann"})};
}

}  // namespace allot::cli
