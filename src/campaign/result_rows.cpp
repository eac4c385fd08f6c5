#include "campaign/result_rows.hpp"

#include <algorithm>
#include <iterator>

#include "allot/base/text.hpp"
#include "allot/model/best_class.hpp"
#include "base/try.hpp"
#include "campaign/rows.hpp"
#include "io/json_object.hpp"

namespace allot::campaign {
namespace {

using io::Kind;

/// What the campaign found about the item of an answer.
std::vector<std::string> found_values(const AnswerRow& one, const Options& options) {
  std::vector<std::string> values{
      one.item,
      one.answer ? class_name(options, *one.answer) : "",
      one.answer ? number_text(one.probabilities[position(*one.answer)]) : "",
      one.calibrated ? number_text(*one.calibrated) : "",
      std::to_string(one.labels),
      std::string(answer_status(one))};
  if (options.ordered)
    values.push_back(one.answer ? number_text(model::expected_rank(one.probabilities)) : "");
  return values;
}

/// The values of a gold item in the same columns.
std::vector<std::string> known_values(const State& state, ItemId item) {
  const ClassId gold = *state.items().gold(item);
  std::vector<std::string> values{state.id(item),
                                  class_name(state.options(), gold),
                                  "1",
                                  "1",
                                  std::to_string(state.items().labels(item)),
                                  "known"};
  if (state.options().ordered) values.push_back(std::to_string(position(gold) + 1));
  return values;
}

}  // namespace

Result<ResultRows> ResultRows::begin(const CampaignView& campaign) {
  ResultRows rows;
  const auto answers = TRY(campaign.answers());
  TRY(campaign.read([&](const State& state) {
    if (state.options().ordered) rows.found_columns_.push_back({"expected_rank", Kind::real});
    auto answer = answers.begin();
    for (std::uint32_t i = 0; i < state.item_count() && rows.found_.size() == i; ++i) {
      const ItemId item{i};
      if (state.items().gold(item)) {
        rows.found_.push_back(known_values(state, item));
      } else if (answer != answers.end()) {
        rows.found_.push_back(found_values(*answer++, state.options()));
      }
    }
  }));
  TRY(rows.add_fields(campaign));
  return rows;
}

Result<void> ResultRows::add_fields(const CampaignView& campaign) {
  for (std::uint32_t i = 0; i < found_.size(); ++i) {
    const std::string fields = TRY(campaign.content(ItemId{i}));
    if (fields.empty()) continue;
    const auto members = TRY(io::parse_json_object(fields));
    for (const io::JsonMember& member : members) {
      if (!fields_.emplace(member.name, columns_.size()).second) continue;
      columns_.push_back({member.name});
    }
  }
  for (const auto& [name, kind] : found_columns_)
    columns_.push_back({fields_.contains(name) ? "allot_" + name : name, kind});
  return {};
}

Result<std::vector<std::string>> ResultRows::row(const CampaignView& campaign,
                                                 std::size_t item) const {
  std::vector<std::string> values(columns_.size());
  const std::string fields = TRY(campaign.content(ItemId{static_cast<std::uint32_t>(item)}));
  if (!fields.empty()) {
    for (const io::JsonMember& member : TRY(io::parse_json_object(fields))) {
      values[fields_.at(member.name)] = member.value;
    }
  }
  std::ranges::copy(found_[item], values.end() - std::ssize(found_columns_));
  return values;
}

Result<bool> ResultRows::more(const CampaignView& campaign, std::size_t most,
                              const std::function<void(const std::vector<std::string>&)>& write) {
  const std::size_t end = std::min(at_ + most, found_.size());
  if (at_ == end) return false;
  for (; at_ < end; ++at_) write(TRY(row(campaign, at_)));
  return true;
}

}  // namespace allot::campaign
