#include "cli/campaign_rows.hpp"

#include <fmt/format.h>

#include "cli/output.hpp"

namespace allot::cli {
namespace {

std::string whole(std::uint64_t count) { return fmt::format("{}", count); }

}  // namespace

Result<std::vector<std::string>> classes_of(const OpenCampaign& open) {
  return looked_at(open, [](const campaign::State& state) { return state.options().classes; });
}

void add_class_columns(std::vector<Column>& columns, const std::string& prefix,
                       const std::vector<std::string>& classes) {
  for (const std::string& name : classes) columns.push_back({prefix + name, Kind::real});
}

void add_numbers(std::vector<std::string>& row, std::span<const double> numbers) {
  for (const double number : numbers) row.push_back(number_text(number));
}

Result<Sheet> answer_sheet(const OpenCampaign& open) {
  const auto classes = classes_of(open);
  if (!classes) return tl::unexpected(classes.error());
  return open->answers().map([&](const std::vector<campaign::AnswerRow>& answers) {
    std::vector<Column> columns{{"item"},
                                {"answer"},
                                {"probability", Kind::real},
                                {"labels", Kind::exact},
                                {"entropy", Kind::real},
                                {"disagreement", Kind::real},
                                {"settled"}};
    add_class_columns(columns, "p_", *classes);
    Sheet sheet(columns);
    for (const campaign::AnswerRow& one : answers) {
      std::vector<std::string> row{one.item,
                                   (*classes)[position(one.answer)],
                                   number_text(one.probabilities[position(one.answer)]),
                                   whole(one.labels),
                                   number_text(one.entropy),
                                   number_text(one.disagreement),
                                   std::string(one.settled)};
      add_numbers(row, one.probabilities);
      sheet.add(std::move(row));
    }
    return sheet;
  });
}

Result<Sheet> worker_sheet(const OpenCampaign& open) {
  return open->workers().map([](const std::vector<campaign::WorkerRow>& workers) {
    Sheet sheet({{"worker"},
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
                 {"spent", Kind::exact}});
    for (const campaign::WorkerRow& one : workers) {
      sheet.add({one.worker, whole(one.facts.labels), whole(one.facts.leases),
                 whole(one.facts.skips), number_text(one.reliability), number_text(one.low),
                 number_text(one.high), one.agreement ? number_text(*one.agreement) : "",
                 whole(one.facts.gold), whole(one.facts.gold_right), money_text(one.price),
                 money_text(one.facts.spent)});
    }
    return sheet;
  });
}

}  // namespace allot::cli
