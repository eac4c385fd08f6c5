// What a run of language models has done so far, for people who look at it.
//
// Threads of the run count labels, abstentions, skipped and given back items, and say when they
// wait for a reply. Anybody can ask for a report meanwhile: it has the last remarks about items,
// and how long the oldest request has waited. Each call locks a mutex for a moment.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "allot/base/money.hpp"

namespace allot::bridge {

/// What one model did in this run.
struct ModelReport {
  std::uint64_t labels = 0;
  std::uint64_t abstained = 0;  ///< items about which no reply is a class
  std::uint64_t skipped = 0;    ///< items that lack a field of the prompt
  std::uint64_t failed = 0;     ///< items given back because requests about them failed
  Money cost = {};
};

/// Why a model abstained from an item or skipped it, such as "replied 'perhaps'".
struct ItemRemark {
  std::string model, item, why;
};

struct ChatReport {
  std::map<std::string, ModelReport> models = {};
  std::vector<ItemRemark> remarks = {};  ///< the last ones, oldest first
  std::string waits = {};                ///< what the run waits for; empty if it works
  std::chrono::seconds oldest{0};        ///< time for which the oldest request has waited
  std::string reason = {};               ///< why it ended; empty if it was stopped
  std::string trouble = {};              ///< the last failure; empty for none
};

class ChatProgress {
 public:
  /// Calls `say` with lines.
  ChatProgress(const std::vector<std::string>& models, std::function<void(const std::string&)> say);

  void add_label(const std::string& model, Money price);
  /// Says it too, the first times that the model abstains or skips an item.
  void add_abstention(const ItemRemark& remark, Money price);
  void add_skip(const ItemRemark& remark);
  /// An item was given back; `trouble` is empty if that is not worth telling.
  void add_failure(const std::string& model, const std::string& trouble);
  /// A label that the campaign refused.
  void add_refusal(const std::string& model, const std::string& trouble);

  /// A request that waits for its reply as long as the object lives.
  class Request {
   public:
    explicit Request(ChatProgress& progress);
    ~Request();
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;

   private:
    ChatProgress& progress_;
    const std::chrono::steady_clock::time_point since_;
  };

  /// What the run waits for from now on; says it if it is new. Empty if it works.
  void set_waits(const std::string& what);
  void set_reason(const std::string& reason);

  /// Says how far the run is, if it is that long since the last line and there is news: counts
  /// changed, or a request has waited as long.
  void say_progress(std::chrono::milliseconds between_lines);

  ChatReport report() const;

 private:
  std::chrono::steady_clock::duration oldest(std::chrono::steady_clock::time_point now) const;
  void remark_on(const ItemRemark& remark, std::string_view what, std::uint64_t so_far);

  const std::function<void(const std::string&)> say_;
  mutable std::mutex mutex_;
  ChatReport report_;
  std::multiset<std::chrono::steady_clock::time_point> requests_;
  bool has_news_ = false;
  std::chrono::steady_clock::time_point last_line_ = std::chrono::steady_clock::now();
};

}  // namespace allot::bridge
