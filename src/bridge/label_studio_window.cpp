// The window of open tasks, and answers sent back.
#include <algorithm>
#include <cmath>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "bridge/label_studio.hpp"
#include "io/json_object.hpp"

namespace allot::bridge {
namespace {

using campaign::Phase;
using campaign::State;

campaign::Time window_time() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

/// The data of a task: the fields of its item, and the item's id.
Result<std::string> task_data(const std::string& fields, const std::string& field,
                              const std::string& item) {
  auto members = TRY(io::parse_json_object(fields.empty() ? "{}" : fields));
  std::erase_if(members, [&](const io::JsonMember& one) { return one.name == field; });
  members.push_back({field, item, true});
  return fmt::format("{{\"data\": {}}}", io::json_text(members));
}

}  // namespace

Result<void> LabelStudioBridge::fill_window() {
  TRY(campaign_.expire(window_time()));
  const auto by_hand = TRY(campaign_.view().read(
      [](const State& state) { return state.phase() == Phase::paused && state.reason().empty(); }));
  if (by_hand != paused_)
    options_.say(by_hand ? "the campaign is paused, so no task is open" : "the campaign resumes");
  paused_ = by_hand;
  if (by_hand) return close_window();
  if (const std::size_t leased = leased_items().size(); leased < options_.window)
    TRY(lease_more(leased));
  const std::set<std::string> wanted = leased_items();
  TRY(add_tasks(wanted));
  std::vector<std::uint64_t> numbers;
  for (const auto& [number, task] : tasks_) numbers.push_back(number);
  for (const std::uint64_t number : numbers) {
    if (stop_.is_raised()) return {};
    const KnownTask& task = tasks_.at(number);
    const bool open = !task.is_double && wanted.contains(task.item);
    if (open != task.is_open) TRY(set_open(number, open));
  }
  return {};
}

Result<void> LabelStudioBridge::lease_more(std::size_t leased) {
  const auto more = static_cast<std::uint32_t>(options_.window - leased);
  const auto handed = campaign_.next(options_.holder, more, window_time());
  if (handed) return {};
  const ErrorCode code = handed.error().code;
  if (code == ErrorCode::store_failure || code == ErrorCode::outcome_unknown ||
      code == ErrorCode::internal)
    return tl::unexpected(handed.error());
  if (!leased_items().empty()) return {};
  done_ = true;
  report_.reason = handed.error().message;
  if (code != ErrorCode::budget_exhausted) return {};
  const auto account =
      TRY(campaign_.view().read([](const State& state) { return state.account(); }));
  if (account.spent == account.budget)
    report_.reason = fmt::format("the budget of {} is spent", money_text(account.budget));
  return {};
}

/// Items come to the project when their turn comes; tasks that are there already are used.
Result<void> LabelStudioBridge::add_tasks(const std::set<std::string>& items) {
  std::vector<std::string> missing, data;
  for (const std::string& item : items) {
    if (by_item_.contains(item)) continue;
    const auto number =
        TRY(campaign_.view().read([&](const State& state) { return state.find_item(item); }));
    const std::string fields = TRY(campaign_.view().content(*number));
    missing.push_back(item);
    data.push_back(TRY(task_data(fields, options_.item_field, item)));
  }
  if (missing.empty()) return {};
  const auto added = api_.import(data);
  if (added && added->size() == missing.size()) {
    for (std::size_t n = 0; n < missing.size(); ++n)
      enter({.id = (*added)[n], .data = {{options_.item_field, missing[n]}}});
    return {};
  }
  // The server may have them, or not: it knows best.
  TRY(read_all());
  return added.map([](const auto&) {});
}

Result<void> LabelStudioBridge::set_open(std::uint64_t number, bool open) {
  KnownTask& task = tasks_.at(number);
  const auto set = open ? api_.open_task(number, task.labels + 1) : api_.close_task(number);
  if (set) {
    task.is_open = open;
    return {};
  }
  if (set.error().code == ErrorCode::not_found) return drop(number);
  return set;
}

Result<void> LabelStudioBridge::close_window() {
  for (const std::string& item : leased_items())
    TRY(campaign_.release(item, options_.holder, window_time()));
  std::vector<std::uint64_t> open;
  for (const auto& [number, task] : tasks_)
    if (task.is_open) open.push_back(number);
  for (const std::uint64_t number : open) TRY(set_open(number, false));
  return {};
}

Result<void> LabelStudioBridge::send_predictions() {
  constexpr double kSameProbability = 0.005;
  for (const campaign::AnswerRow& row : TRY(campaign_.view().answers())) {
    const auto task = by_item_.find(row.item);
    if (!row.answer || task == by_item_.end()) continue;
    const double probability = row.probabilities[position(*row.answer)];
    const auto before = sent_.find(row.item);
    if (before != sent_.end() && before->second.answer == *row.answer &&
        std::abs(before->second.probability - probability) < kSameProbability)
      continue;
    auto& known = tasks_.at(task->second);
    const auto sent = api_.predict({task->second, control_.name, control_.object,
                                    campaign_options_.classes[position(*row.answer)], probability},
                                   known.prediction);
    if (!sent && sent.error().code == ErrorCode::not_found) {
      known.prediction.reset();  // somebody deleted it, or its task
      continue;
    }
    known.prediction = TRY(sent);
    sent_.insert_or_assign(row.item, Sent{*row.answer, probability});
    ++report_.predictions;
  }
  return {};
}

void LabelStudioBridge::report_progress() {
  std::size_t open = 0;
  for (const auto& [number, task] : tasks_) open += task.is_open;
  const auto line = campaign_.view().read([&](const State& state) {
    const campaign::Account& account = state.account();
    return fmt::format("{} in the campaign ({} new), {} open, spent {} of {}{}",
                       count_text(state.label_counts().all, "label"), report_.labels,
                       count_text(open, "task"), money_text(account.spent),
                       money_text(account.budget),
                       report_.extra + report_.refused == 0
                           ? ""
                           : fmt::format(", {} more than wanted ({} refused)",
                                         report_.extra + report_.refused, report_.refused));
  });
  if (!line || *line == last_line_) return;
  last_line_ = *line;
  options_.say(*line);
}

}  // namespace allot::bridge
