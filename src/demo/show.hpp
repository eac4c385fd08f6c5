// The demo: a campaign on the messages, a copy of it that splits its labels equally, a third one
// with language models that err together and people, a link for the visitor, and a simulated crowd
// that works in all campaigns, through the public API.
//
// A copy (twin) that somebody makes later starts without labels and catches up quickly; then all
// campaigns go on in step, with equally many labels of the crowd. Campaigns that are paused or out
// of budget are checked once per second. A part of every budget is kept for the visitor, who then
// always finds work.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "allot/base/result.hpp"
#include "demo/api.hpp"
#include "demo/crowd.hpp"

namespace allot::demo {

/// Budget of the crowd, and about how many labels it buys: four per message.
inline constexpr const char* kCrowdBudget = "48";
inline constexpr std::uint64_t kLabels = 1220;
/// Budget of the visitor: one label per message, at the visitor's price.
inline constexpr const char* kSeatBudget = "15";
inline constexpr const char* kVisitorPrice = "0.05";
/// Sum of both budgets.
inline constexpr const char* kBudget = "63";
/// Budget of the campaign with language models, the visitor's included, and items of its people's
/// sample.
inline constexpr const char* kModelsBudget = "45";
inline constexpr std::uint64_t kPeopleSample = 60;

/// State that a demo needs to resume after a restart; a file in its data folder.
struct Ticket {
  /// Tokens of the admin and the requester.
  std::string admin = {}, requester = {};
  std::string campaign = {};
  /// The campaign with language models; empty in demos that an older allot made.
  std::string models = {};
  /// Address of the visitor's page: "/label/CAMPAIGN#TOKEN".
  std::string link = {};
  std::uint64_t seed = 1;

  std::string text() const;
  static Result<Ticket> parse(const std::string& text);
  bool operator==(const Ticket&) const = default;
};

/// Creates a requester, the campaign with its items and prices, its twin, the campaign with
/// language models, and the visitor's link.
Result<Ticket> set_up(Api& api, const std::string& admin, std::uint64_t seed);

/// The crowd, on its own thread until the object ends; the end waits for the call under way.
class Show {
 public:
  Show(std::unique_ptr<Api> api, Ticket ticket, double pace);
  ~Show();

 private:
  class Stall;  // the crowd's work in one campaign
  void run(const std::stop_token& ending);
  std::chrono::steady_clock::duration step() const;
  void find_campaigns();
  void tick(std::chrono::steady_clock::time_point until);

  const std::unique_ptr<Api> api_;
  const Ticket ticket_;
  const double pace_;
  std::map<std::string, std::unique_ptr<Stall>> stalls_;
  std::jthread thread_;
};

}  // namespace allot::demo
