// The demo: a campaign on the messages, a seat in it for the visitor, and a crowd that works in it
// and in every campaign made from it, all of it through the public API.
//
// A campaign that is made to compare with (a twin) begins with nothing and is caught up quickly,
// label by label; then all go on abreast, so at any time they have as many labels of the crowd.
// Campaigns that are paused or have spent their budget are looked at once a second. A part of every
// budget is not for the crowd, so that the visitor has something to do however late they come.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "allot/base/result.hpp"
#include "demo/api.hpp"
#include "demo/shift.hpp"

namespace allot::demo {

/// What the crowd may earn, and about how many labels that buys: four a message.
inline constexpr const char* kCrowdBudget = "48";
inline constexpr std::uint64_t kLabels = 1220;
/// What is kept for the visitor: a label for every message, at the visitor's price.
inline constexpr const char* kSeatBudget = "15";
inline constexpr const char* kVisitorPrice = "0.05";
/// Both.
inline constexpr const char* kBudget = "63";
/// Labels a second, if not told otherwise: the story takes two and a half minutes.
inline constexpr double kPace = 8;

/// What a demo must know to go on after a restart; kept in its data folder.
struct Ticket {
  /// Tokens.
  std::string admin = {}, requester = {};
  std::string campaign = {};
  /// The visitor's, such as "/label/CAMPAIGN#TOKEN".
  std::string link = {};
  std::uint64_t seed = 1;

  std::string text() const;
  static Result<Ticket> parse(const std::string& text);
  bool operator==(const Ticket&) const = default;
};

/// A requester, the campaign with its items and prices, and the visitor's link.
Result<Ticket> set_up(Api& api, const std::string& admin, std::uint64_t seed);

/// The crowd, on a thread of its own until it ends.
class Show {
 public:
  Show(std::unique_ptr<Api> api, Ticket ticket, double pace);
  /// Finishes the call under way.
  ~Show();
  Show(const Show&) = delete;

 private:
  class Stall;  // of one campaign
  void run();
  std::chrono::steady_clock::duration step() const;
  void find_campaigns();
  void tick(std::chrono::steady_clock::time_point until);

  const std::unique_ptr<Api> api_;
  const Ticket ticket_;
  const double pace_;
  std::map<std::string, std::unique_ptr<Stall>> stalls_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace allot::demo
