// Rounds of the bridge: wait, read annotations, record them. The window is in
// label_studio_window.cpp.
#include "bridge/label_studio.hpp"

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::bridge {
namespace {

using campaign::Outcome;
using campaign::State;
using std::chrono::steady_clock;

campaign::Time clock_time() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

/// Trouble that another round can be without.
bool is_passing(const Error& error) {
  return error.code == ErrorCode::store_failure || error.code == ErrorCode::conflict ||
         error.code == ErrorCode::not_found;
}

/// Of each person the last annotation, which is the one that counts.
std::vector<Annotation> last_ones(const std::vector<Annotation>& annotations) {
  std::map<std::string, Annotation> last;
  for (const Annotation& one : annotations) {
    const auto [place, is_new] = last.emplace(one.person, one);
    if (!is_new && one.id > place->second.id) place->second = one;
  }
  std::vector<Annotation> result;
  for (auto& [person, one] : last) result.push_back(std::move(one));
  std::ranges::sort(result, {}, &Annotation::id);
  return result;
}

}  // namespace

LabelStudioBridge::LabelStudioBridge(campaign::Campaign& campaign, LabelStudioApi& api,
                                     LabelStudioOptions options, const StopFlag& stop)
    : campaign_(campaign), api_(api), options_(std::move(options)), stop_(stop) {}

Result<void> LabelStudioBridge::start() {
  campaign_options_ =
      TRY(campaign_.view().read([](const State& state) { return state.options(); }));
  const Project project = TRY(api_.project());
  control_ = TRY(control_for(project.config, options_.control, campaign_options_.classes));
  if (project.sampling != "Sequential sampling" || project.maximum_annotations != 1) {
    TRY(api_.set_queue());
    options_.say("set the project to sequential sampling and one annotation per task");
  }
  TRY(read_all());
  options_.say(fmt::format("project {} {}: {}, control {}", api_.project_number(),
                           in_quotes(project.title), count_text(tasks_.size(), "task"),
                           in_quotes(control_.name)));
  return {};
}

void LabelStudioBridge::look_at(std::uint64_t task) {
  const std::scoped_lock lock(mutex_);
  // A round looks at all open tasks anyway, so a flood of hints needs no memory.
  constexpr std::size_t kMostHints = 10'000;
  if (hints_.size() < kMostHints) hints_.insert(task);
  wake_ = true;
  woken_.notify_all();
}

void LabelStudioBridge::wake() {
  const std::scoped_lock lock(mutex_);
  wake_ = true;
  woken_.notify_all();
}

void LabelStudioBridge::wait_until(steady_clock::time_point time) {
  std::unique_lock lock(mutex_);
  woken_.wait_until(lock, time, [&] { return wake_; });
  wake_ = false;
}

Result<LabelStudioReport> LabelStudioBridge::run() {
  auto next_poll = steady_clock::now(), next_sweep = next_poll + options_.sweep;
  while (!stop_.is_raised() && !done_) {
    const auto now = steady_clock::now();
    const bool sweep = now >= next_sweep, poll = now >= next_poll;
    if (sweep) next_sweep = now + options_.sweep;
    if (poll) next_poll = now + options_.poll;
    if (const auto worked = work_once(poll, sweep); !worked) {
      if (!is_passing(worked.error())) return tl::unexpected(worked.error());
      ++report_.failures;
      options_.say(fmt::format("{}; trying again", worked.error().message));
      next_poll = std::min(next_poll, now + options_.poll);
    } else {
      report_progress();
    }
    if (!done_ && !stop_.is_raised()) wait_until(std::min(next_poll, next_sweep));
  }
  // Nobody may label what nobody counts.
  if (const auto closed = close_window(); !closed) {
    options_.say(fmt::format("tasks may have stayed open: {}", closed.error().message));
  }
  const bool send = options_.predictions == SendPredictions::always ||
                    (done_ && options_.predictions == SendPredictions::at_end);
  if (const auto sent = send ? send_predictions() : Result<void>(); !sent) {
    options_.say(fmt::format("answers may be missing in Label Studio: {}; start again to send them",
                             sent.error().message));
  }
  return report_;
}

Result<void> LabelStudioBridge::work_once(bool poll, bool sweep) {
  std::set<std::uint64_t> look;
  {
    const std::scoped_lock lock(mutex_);
    look.swap(hints_);
  }
  if (sweep) {
    TRY(read_all());
  } else {
    if (poll) {
      for (const auto& [number, task] : tasks_)
        if (task.is_open) look.insert(number);
    }
    for (const std::uint64_t number : look)
      if (tasks_.contains(number)) TRY(refresh(number));
  }
  TRY(fill_window());
  if (sweep && options_.predictions == SendPredictions::always) TRY(send_predictions());
  return {};
}

void LabelStudioBridge::enter(const Task& task) {
  const auto field = task.data.find(options_.item_field);
  const std::string item = field != task.data.end() ? field->second : fmt::format("{}", task.id);
  KnownTask& known = tasks_[task.id];
  known.item = item;
  known.is_open = !task.is_labeled;
  if (task.prediction) known.prediction = task.prediction;
  known.is_double = !by_item_.emplace(item, task.id).second && by_item_[item] != task.id;
}

Result<void> LabelStudioBridge::read_all() {
  std::set<std::uint64_t> found;
  for (std::uint32_t page = 1;; ++page) {
    const std::vector<Task> tasks = TRY(api_.tasks(page));
    const std::size_t before = found.size();
    for (const Task& task : tasks) {
      if (!found.insert(task.id).second) continue;
      enter(task);
      TRY(take_all(task.id, task.annotations));
    }
    if (found.size() == before) break;  // the last page, or a server that repeats it
  }
  std::vector<std::uint64_t> gone;
  for (const auto& [number, task] : tasks_)
    if (!found.contains(number)) gone.push_back(number);
  for (const std::uint64_t number : gone) TRY(refresh(number));  // which drops it if it is gone
  return {};
}

Result<void> LabelStudioBridge::refresh(std::uint64_t task) {
  const auto annotations = api_.annotations(task);
  if (annotations) {
    const std::uint64_t before = tasks_[task].labels;
    TRY(take_all(task, *annotations));
    // Label Studio closes a task by itself when it has as many annotations as wanted.
    if (tasks_[task].labels > before) tasks_[task].is_open = false;
    return {};
  }
  if (annotations.error().code == ErrorCode::not_found) return drop(task);
  return tl::unexpected(annotations.error());
}

Result<void> LabelStudioBridge::take_all(std::uint64_t number,
                                         const std::vector<Annotation>& annotations) {
  KnownTask& task = tasks_[number];
  std::set<std::uint64_t> present;
  std::uint64_t labels = 0;
  for (const Annotation& one : annotations) {
    present.insert(one.id);
    labels += !one.cancelled;
  }
  for (const std::uint64_t id : task.annotations) {
    if (present.contains(id)) continue;
    ++report_.deleted_annotations;
    options_.say(fmt::format("annotation {} of task {} was deleted; its label stays", id, number));
  }
  task.labels = labels;
  task.annotations = std::move(present);
  for (const Annotation& one : last_ones(annotations)) TRY(take(task, one));
  return {};
}

Result<void> LabelStudioBridge::take(KnownTask& task, const Annotation& annotation) {
  if (annotation.cancelled || annotation.ground_truth || given_up_.contains(annotation.id))
    return {};
  const auto known = TRY(campaign_.view().read(
      [&](const State& state) { return state.find_item(task.item).has_value(); }));
  if (!known) return {};
  const auto [first, last] = annotation.choices.equal_range(control_.name);
  const auto& classes = campaign_options_.classes;
  if (std::distance(first, last) != 1 || annotation.person.empty() ||
      std::ranges::find(classes, first->second) == classes.end()) {
    given_up_.insert(annotation.id);
    ++report_.unreadable;
    options_.say(fmt::format("annotation {} of item {} is left out: expected one of {}",
                             annotation.id, in_quotes(task.item), some_in_quotes(classes, 8)));
    return {};
  }
  return record(task, annotation, first->second);
}

Result<void> LabelStudioBridge::record(KnownTask& task, const Annotation& annotation,
                                       const std::string& label) {
  struct Before {
    std::optional<std::string> label = {};
    bool held = false;
  };
  const auto before = TRY(campaign_.view().read([&](const State& state) {
    Before found;
    const auto item = state.find_item(task.item);
    const auto worker = state.find_worker(annotation.person);
    const auto holder = state.find_worker(options_.holder);
    const auto said = worker ? state.pairs().label(*item, *worker) : std::nullopt;
    if (said) found.label = campaign::class_name(state.options(), *said);
    found.held = holder && state.leases().find(*item, *holder).has_value();
    return found;
  }));
  if (before.label == label) return {};
  const std::string key =
      fmt::format("label-studio:{}:{}{}", api_.project_number(), annotation.id,
                  before.label ? ":" + annotation.updated_at + ":" + label : "");
  const auto outcome =
      campaign_.collect({task.item, annotation.person, label}, options_.holder, clock_time(), key);
  if (outcome) {
    ++(before.label ? report_.revised : report_.labels);
    if (!before.label && !before.held) ++report_.extra;
    return {};
  }
  if (outcome.error().code == ErrorCode::store_failure ||
      outcome.error().code == ErrorCode::outcome_unknown ||
      outcome.error().code == ErrorCode::internal)
    return tl::unexpected(outcome.error());
  given_up_.insert(annotation.id);
  ++report_.refused;
  options_.say(
      fmt::format("annotation {} is not counted: {}", annotation.id, outcome.error().message));
  return {};
}

Result<void> LabelStudioBridge::drop(std::uint64_t number) {
  const std::string item = tasks_[number].item;
  tasks_.erase(number);
  if (by_item_[item] != number) return {};
  by_item_.erase(item);
  ++report_.deleted_tasks;
  const std::set<std::string> leased = leased_items();
  if (leased.contains(item)) TRY(campaign_.release(item, options_.holder, clock_time()));
  // An item that is finished already needs no more.
  static_cast<void>(campaign_.settle(item, "deleted in Label Studio", clock_time()));
  options_.say(fmt::format("task {} was deleted; nobody is asked about item {} any more", number,
                           in_quotes(item)));
  return {};
}

std::set<std::string> LabelStudioBridge::leased_items() const {
  std::set<std::string> items;
  const auto found = campaign_.view().read([&](const State& state) {
    const auto holder = state.find_worker(options_.holder);
    if (!holder) return;
    for (const campaign::Lease& one : state.leases().of(*holder)) items.insert(state.id(one.item));
  });
  return found ? items : std::set<std::string>();
}

}  // namespace allot::bridge
