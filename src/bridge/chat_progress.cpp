#include "bridge/chat_progress.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"

namespace allot::bridge {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t kMostRemarks = 5;
/// Abstentions and skipped items of a model that get a line of their own.
constexpr std::uint64_t kMostRemarkLines = 20;

}  // namespace

ChatProgress::ChatProgress(const std::vector<std::string>& models,
                           std::function<void(const std::string&)> say)
    : say_(std::move(say)) {
  for (const std::string& model : models) report_.models[model];
}

void ChatProgress::add_label(const std::string& model, Money price) {
  const std::scoped_lock lock(mutex_);
  ModelReport& mine = report_.models[model];
  ++mine.labels;
  mine.cost += price;
  has_news_ = true;
}

void ChatProgress::add_abstention(const ItemRemark& remark, Money price) {
  std::uint64_t so_far = 0;
  {
    const std::scoped_lock lock(mutex_);
    ModelReport& mine = report_.models[remark.model];
    so_far = ++mine.abstained;
    mine.cost += price;
  }
  remark_on(remark, "abstains on", so_far);
}

void ChatProgress::add_skip(const ItemRemark& remark) {
  std::uint64_t so_far = 0;
  {
    const std::scoped_lock lock(mutex_);
    so_far = ++report_.models[remark.model].skipped;
  }
  remark_on(remark, "skips", so_far);
}

void ChatProgress::remark_on(const ItemRemark& remark, std::string_view what,
                             std::uint64_t so_far) {
  {
    const std::scoped_lock lock(mutex_);
    has_news_ = true;
    report_.remarks.push_back(remark);
    if (report_.remarks.size() > kMostRemarks) report_.remarks.erase(report_.remarks.begin());
  }
  if (so_far <= kMostRemarkLines)
    say_(fmt::format("{} {} item {}: it {}", remark.model, what, in_quotes(remark.item),
                     remark.why));
}

void ChatProgress::add_failure(const std::string& model, const std::string& trouble) {
  const std::scoped_lock lock(mutex_);
  ++report_.models[model].failed;
  if (!trouble.empty()) report_.trouble = trouble;
}

void ChatProgress::add_refusal(const std::string& model, const std::string& trouble) {
  add_failure(model, trouble);
  say_(fmt::format("{}: {}", model, trouble));
}

ChatProgress::Request::Request(ChatProgress& progress)
    : progress_(progress), since_(Steady::now()) {
  const std::scoped_lock lock(progress_.mutex_);
  progress_.requests_.insert(since_);
}

ChatProgress::Request::~Request() {
  const std::scoped_lock lock(progress_.mutex_);
  progress_.requests_.erase(progress_.requests_.find(since_));
}

void ChatProgress::set_waits(const std::string& what) {
  {
    const std::scoped_lock lock(mutex_);
    if (report_.waits == what) return;
    report_.waits = what;
  }
  say_(what.empty() ? "goes on" : fmt::format("waits: {}", what));
}

void ChatProgress::set_reason(const std::string& reason) {
  const std::scoped_lock lock(mutex_);
  report_.reason = reason;
}

Steady::duration ChatProgress::oldest(Steady::time_point now) const {
  return requests_.empty() ? Steady::duration(0) : now - *requests_.begin();
}

void ChatProgress::say_progress(std::chrono::milliseconds between_lines) {
  std::string line;
  {
    const std::scoped_lock lock(mutex_);
    const auto now = Steady::now();
    const auto waited = oldest(now);
    if (now - last_line_ < between_lines || !(has_news_ || waited >= between_lines)) return;
    last_line_ = now;
    has_news_ = false;
    std::uint64_t labels = 0, abstained = 0;
    Money cost;
    for (const auto& [model, one] : report_.models) {
      labels += one.labels;
      abstained += one.abstained;
      cost += one.cost;
    }
    line = fmt::format("{}, {} abstained, cost {}", count_text(labels, "label"), abstained,
                       money_text(cost));
    if (waited >= between_lines)
      line += fmt::format("; the oldest request has waited {} s for its reply",
                          std::chrono::floor<std::chrono::seconds>(waited).count());
  }
  say_(line);
}

ChatReport ChatProgress::report() const {
  const std::scoped_lock lock(mutex_);
  ChatReport report = report_;
  report.oldest = std::chrono::floor<std::chrono::seconds>(oldest(Steady::now()));
  return report;
}

}  // namespace allot::bridge
