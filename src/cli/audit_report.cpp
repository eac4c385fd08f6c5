#include "cli/audit_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace allot::cli {
namespace {

using audit::Bounds;

std::string four(double value) { return fmt::format("{:.4f}", value); }

std::string range_text(const audit::Stratum& stratum) {
  return fmt::format("{} to {}", number_text(stratum.from), number_text(stratum.to));
}

double mean_stated(const audit::Stratum& stratum) {
  return stratum.stated / static_cast<double>(stratum.answers);
}

std::uint64_t answered(const AuditReport& report, std::size_t k) {
  return static_cast<std::uint64_t>(
      std::ranges::count(report.answers.answers, ClassId{static_cast<std::uint32_t>(k)}));
}

std::string strata_table(const AuditReport& report) {
  Table table({"stated probability", "answers", "expected", "checked", "right", "accuracy",
               "at least", "low", "high"});
  for (std::size_t h = 0; h < report.strata.size(); ++h) {
    const auto& [checked, right, bounds] = report.per_stratum[h];
    table.add({range_text(report.strata[h]), fmt::format("{}", report.strata[h].answers),
               four(mean_stated(report.strata[h])), fmt::format("{}", checked),
               fmt::format("{}", right), checked > 0 ? four(bounds.estimate) : "-",
               four(bounds.lower), four(bounds.low), four(bounds.high)});
  }
  return table.text();
}

std::string class_table(const AuditReport& report) {
  Table table({"class", "answers", "found", "share", "low", "high"});
  for (std::size_t k = 0; k < report.shares.size(); ++k) {
    const Bounds& share = report.shares[k];
    table.add({report.answers.classes[k], fmt::format("{}", answered(report, k)),
               fmt::format("{}", report.found[k]), report.checked > 0 ? four(share.estimate) : "-",
               four(share.low), four(share.high)});
  }
  return table.text();
}

/// The sentence about verdicts that are not there.
std::string missing_text(const AuditReport& report) {
  const std::uint64_t missing = report.draws - report.checked;
  if (!report.target && missing == 0) return "";
  if (!report.target)
    return fmt::format(
        "  {} without a verdict: lower bounds count them as wrong, upper bounds as right\n",
        count_text(missing, "drawn answer"));
  std::string text;
  if (missing > 0)
    text += fmt::format("  verdicts count up to the first draw without one: {} of {}\n",
                        report.checked, count_text(report.draws, "draw"));
  if (report.next_item) text += fmt::format("  next to check: {}\n", in_quotes(*report.next_item));
  if (report.waiting > 0)
    text += fmt::format("  {} until all draws before have one\n",
                        count_text(report.waiting, "later verdict waits", "later verdicts wait"));
  return text;
}

std::string proof_text(const AuditReport& report) {
  if (report.contradiction)
    return "  the verdicts contradict the random order of the draws: no accuracy fits all of "
           "them,\n"
           "  so nothing is proven but what the checked answers say\n";
  if (report.certified_after)
    return fmt::format("  certified after {}: accuracy of at least {}\n",
                       count_text(*report.certified_after, "check"), number_text(*report.target));
  if (!report.next_target) return "";
  const std::string target = number_text(*report.next_target);
  if (!report.checks_to_prove)
    return fmt::format("  at the accuracy seen, no number of checks is expected to prove {}\n",
                       target);
  if (!report.target)
    return fmt::format("  at the accuracy seen, a new audit of about {} would prove {}\n",
                       count_text(*report.checks_to_prove, "check"), target);
  return fmt::format("  not certified; at the accuracy seen, about {} would prove {}\n",
                     count_text(*report.checks_to_prove, "further check"), target);
}

std::string table_text(const AuditReport& report) {
  const Bounds& accuracy = report.accuracy;
  std::string text = fmt::format("Audit of {}: {}, {} right, {}confidence {} (seed {})\n\n",
                                 count_text(report.answers.items.size(), "answer"),
                                 count_text(report.checked, "verdict"), report.right,
                                 report.target ? "a look after every check, " : "",
                                 number_text(report.confidence), report.seed);
  if (report.checked == 0) {
    text += "  no verdict counts yet, so nothing is proven\n";
  } else {
    text += fmt::format("  accuracy {}: at least {}, interval {} to {}\n", four(accuracy.estimate),
                        four(accuracy.lower), four(accuracy.low), four(accuracy.high));
    text += proof_text(report);
  }
  text += missing_text(report);
  if (report.answers.unanswered > 0)
    text += fmt::format("  {} without an answer: no part of the audit\n",
                        count_text(report.answers.unanswered, "item"));
  if (report.answers.stated.empty()) {
    text += "  the answers have no probabilities, so they are one stratum\n";
  } else {
    text += "\n" + strata_table(report);
  }
  return text + "\n" + class_table(report) +
         "\n  at least: one-sided bound; low and high: two-sided interval\n" +
         "  each bound holds with the confidence by itself\n";
}

Fields row(const std::string& measure, std::uint64_t answers, const std::string& stated,
           std::uint64_t checked, std::uint64_t found, const Bounds& bounds) {
  return {{"measure", measure},
          {"answers", fmt::format("{}", answers)},
          {"stated", stated},
          {"checked", fmt::format("{}", checked)},
          {"found", fmt::format("{}", found)},
          {"estimate", checked > 0 ? number_text(bounds.estimate) : ""},
          {"lower", number_text(bounds.lower)},
          {"low", number_text(bounds.low)},
          {"high", number_text(bounds.high)}};
}

std::vector<Fields> rows(const AuditReport& report) {
  const bool has_stated = !report.answers.stated.empty();
  double stated = 0;
  for (const audit::Stratum& stratum : report.strata) stated += stratum.stated;
  const std::uint64_t answers = report.answers.items.size();
  std::vector<Fields> rows{row("accuracy", answers,
                               has_stated ? number_text(stated / static_cast<double>(answers)) : "",
                               report.checked, report.right, report.accuracy)};
  for (std::size_t h = 0; h < report.strata.size() && has_stated; ++h) {
    const auto& [checked, right, bounds] = report.per_stratum[h];
    rows.push_back(row("accuracy " + range_text(report.strata[h]), report.strata[h].answers,
                       number_text(mean_stated(report.strata[h])), checked, right, bounds));
  }
  for (std::size_t k = 0; k < report.shares.size(); ++k)
    rows.push_back(row("share " + report.answers.classes[k], answered(report, k), "",
                       report.checked, report.found[k], report.shares[k]));
  return rows;
}

template <typename Number>
std::string or_null(const std::optional<Number>& value) {
  return value ? fmt::format("{}", *value) : "null";
}

}  // namespace

std::string report_text(const AuditReport& report, Format format) {
  const std::string certified = !report.target ? "null" : report.certified_after ? "true" : "false";
  return report_text(format, table_text(report), rows(report),
                     {{"design", report.target ? "\"sequential\"" : "\"fixed\""},
                      {"answers", fmt::format("{}", report.answers.items.size())},
                      {"unanswered", fmt::format("{}", report.answers.unanswered)},
                      {"draws", fmt::format("{}", report.draws)},
                      {"verdicts", fmt::format("{}", report.checked)},
                      {"right", fmt::format("{}", report.right)},
                      {"seed", fmt::format("{}", report.seed)},
                      {"confidence", number_text(report.confidence)},
                      {"target", or_null(report.target)},
                      {"certified", certified},
                      {"certified_after", or_null(report.certified_after)},
                      {"next_target", or_null(report.next_target)},
                      {"next_checks", or_null(report.checks_to_prove)},
                      {"next_item", report.next_item ? json_string(*report.next_item) : "null"},
                      {"waiting", fmt::format("{}", report.waiting)},
                      {"contradiction", report.contradiction ? "true" : "false"}});
}

}  // namespace allot::cli
