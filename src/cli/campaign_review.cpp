// Reviewers: what to decide next, verdicts, and taking them back.
#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "allot/io/review_csv.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/field_columns.hpp"
#include "cli/formats.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

using campaign::ReviewItem;
using campaign::ReviewOrder;
using campaign::VerdictDraft;

/// Bytes of a field that a table shows.
constexpr std::size_t kMostShown = 40;

struct ReviewFlags : CampaignFlags, RowFlags {
  std::vector<std::string> verdicts;
  std::optional<std::string> reviewer, reason, undo, key;
  std::string by = "uncertain";
  std::string count = "20";
};

Result<ReviewOrder> read_order(const std::string& text) {
  if (text == "uncertain") return ReviewOrder::uncertain;
  if (text == "disputed") return ReviewOrder::disputed;
  if (text == "skipped") return ReviewOrder::skipped;
  return invalid("--by {} is not an order; expected uncertain, disputed or skipped",
                 in_quotes(text));
}

/// Who said what: "ann=yes bob=no".
std::string labels_text(const ReviewItem& item, const campaign::Options& options) {
  std::string text;
  for (const auto& [worker, label] : item.labels) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", worker,
                        campaign::class_name(options, label));
  }
  return text;
}

Result<Output> show_queue(const ReviewFlags& flags) {
  const auto format = TRY(read_rows(flags));
  const auto order = TRY(read_order(flags.by));
  const auto count = TRY(read_whole<std::uint32_t>("--count", flags.count, 1, 1'000'000));
  const auto open = TRY(open_campaign(flags));
  const auto options = TRY(open.options());
  const auto queue = TRY(open->view().review_queue(count, order));
  const std::vector<Column> columns{{"item"},
                                    {"answer"},
                                    {"probability", Kind::real},
                                    {"disagreement", Kind::real},
                                    {"skips", Kind::exact},
                                    {"labels"}};
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> items;
  for (const ReviewItem& one : queue) {
    items.push_back(one.item);
    rows.push_back({one.item, campaign::class_name(options, one.answer),
                    number_text(one.probabilities[position(one.answer)]),
                    number_text(one.disagreement), fmt::format("{}", one.skips),
                    labels_text(one, options)});
  }
  const auto fields = TRY(fields_of(open->view(), items));
  return delivered(item_rows_text(columns, std::move(rows), fields, format, kMostShown),
                   flags.output);
}

/// Verdicts as written: ITEM=CLASS, or the name of a file. The last '=' counts.
Result<std::vector<VerdictDraft>> read_verdicts(const ReviewFlags& flags) {
  std::vector<VerdictDraft> drafts;
  for (const std::string& text : flags.verdicts) {
    const std::size_t cut = text.rfind('=');
    if (cut != std::string::npos && cut > 0) {
      drafts.push_back({text.substr(0, cut), text.substr(cut + 1), flags.reason.value_or("")});
      continue;
    }
    const auto bytes = TRY(in_option("VERDICT", io::read_text_file(text)));
    const auto file = TRY(in_file(text, io::parse_reviews(bytes)));
    for (const io::ReviewRow& row : file.rows) {
      drafts.push_back(
          {row.item, row.truth, row.reason.empty() ? flags.reason.value_or("") : row.reason});
    }
  }
  return drafts;
}

/// The verdicts that were taken as text, and a note per refused one.
Result<Output> take_verdicts(const ReviewFlags& flags) {
  const auto drafts = TRY(read_verdicts(flags));
  return changing(flags, [&](const OpenCampaign& open) -> Result<Output> {
    const auto outcomes = open->review(*flags.reviewer, drafts, open.now, flags.key.value_or(""));
    Output output;
    std::size_t taken = 0;
    for (const auto& outcome : outcomes) {
      if (outcome) {
        ++taken;
      } else if (outcome.error().code == ErrorCode::store_failure ||
                 outcome.error().code == ErrorCode::outcome_unknown || outcomes.size() == 1) {
        return tl::unexpected(outcome.error());
      } else {
        output.notes.push_back(outcome.error().message);
      }
    }
    output.text =
        fmt::format("{} recorded, {} refused\n", count_text(taken, "verdict"), output.notes.size());
    output.status = output.notes.empty() ? 0 : 2;
    return output;
  });
}

Result<Output> undo_verdict(const ReviewFlags& flags) {
  return changing(flags, [&](const OpenCampaign& open) -> Result<Output> {
    TRY(open->undo_review(*flags.undo, *flags.reviewer, open.now, flags.key.value_or("")));
    return Output{fmt::format("the verdict on item {} is taken back\n", in_quotes(*flags.undo))};
  });
}

/// Without verdicts it only prints what to look at.
Result<Output> review(const ReviewFlags& flags) {
  if (flags.verdicts.empty() && !flags.undo) return show_queue(flags);
  if (!flags.reviewer)
    return invalid("{} needs --reviewer; expected the reviewer's name",
                   flags.undo ? "--undo" : "a verdict");
  if (flags.undo && !flags.verdicts.empty()) {
    return invalid("--undo {} comes with verdicts; expected one or the other",
                   in_quotes(*flags.undo));
  }
  return flags.undo ? undo_verdict(flags) : take_verdicts(flags);
}

void add_review_options(Command& command, ReviewFlags& flags) {
  command.add("VERDICT", &flags.verdicts,
              "Verdicts such as `review-17=yes`, or files with columns `item`, `truth` and, if "
              "wanted, `reason`; without one, the items to look at next");
  command.add("--reviewer", &flags.reviewer, "NAME", "Name of the reviewer");
  command.add("--reason", &flags.reason, "TEXT", "Reason, shown beside the answers");
  command.add("--undo", &flags.undo, "ITEM", "Take the verdict on that item back");
  command.add("--count", &flags.count, "N", "Most items to print");
  command.add("--by", &flags.by, "ORDER",
              "Order of the items: `uncertain`, `disputed` (labels against the answer) or "
              "`skipped`");
  add_key(command, flags.key);
  add_row_options(command, flags);
}

}  // namespace

std::vector<Command> review_commands() {
  return {campaign_command(
      "review", "Decide items as a reviewer, or print those to look at next", Access::write, review,
      add_review_options,
      {"allot campaign review sentiment.db --by disputed",
       "allot campaign review sentiment.db review-17=yes --reviewer eve --reason 'irony'"},
      {"A verdict is the answer of its item from then on; the item counts as known, and its "
       "labels tell how good their workers are."})};
}

}  // namespace allot::cli
