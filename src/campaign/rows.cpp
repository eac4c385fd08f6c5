#include "campaign/rows.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"

namespace allot::campaign {
namespace {

using io::Column;
using io::Kind;

std::string whole(std::uint64_t count) { return fmt::format("{}", count); }

}  // namespace

void add_class_columns(std::vector<Column>& columns, const std::string& prefix,
                       const std::vector<std::string>& classes) {
  for (const std::string& name : classes) columns.push_back({prefix + name, Kind::real});
}

void add_numbers(std::vector<std::string>& row, std::span<const double> numbers) {
  for (const double number : numbers) row.push_back(number_text(number));
}

std::vector<Column> answer_columns(const Options& options) {
  std::vector<Column> columns{{"item"},
                              {"answer"},
                              {"probability", Kind::real},
                              {"labels", Kind::exact},
                              {"entropy", Kind::real},
                              {"disagreement", Kind::real},
                              {"settled"}};
  add_class_columns(columns, "p_", options.classes);
  return columns;
}

std::vector<std::string> answer_values(const AnswerRow& one, const Options& options) {
  const std::uint32_t answer = position(one.answer);
  std::vector<std::string> row{one.item,
                               options.classes[answer],
                               number_text(one.probabilities[answer]),
                               whole(one.labels),
                               number_text(one.entropy),
                               number_text(one.disagreement),
                               std::string(one.finish_reason)};
  add_numbers(row, one.probabilities);
  return row;
}

std::vector<Column> worker_columns() {
  return {{"worker"},
          {"labels", Kind::exact},
          {"at_hand", Kind::exact},
          {"skips", Kind::exact},
          {"reliability", Kind::real},
          {"low", Kind::real},
          {"high", Kind::real},
          {"agreement", Kind::real},
          {"gold", Kind::exact},
          {"gold_right", Kind::exact},
          {"price", Kind::exact},
          {"spent", Kind::exact}};
}

std::vector<std::string> worker_values(const WorkerRow& one) {
  return {one.worker,
          whole(one.facts.labels),
          whole(one.facts.leases),
          whole(one.facts.skips),
          number_text(one.reliability),
          number_text(one.low),
          number_text(one.high),
          one.agreement ? number_text(*one.agreement) : "",
          whole(one.facts.gold),
          whole(one.facts.gold_right),
          money_text(one.price),
          money_text(one.facts.spent)};
}

}  // namespace allot::campaign
