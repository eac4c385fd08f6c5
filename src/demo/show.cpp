#include "demo/show.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cmath>
#include <condition_variable>
#include <mutex>

#include "base/try.hpp"
#include "serve/json.hpp"

namespace allot::demo {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;
using serve::JsonList;
using serve::JsonObject;

namespace {

constexpr const char* kVisitor = "you";
constexpr const char* kCampaignName = "Urgent messages";
constexpr const char* kModelsName = "Urgent messages, models and people";
/// The board knows a demo by this label of its token (web/src/board/demo.ts).
constexpr const char* kTokenLabel = "demo with simulated workers";
/// Time between two searches for new campaigns.
constexpr std::chrono::milliseconds kLookAround{500};
constexpr std::chrono::milliseconds kRetry{1000};
/// Pause between two labels while a campaign catches up, so that the change is visible and other
/// requests get their turn.
constexpr std::chrono::milliseconds kBreath{4};
/// Factor on the pace until every message has a label.
constexpr double kFirstRound = 3;

std::string page_json() {
  return JsonObject()
      .text("question", kQuestion)
      .text("instructions", kInstructions)
      .json("fields", JsonObject().text("message", "text"));
}

/// A campaign on the messages, with an option of its own.
std::string campaign_json(const char* name, const char* budget, const char* option,
                          std::uint64_t value, std::uint64_t seed) {
  return JsonObject()
      .text("name", name)
      .json("classes", JsonList().text(kClasses[0]).text(kClasses[1]))
      .text("budget", budget)
      .text("price", kVisitorPrice)
      .whole(option, value)
      .whole("seed", seed)
      .json("page", page_json());
}

std::string items_json() {
  JsonList list;
  for (const Message& one : messages()) {
    list.json(JsonObject()
                  .text("id", one.id)
                  .json("fields", JsonObject().text("message", one.text))
                  .text("truth", kClasses[one.today]));
  }
  return JsonObject().json("items", list);
}

/// Creates a campaign on the messages; returns its id.
Result<std::string> create(Api& api, const std::string& campaign, const Cast& cast) {
  const std::string id = text_of(TRY(api.post("campaigns", campaign)), "id"),
                    path = "campaigns/" + id;
  TRY(api.post(path + "/items", items_json()));
  for (const Person& one : cast.people()) {
    const auto worker = [&] { return JsonObject().text("worker", one.name); };
    TRY(api.put(path + "/prices", worker().text("price", one.price)));
    if (!one.group.empty()) TRY(api.put(path + "/groups", worker().text("group", one.group)));
  }
  return id;
}

/// The first item of a response to a request for work; nothing for null.
Workplace::Item item_in(const json::value& handout) {
  if (handout.is_null()) return std::nullopt;
  const auto* const all = handout.as_object().if_contains("assignments");
  if (!all || all->as_array().empty()) return std::nullopt;
  return text_of(all->as_array().front(), "item");
}

/// An amount in a response: a text where a number would lose digits.
Money money_in(const json::value& value) {
  if (value.is_string()) return parse_money(value.get_string()).value_or(Money());
  return Money::billionths(std::llround(value.to_number<double>() * 1e9));
}

}  // namespace

std::string Ticket::text() const {
  const std::string ticket = JsonObject()
                                 .text("admin", admin)
                                 .text("requester", requester)
                                 .text("campaign", campaign)
                                 .text("models", models)
                                 .text("link", link)
                                 .whole("seed", seed);
  return ticket + "\n";
}

Result<Ticket> Ticket::parse(const std::string& text) {
  boost::system::error_code wrong;
  const json::value value = json::parse(text, wrong);
  Ticket ticket{text_of(value, "admin"), text_of(value, "requester"), text_of(value, "campaign"),
                text_of(value, "models"), text_of(value, "link")};
  const auto* const seed = value.is_object() ? value.get_object().if_contains("seed") : nullptr;
  boost::system::error_code no_number;
  if (seed) ticket.seed = seed->to_number<std::uint64_t>(no_number);
  if (wrong || !seed || no_number || ticket.requester.empty() || ticket.campaign.empty() ||
      ticket.link.empty()) {
    return fail(
        ErrorCode::invalid_argument,
        "the ticket of the demo is incomplete; expected requester, campaign, link and seed");
  }
  return ticket;
}

Result<Ticket> set_up(Api& api, const std::string& admin, std::uint64_t seed) {
  Ticket ticket{.admin = admin, .seed = seed};
  const auto token =
      TRY(api.post("tokens", JsonObject().text("role", "requester").text("label", kTokenLabel)));
  ticket.requester = text_of(token, "secret");
  api.use(ticket.requester);
  ticket.models = TRY(
      create(api, campaign_json(kModelsName, kModelsBudget, "people_sample", kPeopleSample, seed),
             models_and_people()));
  ticket.campaign =
      TRY(create(api, campaign_json(kCampaignName, kBudget, "coins", 1, seed), crowd()));
  const std::string path = "campaigns/" + ticket.campaign;
  TRY(api.post(path + "/twin",
               JsonObject()
                   .text("policy", "least-labelled")
                   .text("name", std::string(kCampaignName) + ", equal splitting")));
  const auto link = TRY(api.post(path + "/links", JsonObject().text("worker", kVisitor)));
  ticket.link = text_of(link, "link");
  return ticket;
}

/// The crowd's work in one campaign.
class Show::Stall final : public Workplace {
 public:
  Stall(Api& api, std::string id, const Cast& cast, std::uint64_t seed)
      : api_(api), path_("campaigns/" + std::move(id)), cast_(cast), seed_(seed) {}
  /// The crowd's work in a copy of the campaign.
  std::unique_ptr<Stall> in_copy(std::string id) const {
    return std::make_unique<Stall>(api_, std::move(id), cast_, seed_);
  }

  Result<Item> ask(const std::string& worker) override {
    return api_.post(path_ + "/assignments", JsonObject().text("worker", worker)).map(item_in);
  }
  Result<Item> give(const std::string& worker, const std::string& item, const std::string& label,
                    bool next) override {
    return api_
        .post(path_ + "/labels", JsonObject()
                                     .text("worker", worker)
                                     .text("item", item)
                                     .text("label", label)
                                     .whole("next", next ? 1 : 0))
        .map([](const json::value& answer) { return item_in(answer.at("next")); });
  }

  /// True if the crowd can work here. A campaign without work is tried again after a while: its
  /// budget may grow, or it may be resumed.
  bool is_open() {
    if (shift_) return true;
    if (Clock::now() < look_again_) return false;
    look_again_ = Clock::now() + kRetry;
    const auto status = api_.get(path_ + "/status");
    if (!status) return false;
    if (text_of(*status, "phase") != "running") return false;
    return begin(money_in(status->at("budget")));
  }
  void label() {
    const auto answered = shift_->next_label();
    labels_ = shift_->labels();
    if (answered && *answered) return;
    // Nothing to do, or an error such as an expired lease: read the state again later.
    shift_.reset();
    look_again_ = Clock::now() + kRetry;
  }
  std::uint64_t labels() const { return labels_; }

 private:
  bool begin(Money budget) {
    const auto workers = api_.get(path_ + "/workers?limit=1000");
    if (!workers) return false;
    const std::vector<Person>& people = cast_.people();
    Shift::Progress progress{.left = budget - parse_money(kSeatBudget).value()};
    progress.leased.resize(people.size());
    for (const json::value& row : workers->at("workers").as_array()) {
      const std::string name = text_of(row, "worker");
      const auto person = std::ranges::find(people, name, &Person::name);
      if (person == people.end()) continue;
      progress.labels += row.at("labels").to_number<std::uint64_t>();
      progress.left -= money_in(row.at("spent"));
      if (row.at("at_hand").to_number<std::uint64_t>() == 0) continue;
      const auto leased = api_.get(path_ + "/assignments?worker=" + name);
      if (!leased) return false;
      const auto place = static_cast<std::size_t>(person - people.begin());
      progress.leased[place] = item_in(*leased);
      if (progress.leased[place]) progress.left -= cast_.price_of(place);
    }
    labels_ = progress.labels;
    shift_.emplace(cast_, seed_, *this, progress);
    return true;
  }

  Api& api_;
  const std::string path_;
  const Cast& cast_;
  const std::uint64_t seed_;
  std::optional<Shift> shift_;
  /// Labels of the crowd, as far as known.
  std::uint64_t labels_ = 0;
  Clock::time_point look_again_ = {};
};

Show::Show(std::unique_ptr<Api> api, Ticket ticket, double pace)
    : api_(std::move(api)),
      ticket_(std::move(ticket)),
      pace_(pace),
      thread_([this](const std::stop_token& ending) { run(ending); }) {}

Show::~Show() = default;

void Show::run(const std::stop_token& ending) {
  Clock::time_point next = Clock::now(), look_around = next;
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any ended;
  while (!ending.stop_requested()) {
    if (Clock::now() >= look_around) {
      find_campaigns();
      look_around = Clock::now() + kLookAround;
    }
    // A machine that is too slow for the pace simply runs slower.
    next = std::max(next + step(), Clock::now());
    tick(next);
    ended.wait_until(lock, ending, next, [] { return false; });
  }
}

/// Until every message has a label all policies do equally well, so that part runs faster.
Clock::duration Show::step() const {
  std::uint64_t most = 0;
  for (const auto& [id, stall] : stalls_) most = std::max(most, stall->labels());
  const double pace = most < messages().size() ? kFirstRound * pace_ : pace_;
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / pace));
}

/// The campaigns of the ticket and all their copies, direct or not.
void Show::find_campaigns() {
  const auto list = api_->get("campaigns?limit=1000");
  if (!list) return;
  const auto add = [&](const std::string& id, const Cast& cast) {
    if (!id.empty() && !stalls_.contains(id))
      stalls_[id] = std::make_unique<Stall>(*api_, id, cast, ticket_.seed);
  };
  add(ticket_.campaign, crowd());
  add(ticket_.models, models_and_people());
  for (bool more = true; more;) {
    const std::size_t before = stalls_.size();
    for (const json::value& one : list->at("campaigns").as_array()) {
      const std::string id = text_of(one, "id");
      const auto copied = stalls_.find(text_of(one, "twin_of"));
      if (copied != stalls_.end() && !stalls_.contains(id))
        stalls_[id] = copied->second->in_copy(id);
    }
    more = stalls_.size() > before;
  }
}

/// One more label for the campaigns in front. The others get labels until `until`, or until they
/// have caught up, also with campaigns that are finished.
void Show::tick(Clock::time_point until) {
  std::vector<Stall*> open;
  std::uint64_t most = 0, goal = 0;
  for (const auto& [id, stall] : stalls_) {
    if (stall->is_open()) open.push_back(stall.get());
    most = std::max(most, stall->labels());
  }
  for (const Stall* one : open) goal = std::max({goal, most, one->labels() + 1});
  for (;;) {
    for (Stall* const one : open) {
      if (one->labels() < goal) one->label();
    }
    std::erase_if(open, [&](Stall* one) { return !one->is_open() || one->labels() >= goal; });
    if (open.empty() || Clock::now() + kBreath >= until) return;
    std::this_thread::sleep_for(kBreath);
  }
}

}  // namespace allot::demo
