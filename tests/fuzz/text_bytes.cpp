// Texts that people and programs write: JSON, tables, settings, addresses, prompts, options.
#include "fuzz/text_bytes.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "allot/base/money.hpp"
#include "allot/base/time_text.hpp"
#include "allot/io/answer_file.hpp"
#include "allot/io/budget_text.hpp"
#include "allot/io/distribution_text.hpp"
#include "allot/io/feature_csv.hpp"
#include "allot/io/finished_answers.hpp"
#include "allot/io/group_csv.hpp"
#include "allot/io/item_file.hpp"
#include "allot/io/label_csv.hpp"
#include "allot/io/label_formats.hpp"
#include "allot/io/pool_text.hpp"
#include "allot/io/price_csv.hpp"
#include "allot/io/refit_text.hpp"
#include "allot/io/review_csv.hpp"
#include "allot/io/stop_text.hpp"
#include "allot/io/truth_csv.hpp"
#include "allot/io/verdict_csv.hpp"
#include "allot/store/location.hpp"
#include "bridge/chat_prompt.hpp"
#include "bridge/label_config.hpp"
#include "cli/model_settings.hpp"
#include "cli/serve_settings.hpp"
#include "fuzz/demand.hpp"
#include "fuzz/pieces.hpp"
#include "http/url.hpp"
#include "io/exact_json.hpp"
#include "io/json_object.hpp"
#include "serve/body.hpp"

namespace allot::test {
namespace {

const io::LabelFile& small_labels() {
  static const io::LabelFile labels =
      io::parse_labels("item,worker,label\na,w,no\nb,w,yes\na,v,yes\n").value();
  return labels;
}

/// What the reader says of the items if the text comes in pieces; nothing if it refuses them.
std::optional<std::size_t> items_in_pieces(std::string_view bytes, std::size_t piece) {
  io::ItemReader reader;
  std::size_t found = 0;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    const auto items = reader.take(bytes.substr(0, piece));
    check_refusal(items);
    if (!items) return {};
    found += items->size();
  }
  const auto last = reader.finish();
  check_refusal(last);
  if (!last) return {};
  return found + last->size();
}

/// Verdicts on three answers, of which two were drawn.
void check_verdicts(std::string_view bytes) {
  static const io::FinishedAnswers answers =
      io::parse_finished_answers("item,answer\na,no\nb,yes\nc,yes\n").value();
  static const std::vector<bool> drawn{true, true, false};
  const auto verdicts = io::parse_verdicts(bytes, answers, drawn);
  check_refusal(verdicts);
  if (!verdicts) return;
  demand(verdicts->size() == answers.items.size(), "every answer has its place");
  for (std::size_t item = 0; item < drawn.size(); ++item) {
    const auto& verdict = (*verdicts)[item];
    demand(!verdict || drawn[item], "a verdict is on an item that was drawn");
    demand(!verdict || position(*verdict) < answers.classes.size(), "a verdict is a class");
  }
}

/// Budgets in money, with one price and no end, or with two prices and 1,000 labels.
void check_money_budgets(std::string_view bytes) {
  static const Money cheap = parse_money("0.35").value(), dear = parse_money("12.5").value();
  for (const io::LabelPrices& prices :
       {io::LabelPrices{dear, dear},
        io::LabelPrices{cheap, dear, 1000, parse_money("6000").value()}}) {
    const auto budgets = io::parse_money_budgets(bytes, 100, prices);
    check_refusal(budgets);
    if (!budgets) continue;
    for (const io::Budget& budget : *budgets | std::views::take(3)) {
      demand(budget.money && *budget.money >= prices.lowest, "a budget pays a label");
      demand(!prices.all || *budget.money <= *prices.all, "a budget is not above all labels");
      demand(budget.labels >= 1, "a budget buys a label");
      const auto again = io::parse_money_budgets(money_text(*budget.money), 100, prices);
      demand(again && again->front().money == budget.money, "an amount is read as it is written");
    }
  }
}

void check_refit(std::string_view bytes) {
  const std::string text(bytes);
  for (const auto& suited : {io::suited_refits(true, true), io::suited_refits(false, false)}) {
    const auto refit = io::read_refit("--refit", text, suited);
    check_refusal(refit);
    if (!refit) continue;
    demand(io::refit_name(*refit) == text, "a method is read as it is written");
    demand(std::ranges::find(suited, *refit) != suited.end(), "a method suits the items");
  }
}

void check_items(std::string_view bytes) {
  const auto items = io::parse_items(bytes);
  check_refusal(items);
  const auto pieces = items_in_pieces(bytes, 7);
  if (items) demand(pieces == items->size(), "items are the same whole and in pieces");
}

}  // namespace

void check_json_bytes(std::string_view bytes) {
  serve::Body body = serve::Body::parse(bytes);
  static_cast<void>(body.text_if("item"));
  static_cast<void>(body.scalar_if("label"));
  static_cast<void>(body.whole("count", 1, 1, 100));
  static_cast<void>(body.flag("revise"));
  static_cast<void>(body.money_if("price"));
  static_cast<void>(body.texts("classes", 10));
  static_cast<void>(body.numbers("features", 10));
  static_cast<void>(body.object_text("fields", 1000));
  for (serve::Body& one : body.objects("labels", 10)) {
    static_cast<void>(one.text("item"));
    check_refusal(one.done());
  }
  check_refusal(body.done());
  check_refusal(io::parse_json_object(bytes));
  static_cast<void>(io::parse_exact_json(bytes));
}

void check_label_bytes(std::string_view bytes) {
  const auto formats = io::label_formats();
  const std::size_t chosen = choose(bytes, formats.size() + 1);
  io::LabelReading reading;
  if (chosen > 0) reading.format = formats[chosen - 1].name;
  reading.duplicates = io::Duplicates::first;
  check_refusal(io::recognise_labels(bytes));
  const auto labels = io::parse_labels(bytes, reading);
  check_refusal(labels);
  if (!labels) return;
  for (const auto& [item, worker, label] : labels->set.labels) {
    demand(position(item) < labels->items.size(), "a label is of an item that is listed");
    demand(position(worker) < labels->workers.size(), "a label is by a worker who is listed");
    demand(position(label) < labels->classes.size(), "a label has a class that is listed");
  }
}

void check_table_bytes(std::string_view bytes) {
  switch (choose(bytes, 8)) {
    case 0:
      return check_items(bytes);
    case 1:
      return check_refusal(io::parse_features(bytes, small_labels()));
    case 2:
      return check_refusal(io::parse_truth(bytes, small_labels()));
    case 3:
      check_refusal(io::parse_groups(bytes, small_labels().workers));
      return check_refusal(io::list_prices(bytes));
    case 4:
      return check_refusal(io::parse_reviews(bytes));
    case 5:
      return check_refusal(io::parse_answers(bytes));
    case 6:
      return check_refusal(io::parse_finished_answers(bytes));
    default:
      return check_verdicts(bytes);
  }
}

void check_settings_bytes(std::string_view bytes) {
  static const int file = memfd_create("settings", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  demand(ftruncate(file, 0) == 0 &&
             pwrite(file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
         "there is memory for a file");
  check_refusal(cli::read_serve_settings(
      {}, path, [](const std::string&) { return std::optional<std::string>(); }));
  check_refusal(cli::read_model_endpoints(path));
}

void check_url_bytes(std::string_view bytes) {
  const auto url = http::parse_web_url(bytes);
  check_refusal(url);
  check_refusal(http::decode_target(bytes));
  const std::string location(bytes);
  const auto accepted = store::check_location(location);
  check_refusal(accepted);
  if (accepted && store::is_database(location)) static_cast<void>(store::shown_location(location));
}

void check_prompt_bytes(std::string_view bytes) {
  static const std::vector<std::string> classes{"no", "yes"};
  static const std::string fields = R"({"text": "a {{item}} of {{classes}}", "n": 1})";
  const auto prompt = bridge::PromptTemplate::parse(bytes);
  check_refusal(prompt);
  if (prompt) check_refusal(prompt->fill("i1", fields, classes, 1));
  if (const auto found = bridge::class_in(bytes, classes))
    demand(*found == "no" || *found == "yes", "a reply names a class");
  static_cast<void>(bridge::choices_in(bytes));
  check_refusal(bridge::control_for(bytes, {}, classes));
}

void check_option_bytes(std::string_view bytes) {
  switch (choose(bytes, 10)) {
    case 0:
      if (const auto amount = parse_money(bytes))
        demand(parse_money(money_text(*amount)) == *amount, "an amount is read as it is written");
      return;
    case 1:
      if (const auto time = parse_time(bytes)) {
        const auto again = parse_time(time_text(*time));
        demand(again.has_value(), "a time is read as it is written");
      }
      return;
    case 2:
      return check_refusal(io::parse_budgets(bytes, 100, 1000));
    case 3:
      return check_refusal(io::parse_item_prior(bytes));
    case 4:
      return check_refusal(io::parse_dirichlet_prior(bytes, 4));
    case 5:
      return check_refusal(io::parse_soft_labels(bytes));
    case 6:
      return check_refusal(io::parse_pool(bytes));
    case 7:
      return check_refusal(io::parse_stop_rules(bytes));
    case 8:
      return check_money_budgets(bytes);
    default:
      return check_refit(bytes);
  }
}

}  // namespace allot::test
