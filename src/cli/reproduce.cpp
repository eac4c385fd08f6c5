#include <algorithm>
#include <filesystem>

#include "allot/io/label_csv.hpp"
#include "allot/io/text_file.hpp"
#include "allot/io/truth_csv.hpp"
#include "base/errors.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/progress_bar.hpp"
#include "cli/version.hpp"
#include "reproduce/workshop.hpp"

namespace allot::cli {
namespace {

using reproduce::Order;
using reproduce::Study;

constexpr std::uint64_t kMostReproducedRuns = 1'000'000;

struct ReproduceOptions {
  std::vector<std::string> labels;  // all if empty
  bool list = false;
  std::string runs = "20";
  std::string seed = "1";
  std::optional<std::string> threads;
  std::string folder = "report";
  std::optional<std::string> data;
};

std::string list(const std::vector<const Study*>& studies) {
  std::string text;
  for (const Study* study : studies) {
    text += fmt::format("  {:<21}{}{}\n", study->label, study->title,
                        study->needs_rte ? " (needs --data)" : "");
    if (!study->other_labels.empty())
      text += fmt::format("  {:<21}also {}\n", "", fmt::join(study->other_labels, ", "));
  }
  return text;
}

/// Studies of the labels, each once; all if there are no labels.
Result<std::vector<const Study*>> read_labels(const std::vector<std::string>& labels) {
  std::vector<const Study*> wanted;
  if (labels.empty()) {
    for (const Study& study : reproduce::studies()) wanted.push_back(&study);
  }
  for (const std::string& label : labels) {
    const auto found = reproduce::studies_named(label);
    if (found.empty()) {
      std::vector<std::string_view> known;
      for (const Study& study : reproduce::studies()) {
        known.push_back(study.label);
        known.insert(known.end(), study.other_labels.begin(), study.other_labels.end());
      }
      return invalid("unknown label {}{} ('allot reproduce --list' lists all)", in_quotes(label),
                     suggestion(label, known));
    }
    wanted.insert(wanted.end(), found.begin(), found.end());
  }
  return wanted;
}

/// FNV-1a hash.
std::uint64_t hash(std::string_view text, std::uint64_t value = 0xcbf29ce484222325) {
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return value;
}

/// Reads the two files of the folder.
Result<void> read_data(const std::string& folder, Order& order) {
  const std::string labels_path = (std::filesystem::path(folder) / "labels.csv").string(),
                    truth_path = (std::filesystem::path(folder) / "truth.csv").string();
  const auto labels_text = TRY(in_option("--data", io::read_text_file(labels_path)));
  const auto truth_text = TRY(in_option("--data", io::read_text_file(truth_path)));
  auto labels = TRY(in_file(labels_path, io::parse_labels(labels_text)));
  auto truth = TRY(in_file(truth_path, io::parse_truth(truth_text, labels)));
  if (labels.set.class_count != 2 || labels.set.labels.size() != 8000 ||
      labels.set.item_count != 800 || truth.known != 800) {
    return invalid(
        "--data {} has {} of {} with a truth for {}; expected the RTE labels: 8000 of two classes "
        "for 800 items",
        in_quotes(folder), count_text(labels.set.labels.size(), "label"),
        labels.set.class_count == 1 ? std::string("one class")
                                    : fmt::format("{} classes", labels.set.class_count),
        count_text(truth.known, "item"));
  }
  order.data_mark = hash(truth_text, hash(labels_text));
  order.settings.rte = std::make_shared<const sim::Recording>(
      sim::Recording{std::move(labels.set), std::move(truth.of_item)});
  return {};
}

Result<Order> read_order(const ReproduceOptions& options) {
  if (options.folder.empty()) return invalid("--out '' is not a folder; expected its name");
  Order order;
  order.folder = options.folder;
  order.version = version();
  order.wanted = TRY(read_labels(options.labels));
  order.settings.runs =
      TRY(read_whole<std::uint32_t>("--runs", options.runs, 1, kMostReproducedRuns));
  order.settings.seed = TRY(read_whole("--seed", options.seed, 0, UINT64_MAX));
  order.settings.threads = TRY(read_threads(options.threads));
  if (options.data) TRY(read_data(*options.data, order));
  return order;
}

bool is_wanted(const Order& order, const reproduce::Outcome& outcome) {
  return std::ranges::find(order.wanted, outcome.study) != order.wanted.end();
}

/// One line per study, and the totals.
std::string summary(const Order& order, const std::vector<reproduce::Outcome>& outcomes) {
  Table table({"label", "holds", "does not hold", "too few runs", ""});
  reproduce::Tally all;
  for (const reproduce::Outcome& outcome : outcomes) {
    if (!is_wanted(order, outcome) && outcome.tables.empty()) continue;
    reproduce::Tally tally;
    tally.add(outcome.claims);
    all.add(outcome.claims);
    const auto count = [](std::size_t number) {
      return number == 0 ? std::string() : fmt::format("{}", number);
    };
    const char* remark = outcome.state == reproduce::State::no_data ? "needs --data"
                         : outcome.state == reproduce::State::kept  ? "kept"
                                                                    : "";
    table.add({outcome.study->label, count(tally.holds), count(tally.fails), count(tally.unclear),
               remark});
  }
  return fmt::format("Claims of the paper: {}, seed {}\n\n{}\n  {} claims: {}\n  {}\n",
                     count_text(order.settings.runs, "run"), order.settings.seed, table.text(),
                     all.holds + all.fails + all.unclear, all.text(),
                     (std::filesystem::path(order.folder) / "index.html").string());
}

Result<Output> reproduce(const ReproduceOptions& options) {
  if (options.list) return Output{list(TRY(read_labels(options.labels)))};
  const auto order = TRY(read_order(options));
  Progress progress;
  const ProgressBar bar("reproducing", progress);
  const auto outcomes = TRY(reproduce::make(order, progress));
  Output output{summary(order, outcomes)};
  const bool without = std::ranges::any_of(outcomes, [&](const reproduce::Outcome& outcome) {
    return outcome.state == reproduce::State::no_data && is_wanted(order, outcome);
  });
  if (without) {
    output.notes.emplace_back(
        "the figures of the RTE labels are left out; expected --data DIR with labels.csv and "
        "truth.csv (index.html says how to get them)");
  }
  return output;
}

void add_options(Command& command, ReproduceOptions& options) {
  command.add("LABEL", &options.labels, "",
              "Labels of figures and tables in the paper's source, such as `fig:comp_task`", "all");
  command.add("--list", &options.list, "List the labels and do nothing else");
  command.add("--runs", &options.runs, "N", "Independent runs to average; the paper has 20");
  add_seed(command, options.seed);
  add_threads(command, options.threads);
  command.add("--out", &options.folder, "DIR", "Folder for the page, figures and data");
  command.add("--data", &options.data, "DIR",
              "Folder with `labels.csv` and `truth.csv` of the RTE data; without it those parts "
              "are left out");
}

}  // namespace

Command reproduce_command() {
  return make_command(
      "reproduce", "Redo the paper: every figure and table, and whether its claims hold", reproduce,
      add_options,
      {"Results that the folder already holds from the same runs and seed are kept, so an "
       "interrupted command resumes."},
      {"allot reproduce fig:comp_task tab:comp_time --runs 200 --out report"});
}

}  // namespace allot::cli
