// Lets the people of a Label Studio project label the items of a campaign.
//
// Label Studio chooses the next task by its own rules, but offers only tasks whose is_labeled is
// false. So the bridge keeps a window: it leases the best items of the campaign to a worker of its
// own, the holder, opens their tasks, and keeps all others closed. A person who annotates a task
// becomes a worker of the campaign, the holder's lease ends, and the price is paid. Then the next
// best item takes its place. Who gets which open task is up to Label Studio.
//
// Everything that counts is in the ledger: leases of the holder, and labels, each at most once per
// person and item. The bridge can be killed at any time and resumes from the ledger and the server.
// Webhooks only say where to look; annotations are always read by the API, by polling too, so lost
// and forged webhooks do no harm.
//
// More labels than wanted can come: from a second person who has the task on the screen, or who
// opens a closed task. They are taken while budget and item allow, else refused, and both are
// counted. At any time at most the open tasks and those on screens can cause one.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "allot/campaign/campaign.hpp"
#include "bridge/label_config.hpp"
#include "bridge/label_studio_api.hpp"

namespace allot::bridge {

/// When answers are sent back. Annotators may see them, so by default only after the last label.
enum class SendPredictions { never, at_end, always };

struct LabelStudioOptions {
  /// Tasks that are open at a time; twice the number of people keeps everybody busy.
  std::uint32_t window = 10;
  /// Time between two looks at the open tasks, and at all tasks.
  std::chrono::milliseconds poll{15'000}, sweep{600'000};
  /// Field of a task's data that has the item's id. Tasks without it have their number as id.
  std::string item_field = "allot_item";
  std::optional<std::string> control = {};
  SendPredictions predictions = SendPredictions::at_end;
  /// The worker in whose name items are leased.
  std::string holder = "label-studio";
  /// Called with a line about what happened.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

/// What the bridge did, since it was started.
struct LabelStudioReport {
  std::uint64_t labels = 0;               ///< recorded
  std::uint64_t revised = 0;              ///< changed in Label Studio, and then here
  std::uint64_t extra = 0;                ///< recorded labels of tasks that were not in the window
  std::uint64_t refused = 0;              ///< annotations beyond the budget or the labels per item
  std::uint64_t unreadable = 0;           ///< annotations without exactly one class of the campaign
  std::uint64_t deleted_annotations = 0;  ///< their labels stay
  std::uint64_t deleted_tasks = 0;        ///< their items are settled
  std::uint64_t predictions = 0;          ///< answers sent
  std::uint64_t failures = 0;             ///< calls that failed and were repeated later
  std::string reason = {};                ///< why it ended; empty if it was stopped
};

class LabelStudioBridge {
 public:
  /// All must outlive the bridge.
  LabelStudioBridge(campaign::Campaign& campaign, LabelStudioApi& api, LabelStudioOptions options,
                    const StopFlag& stop);

  /// Checks the project, reads all tasks and closes those that are not wanted. Records what was
  /// annotated meanwhile.
  Result<void> start();
  /// Works until nothing is left to ask, or until the flag is raised. Then no task is open and no
  /// item leased. Errors of the server are reported and survived, a refused token is not.
  Result<LabelStudioReport> run();

  /// Says that something happened to a task. From any thread; returns at once.
  void look_at(std::uint64_t task);
  /// Ends a wait of `run`.
  void wake();

 private:
  struct KnownTask {
    std::string item;
    bool is_open = false;
    bool is_double = false;  // another task has the item
    std::uint64_t labels = 0;
    std::set<std::uint64_t> annotations = {};  // those seen
    std::optional<std::uint64_t> prediction = {};
  };
  /// An answer as it was sent.
  struct Sent {
    ClassId answer;
    double probability;
  };

  void wait_until(std::chrono::steady_clock::time_point time);
  Result<void> work_once(bool poll, bool sweep);
  Result<void> read_all();
  void enter(const Task& task);
  Result<void> refresh(std::uint64_t task);
  Result<void> take_all(std::uint64_t number, const std::vector<Annotation>& annotations);
  Result<void> take(KnownTask& task, const Annotation& annotation);
  Result<void> record(KnownTask& task, const Annotation& annotation, const std::string& label);
  Result<void> drop(std::uint64_t number);

  Result<void> fill_window();
  Result<void> lease_more(std::size_t leased);
  Result<void> add_tasks(const std::set<std::string>& items);
  Result<void> set_open(std::uint64_t number, bool open);
  Result<void> close_window();
  Result<void> send_predictions();
  std::set<std::string> leased_items() const;
  void report_progress();

  campaign::Campaign& campaign_;
  LabelStudioApi& api_;
  const LabelStudioOptions options_;
  const StopFlag& stop_;
  campaign::Options campaign_options_;
  ChoicesControl control_;

  std::map<std::uint64_t, KnownTask> tasks_;
  std::map<std::string, std::uint64_t> by_item_;
  std::set<std::uint64_t> given_up_;  // annotations that were refused or unreadable
  std::map<std::string, Sent> sent_;  // by item
  LabelStudioReport report_;
  std::string last_line_;
  bool paused_ = false, done_ = false;

  std::mutex mutex_;
  std::condition_variable woken_;
  std::set<std::uint64_t> hints_;  // tasks to look at
  bool wake_ = false;
};

}  // namespace allot::bridge
