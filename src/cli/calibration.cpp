#include "cli/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "allot/figure/line_chart.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"

namespace allot::cli {
namespace {

using aggregate::CalibrationBin;
using sim::Row;

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// Standard error of the observed share, from the answers of one run if all runs are about the same
/// items. Half an answer is added on either side, so that a few right answers are no certainty.
double standard_error(const CalibrationBin& bin, std::uint32_t runs_alike) {
  if (bin.answers == 0) return kNoNumber;
  const double answers = std::max(1.0, static_cast<double>(bin.answers) / runs_alike);
  const double share = (bin.observed() * answers + 0.5) / (answers + 1);
  return std::sqrt(share * (1 - share) / answers);
}

/// Nine digits: sums of probabilities are known to no more. Empty for NaN.
std::string nine_digits(double value) {
  return std::isnan(value) ? "" : fmt::format("{:.9g}", value);
}

double error_of(const Row& row) { return row.calibration.expected_error().value_or(kNoNumber); }

/// ".9 to .95".
std::string range_text(const CalibrationBin& bin) {
  return fmt::format("{:.2f} to {:.2f}", bin.from, bin.to);
}

Fields bin_fields(const CalibrationBin& bin, std::uint32_t runs_alike) {
  return {{"from", number_text(bin.from)},
          {"to", number_text(bin.to)},
          {"answers", fmt::format("{}", bin.answers)},
          {"expected", nine_digits(bin.expected())},
          {"observed", number_text(bin.observed())},
          {"stderr", number_text(standard_error(bin, runs_alike))}};
}

/// Row with the largest budget of each policy, in order.
std::vector<const Row*> last_rows(const std::vector<Row>& rows) {
  std::vector<const Row*> last;
  for (const Row& row : rows) {
    if (last.empty() || last.back()->policy != row.policy) {
      last.push_back(&row);
    } else if (row.budget > last.back()->budget) {
      last.back() = &row;
    }
  }
  return last;
}

}  // namespace

Result<void> check_calibration(const std::vector<std::string>& places, Format format) {
  for (const std::string& place : places) {
    if (place == "-" && format == Format::csv) {
      return invalid(
          "--calibration '-' cannot be printed with --format csv, which prints one table; expected "
          "a name that ends in .csv or .svg, or another format");
    }
    if (place == "-") continue;
    if (!place.ends_with(".csv") && !place.ends_with(".svg")) {
      return invalid(
          "--calibration {} is neither a CSV nor an SVG file; expected a name that ends in .csv or "
          ".svg, or - to print it",
          in_quotes(place));
    }
    TRY(in_option("--calibration", io::check_writable(place)));
  }
  return {};
}

std::string CalibrationReport::table() const {
  Table table({"policy", "probability", "answers", "expected", "observed", "std.err."});
  std::string errors;
  for (const Row* row : last_rows(rows)) {
    std::string name = row->policy;
    for (const CalibrationBin& bin : row->calibration.bins()) {
      if (bin.answers == 0) continue;
      table.add({name, range_text(bin), fmt::format("{}", bin.answers),
                 fmt::format("{:.4f}", bin.expected()), fmt::format("{:.4f}", bin.observed()),
                 fmt::format("{:.4f}", standard_error(bin, runs_alike))});
      name.clear();
    }
    const double error = error_of(*row);
    const std::string shown = std::isnan(error) ? "no probabilities" : fmt::format("{:.4f}", error);
    errors += fmt::format("{}{} {}", errors.empty() ? "" : ", ", row->policy, shown);
  }
  return fmt::format("Calibration of answers: {}, all runs\n\n{}\n{}\n",
                     count_text(last_rows(rows).front()->budget, "label"), table.text(),
                     wrapped("  mean difference of expected and observed: " + errors));
}

std::string CalibrationReport::csv() const {
  std::vector<Fields> lines;
  for (const Row& row : rows) {
    for (const CalibrationBin& bin : row.calibration.bins()) {
      Fields line{{"policy", row.policy}, {"budget", fmt::format("{}", row.budget)}};
      append(line, bin_fields(bin, runs_alike));
      line.emplace_back("calibration_error", nine_digits(error_of(row)));
      lines.push_back(std::move(line));
    }
  }
  return csv_text(lines);
}

std::string CalibrationReport::figure(const std::string& conditions) const {
  const std::vector<const Row*> last = last_rows(rows);
  figure::LineChart chart{"Calibration: expected and observed accuracy of answers",
                          fmt::format("{}, {}; bands:\u00a0±\u00a0one\u00a0standard\u00a0error",
                                      conditions, count_text(last.front()->budget, "label")),
                          "mean probability of the answers",
                          "observed share of right answers",
                          {},
                          0,
                          {0, 1}};
  double least = 1;
  for (const Row* row : last) {
    figure::Series series{row->policy, {}};
    for (const CalibrationBin& bin : row->calibration.bins()) {
      if (bin.answers == 0) continue;
      series.points.push_back({bin.expected(), bin.observed(), standard_error(bin, runs_alike)});
      least = std::min(least, bin.expected());
    }
    chart.series.push_back(std::move(series));
  }
  chart.series.push_back({"calibrated", {{least, least}, {1, 1}}, figure::Series::Weight::thin});
  return figure::svg_text(chart);
}

Fields CalibrationReport::json(const Row& row, std::uint32_t runs_alike) {
  std::vector<std::string> bins;
  for (const CalibrationBin& bin : row.calibration.bins()) {
    Fields fields = bin_fields(bin, runs_alike);
    for (auto& [name, value] : fields) {
      if (value.empty()) value = "null";
    }
    bins.push_back(json_object(fields));
  }
  return {{"calibration_error", nine_digits(error_of(row))}, {"calibration", json_array(bins)}};
}

std::string overstated_text(const std::string& who, double expected, double right) {
  return fmt::format(
      "probabilities are too high: {} expects {:.2f} of its answers to be right, and {:.2f} are",
      who, expected, right);
}

bool is_overstated(double expected, double right) { return expected - right > 0.1; }

}  // namespace allot::cli
