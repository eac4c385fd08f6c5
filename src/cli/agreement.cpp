#include "cli/agreement.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::cli {
namespace {

using aggregate::Agreement;
using aggregate::AgreementEstimate;
using aggregate::AgreementOptions;

constexpr const char* kMeaning =
    "  1 means that workers always agree, 0 that they agree as often as by chance; percent "
    "agreement\n  does not take chance into account\n";

std::string plain_count(std::uint64_t count) { return fmt::format("{}", count); }

std::string optional_text(const std::optional<double>& value) {
  return value ? number_text(*value) : "";
}

/// "0.4213 to 0.7719".
std::string bounds_text(const AgreementEstimate& estimate) {
  if (!estimate.bounds) return "-";
  return fmt::format("{:.4f} to {:.4f}", estimate.bounds->low, estimate.bounds->high);
}

std::string table_text(const AgreementReport& report) {
  Table table({"coefficient", "value",
               fmt::format("{} % interval", plain_number(100 * report.options.confidence))});
  std::string reasons;
  for (const AgreementEstimate& estimate : report.agreement.estimates) {
    const std::string title(aggregate::coefficient_title(estimate.coefficient));
    table.add({title, estimate.value ? fmt::format("{:.4f}", *estimate.value) : "-",
               bounds_text(estimate)});
    if (!estimate.reason.empty()) reasons += fmt::format("  {}: {}\n", title, estimate.reason);
  }
  const std::string& warning = report.warning;
  return report.heading + "\n" + table.text() + "\n" + kMeaning + reasons +
         (warning.empty() ? "" : wrapped("  warning: " + warning) + "\n");
}

Fields fields(const AgreementEstimate& estimate, Format format) {
  const auto& bounds = estimate.bounds;
  const bool quoted = format == Format::json && !estimate.reason.empty();
  return {{"coefficient", std::string(aggregate::coefficient_name(estimate.coefficient))},
          {"value", optional_text(estimate.value)},
          {"low", bounds ? number_text(bounds->low) : ""},
          {"high", bounds ? number_text(bounds->high) : ""},
          {"reason", quoted ? json_string(estimate.reason) : estimate.reason}};
}

}  // namespace

void add_agreement_options(Command& command, AgreementFlags& flags, const std::string& prefix) {
  const AgreementOptions defaults;
  const auto add = [&](const char* option, std::optional<std::string>& value, const char* type,
                       std::string meaning, std::string default_text) {
    if (prefix.empty()) meaning.front() = static_cast<char>(std::toupper(meaning.front()));
    command.add(option, &value, type, prefix + meaning, std::move(default_text));
  };
  add("--resamples", flags.resamples, "N", "resamples of the items behind an interval; 0 for none",
      plain_count(defaults.resamples));
  add("--confidence", flags.confidence, "P", "probability that an interval holds the value",
      number_text(defaults.confidence));
  add("--least-shared", flags.least_shared, "N",
      "leave pairs of workers with fewer shared items out of Cohen's kappa",
      plain_count(defaults.least_shared));
  add("--pairs-output", flags.pairs_output, "FILE",
      "write Cohen's kappa of every such pair as CSV; `-` prints it", "");
}

Result<AgreementOptions> read_agreement_options(const AgreementFlags& flags, bool ordered) {
  AgreementOptions options;
  options.ordered = ordered;
  if (flags.resamples) {
    options.resamples =
        TRY(read_whole<std::uint32_t>("--resamples", *flags.resamples, 0, 1'000'000));
  }
  if (flags.confidence) {
    options.confidence = TRY(read_number("--confidence", *flags.confidence, 0.01, 0.9999,
                                         "a probability from 0.01 to 0.9999"));
  }
  if (flags.least_shared) {
    options.least_shared =
        TRY(read_whole<std::uint32_t>("--least-shared", *flags.least_shared, 1, UINT32_MAX));
  }
  TRY(check_writable("--pairs-output", flags.pairs_output));
  return options;
}

std::string spread_warning(const Agreement& agreement) {
  if (!agreement.varies_widely()) return "";
  return fmt::format(
      "items have {} to {} labels; labels bought adaptively ask hard items more often, which makes "
      "agreement too low",
      agreement.fewest_labels, agreement.most_labels);
}

std::string agreement_text(const AgreementReport& report, Format format) {
  const Agreement& agreement = report.agreement;
  std::vector<Fields> rows;
  for (const AgreementEstimate& estimate : agreement.estimates)
    rows.push_back(fields(estimate, format));
  return report_text(format, table_text(report), rows,
                     {{"labels", plain_count(agreement.labels)},
                      {"items", plain_count(agreement.items)},
                      {"paired_items", plain_count(agreement.paired_items)},
                      {"fewest_labels", plain_count(agreement.fewest_labels)},
                      {"most_labels", plain_count(agreement.most_labels)},
                      {"pairs_of_workers", plain_count(agreement.pairs_of_workers)},
                      {"confidence", number_text(report.options.confidence)},
                      {"resamples", plain_count(report.options.resamples)},
                      {"warning", report.warning.empty() ? "null" : json_string(report.warning)}});
}

std::string pairs_csv(const model::LabelSet& labels, const std::vector<std::string>& workers,
                      const AgreementOptions& options) {
  std::vector<std::string> row{"worker", "other_worker", "shared_items", "cohen_kappa"};
  if (options.ordered) row.insert(row.end(), {"cohen_kappa_linear", "cohen_kappa_quadratic"});
  std::string text = csv_line(row);
  for (const aggregate::PairKappa& pair : aggregate::pair_kappas(labels, options.least_shared)) {
    row = {workers[position(pair.first)], workers[position(pair.second)], plain_count(pair.shared),
           optional_text(pair.kappa)};
    if (options.ordered)
      row.insert(row.end(), {optional_text(pair.linear), optional_text(pair.quadratic)});
    text += csv_line(row);
  }
  return text;
}

void add_pairs(Output& output, const std::string& path, std::string pairs) {
  if (path == "-") {
    output.text = std::move(pairs);
  } else {
    output.files.push_back({path, std::move(pairs)});
  }
}

}  // namespace allot::cli
