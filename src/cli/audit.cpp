#include "cli/audit.hpp"

#include <algorithm>

#include "allot/audit/report.hpp"
#include "allot/io/text_file.hpp"
#include "allot/io/verdict_csv.hpp"
#include "base/errors.hpp"
#include "cli/audit_files.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

using Truths = std::vector<std::optional<ClassId>>;

constexpr std::uint64_t kChecks = 100;

/// An expert's work is expensive: refuses to overwrite it, or any file that is read.
Result<void> check_draws(const AuditOptions& options) {
  if (!options.draws || *options.draws == "-") return {};
  const std::string& path = *options.draws;
  if (same_file(path, options.answers) || (options.verdicts && same_file(path, *options.verdicts)))
    return invalid("--draws {} would overwrite a file that is read; expected another one",
                   in_quotes(path));
  return check_draws_file(path);
}

Result<void> check_request(const AuditOptions& options) {
  if (!options.draws && !options.verdicts)
    return invalid(
        "neither --draws nor --verdicts is given; expected --draws FILE to choose the answers to "
        "check, then --verdicts FILE to see what the checks prove");
  if (options.answers == "-" && options.verdicts == "-")
    return invalid("ANSWERS and --verdicts are both '-'; expected one of them to be a file");
  if (options.show_answers && !options.draws)
    return invalid("--show-answers has no effect without --draws; expected both");
  return check_draws(options);
}

Result<std::uint64_t> read_checks(const AuditOptions& options, std::uint64_t answers) {
  if (!options.checks) return std::min(kChecks, answers);
  const auto checks = TRY(read_whole("--checks", *options.checks, 1, kMostItems));
  if (checks <= answers) return checks;
  return invalid("--checks '{}' exceeds the {}; expected at most one check per answer", checks,
                 count_text(answers, "answer"));
}

/// Reads seed, confidence and target.
Result<AuditReport> read_settings(const AuditOptions& options) {
  AuditReport report;
  report.seed = TRY(read_whole("--seed", options.seed, 0, UINT64_MAX));
  report.confidence = TRY(read_audit_confidence(options.confidence));
  if (options.until) report.target = TRY(read_audit_target(*options.until));
  return report;
}

/// The items to check, with the truths that are known already.
std::string draws_csv(const AuditPlan& plan, const Truths& truths, bool show_answers) {
  const io::FinishedAnswers& file = plan.report.answers;
  const auto row = [&](std::string item, std::string answer, std::string truth) {
    std::vector<std::string> fields{std::move(item)};
    if (show_answers) fields.push_back(std::move(answer));
    fields.push_back(std::move(truth));
    return csv_line(fields);
  };
  std::string text = row("item", "answer", "truth");
  for (const audit::Draw& draw : plan.draws()) {
    const std::uint32_t i = position(draw.item);
    const auto& truth = truths[i];
    text += row(file.items[i], file.classes[position(file.answers[i])],
                truth ? file.classes[position(*truth)] : "");
  }
  return text;
}

std::string instructions(const AuditOptions& options, const AuditPlan& plan) {
  return fmt::format(
      "{} of {} to check in {}\n\n"
      "  Fill in the column truth{}, then run the same command with\n"
      "  --verdicts {} instead of --draws.\n",
      plan.checks, count_text(plan.stated.size(), "answer"), *options.draws,
      options.until ? " from the top" : "", *options.draws);
}

Result<Output> audit(const AuditOptions& options) {
  const auto format = TRY(read_format(options.format));
  TRY(read_settings(options));
  TRY(check_request(options));
  const auto text = TRY(io::read_text_file(options.answers));
  auto answers =
      TRY(in_file(options.answers, io::parse_finished_answers(text, read_names(options.classes))));
  auto plan = TRY(plan_audit(options, std::move(answers)));
  Truths truths(plan.stated.size());
  if (options.verdicts) {
    const auto verdicts = TRY(io::read_text_file(*options.verdicts));
    truths = TRY(read_audit_verdicts(plan, verdicts, file_name(*options.verdicts)));
  }
  Output output;
  std::string draws;
  if (options.draws) draws = draws_csv(plan, truths, options.show_answers);
  output.text = options.draws == "-" ? draws
                : options.verdicts   ? report_text(make_audit_report(plan, truths), format)
                                     : instructions(options, plan);
  if (options.draws && *options.draws != "-") output.files.push_back({*options.draws, draws});
  return output;
}

}  // namespace

void add_audit_options(Command& command, AuditOptions& options) {
  command.require(
      "ANSWERS", &options.answers,
      "File with one row per item: item, answer, probability; `-` reads standard input");
  command.add("--draws", &options.draws, "FILE",
              "Write the items to check as CSV, with an empty column truth; `-` prints them");
  command.add("--verdicts", &options.verdicts, "FILE",
              "File with one row per checked item: item, truth; prints what the checks prove");
  command.add("--checks", &options.checks, "N", "Number of answers to draw",
              fmt::format("{}, or all if there are fewer", kChecks));
  command.add("--until", &options.until, "X",
              "Look after every check, and certify this accuracy as soon as it is proven");
  command.add("--confidence", &options.confidence, "P", "Probability that a bound holds");
  command.add("--seed", &options.seed, "N", "Seed of the draws");
  command.add("--classes", &options.classes, "NAME,...",
              "Classes that exist even if no answer has them, such as `no,yes`");
  command.add("--show-answers", &options.show_answers,
              "Also write the answers to --draws; experts who see them tend to agree");
  add_format(command, options.format);
}

Result<AuditPlan> plan_audit(const AuditOptions& options, io::FinishedAnswers answers) {
  AuditPlan plan;
  AuditReport& report = plan.report = TRY(read_settings(options));
  report.answers = std::move(answers);
  const std::size_t size = report.answers.items.size();
  plan.checks = TRY(read_checks(options, size));
  plan.stated = report.answers.stated;
  if (plan.stated.empty()) plan.stated.assign(size, 0.5);
  if (report.target) {
    plan.sequential.emplace(plan.stated, report.seed).draw(plan.checks);
  } else {
    plan.fixed.emplace(plan.stated, plan.checks, report.seed);
  }
  report.draws = plan.checks;
  return plan;
}

Result<Truths> read_audit_verdicts(const AuditPlan& plan, std::string_view text,
                                   const std::string& name) {
  std::vector<bool> drawn(plan.stated.size());
  for (const audit::Draw& draw : plan.draws()) drawn[position(draw.item)] = true;
  auto truths = TRY(in_option(name, io::parse_verdicts(text, plan.report.answers, drawn)));
  if (std::ranges::any_of(truths, [](const auto& truth) { return truth.has_value(); }))
    return truths;
  return invalid("{}: no row has a truth; expected at least one verdict", name);
}

AuditReport make_audit_report(AuditPlan& plan, const Truths& truths) {
  AuditReport report = std::move(plan.report);
  const io::FinishedAnswers& file = report.answers;
  const audit::JudgedAnswers judged{file.answers, truths,
                                    static_cast<std::uint32_t>(file.classes.size())};
  static_cast<audit::Report&>(report) =
      plan.fixed ? audit::make_report(*plan.fixed, judged, report.confidence)
                 : audit::make_report(*plan.sequential, judged, report.confidence, *report.target);
  if (report.next) report.next_item = file.items[position(*report.next)];
  return report;
}

Command audit_command() {
  return make_command(
      "audit", "Prove how accurate finished answers are", audit, add_audit_options,
      {"First --draws chooses the items to check. Once an expert has filled in their truth, the "
       "same command with --verdicts makes the same draws and prints what they prove.",
       "Without --until, only the report after the last check is valid. With --until, every report "
       "is."},
      {"allot audit answers.csv --checks 100 --draws checks.csv",
       "allot audit answers.csv --checks 100 --verdicts checks.csv"});
}

}  // namespace allot::cli
