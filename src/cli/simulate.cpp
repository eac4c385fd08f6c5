#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <thread>

#include "allot/io/budget_text.hpp"
#include "allot/io/distribution_text.hpp"
#include "allot/sim/experiment.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress_bar.hpp"

namespace allot::cli {
namespace {

using sim::Experiment;
using sim::Row;

constexpr std::uint64_t kMostRuns = 100'000'000;

Result<std::uint32_t> read_items(const std::optional<std::string>& text,
                                 const model::SoftLabels& truth) {
  const auto* listed = std::get_if<std::vector<double>>(&truth);
  if (!text) return listed ? static_cast<std::uint32_t>(listed->size()) : 50;
  return read_whole("--items", *text, 1, kMostItems)
      .and_then([&](std::uint64_t items) -> Result<std::uint32_t> {
        if (listed && listed->size() != items) {
          return fail(ErrorCode::invalid_argument,
                      fmt::format("--items {} does not fit --truth, which lists {} soft labels; "
                                  "leave --items out or "
                                  "give a distribution",
                                  items, listed->size()));
        }
        return static_cast<std::uint32_t>(items);
      });
}

Result<std::uint32_t> read_threads(const std::optional<std::string>& text) {
  if (!text) return std::max(1U, std::thread::hardware_concurrency());
  return read_whole("--threads", *text, 1, 1024).map([](std::uint64_t n) {
    return static_cast<std::uint32_t>(n);
  });
}

/// Stores a read value, or remembers the first refusal.
class Reader {
 public:
  template <typename Target, typename Value>
  bool operator()(Target& target, Result<Value> value) {
    if (!value) {
      error_ = value.error();
      return false;
    }
    target = static_cast<Target>(*std::move(value));
    return true;
  }
  const Error& error() const { return error_; }

 private:
  Error error_{};
};

Result<Experiment> read_experiment(const SimulateOptions& options) {
  Experiment experiment;
  policy::TieBreak ties{};
  Reader read;
  const bool ok =
      read(experiment.truth, in_option("--truth", io::parse_soft_labels(options.truth))) &&
      read(experiment.item_count, read_items(options.items, experiment.truth)) &&
      read(experiment.budgets,
           in_option("--budget", io::parse_budgets(options.budget, experiment.item_count))) &&
      read(experiment.prior, in_option("--prior", io::parse_prior(options.prior))) &&
      read(ties, read_ties(options.ties)) &&
      read(experiment.policies, in_option("--policy", read_policies(options.policies, ties))) &&
      read(experiment.runs, read_whole("--runs", options.runs, 1, kMostRuns)) &&
      read(experiment.seed, read_whole("--seed", options.seed, 0, UINT64_MAX)) &&
      read(experiment.threads, read_threads(options.threads));
  if (!ok) return tl::unexpected(read.error());
  return experiment;
}

std::string per_item_text(double labels_per_item) {
  return fmt::format("{:.4g}x", labels_per_item);
}

std::string error_text(const Row& row, std::string_view sign) {
  return std::isnan(row.standard_error) ? "" : fmt::format("{}{:.4f}", sign, row.standard_error);
}

/// A line a policy, with a bar.
std::string one_budget_table(const std::vector<Row>& rows) {
  Table table({"policy", "accuracy", "std.err.", "expected", "seconds", "from 0.5 to 1"});
  for (const Row& row : rows) {
    table.add({row.policy, fmt::format("{:.4f}", row.accuracy), error_text(row, ""),
               fmt::format("{:.4f}", row.expected_accuracy), fmt::format("{:.6f}", row.seconds),
               bar(row.accuracy, 0.5, 24)});
  }
  return table.text();
}

/// Accuracies by policy and budget, whichever are fewer across.
std::string many_budgets_table(const std::vector<Row>& rows, std::size_t policies,
                               std::size_t budgets) {
  const auto row = [&](std::size_t policy, std::size_t budget) -> const Row& {
    return rows[policy * budgets + budget];
  };
  const auto cell = [&](const Row& one) {
    return fmt::format("{:.4f} {}", one.accuracy, error_text(one, "±"));
  };
  const auto labels = [](const Row& one) {
    return fmt::format("{} ({})", one.budget, per_item_text(one.labels_per_item));
  };
  const bool policies_across = policies < budgets;
  std::vector<std::string> header{policies_across ? "labels (an item)" : "labels (an item):"};
  for (std::size_t i = 0; i < (policies_across ? policies : budgets); ++i) {
    header.push_back(policies_across ? row(i, 0).policy : labels(row(0, i)));
  }
  Table table(header);
  for (std::size_t i = 0; i < (policies_across ? budgets : policies); ++i) {
    std::vector<std::string> line{policies_across ? labels(row(0, i)) : row(i, 0).policy};
    for (std::size_t k = 0; k + 1 < header.size(); ++k)
      line.push_back(cell(policies_across ? row(k, i) : row(i, k)));
    table.add(line);
  }
  return table.text();
}

/// A text that fits a heading.
std::string shortened(const std::string& text) {
  return text.size() <= 40 ? text : text.substr(0, 37) + "...";
}

std::string table_text(const SimulateOptions& options, const Experiment& experiment,
                       const std::vector<Row>& rows) {
  std::string text =
      fmt::format("Share of right answers: {}, truth {}, prior {}, mean of {} (seed {})\n\n",
                  count_text(experiment.item_count, "item"), shortened(options.truth),
                  shortened(options.prior), count_text(experiment.runs, "run"), experiment.seed);
  if (experiment.budgets.size() == 1) {
    text += one_budget_table(rows);
    text += fmt::format("\n  budget {}, {} an item\n", count_text(rows.front().budget, "label"),
                        per_item_text(rows.front().labels_per_item));
  } else {
    text += many_budgets_table(rows, experiment.policies.size(), experiment.budgets.size());
  }
  return text;
}

std::vector<std::pair<std::string_view, std::string>> fields(const Row& row) {
  return {{"policy", row.policy},
          {"budget", fmt::format("{}", row.budget)},
          {"labels_per_item", number_text(row.labels_per_item)},
          {"accuracy", number_text(row.accuracy)},
          {"stderr", std::isnan(row.standard_error) ? "" : number_text(row.standard_error)},
          {"expected_accuracy", number_text(row.expected_accuracy)},
          {"seconds", number_text(row.seconds)}};
}

std::string csv_text(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    std::vector<std::string> names, values;
    for (const auto& [name, value] : fields(row)) {
      names.emplace_back(name);
      values.push_back(value);
    }
    if (text.empty()) text += csv_line(names);
    text += csv_line(values);
  }
  return text;
}

std::string json_text(const SimulateOptions& options, const Experiment& experiment,
                      const std::vector<Row>& rows) {
  std::vector<std::string> members;
  for (const Row& row : rows) {
    auto members_of_row = fields(row);
    for (auto& [name, value] : members_of_row) {
      if (value.empty()) value = "null";
    }
    members_of_row.front().second = json_string(row.policy);
    members.push_back("\n  " + json_object(members_of_row));
  }
  return json_object({{"items", fmt::format("{}", experiment.item_count)},
                      {"truth", json_string(options.truth)},
                      {"prior", json_string(options.prior)},
                      {"ties", json_string(options.ties)},
                      {"runs", fmt::format("{}", experiment.runs)},
                      {"seed", fmt::format("{}", experiment.seed)},
                      {"rows", json_array(members)}}) +
         "\n";
}

}  // namespace

Result<std::string> simulate(const SimulateOptions& options) {
  const auto format = read_format(options.format);
  if (!format) return tl::unexpected(format.error());
  return read_experiment(options).and_then([&](const Experiment& experiment) {
    Progress progress;
    const ProgressBar bar("simulating", progress);
    return sim::run(experiment, &progress).map([&](const std::vector<Row>& rows) {
      switch (*format) {
        case Format::csv:
          return csv_text(rows);
        case Format::json:
          return json_text(options, experiment, rows);
        default:
          return table_text(options, experiment, rows);
      }
    });
  });
}

}  // namespace allot::cli
