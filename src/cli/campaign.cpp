// `allot campaign`: the list of its commands, and what they share.
#include <algorithm>
#include <filesystem>

#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "allot/io/price_csv.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

using campaign::Campaign;
using campaign::Time;

std::string campaigns_text(const std::string& location, const std::vector<std::string>& names) {
  return fmt::format("the {} has {}", store::is_database(location) ? "database" : "file",
                     names.empty() ? "no campaign" : some_in_quotes(names, 8));
}

Result<std::vector<WorkerPrice>> read_price_file(const std::string& option,
                                                 const std::string& path) {
  const auto text = TRY(in_option(option, io::read_text_file(path)));
  return in_file(path, io::list_prices(text));
}

/// Reads "ann=0.05", or a file.
Result<std::vector<WorkerPrice>> read_part(const std::string& option, const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos) return read_price_file(option, text);
  return in_option(option, parse_money(std::string_view(text).substr(equals + 1)))
      .map([&](Money price) {
        return std::vector<WorkerPrice>{{text.substr(0, equals), price}};
      });
}

}  // namespace

void add_campaign_options(Command& command, CampaignFlags& flags, Access access) {
  command.require("FILE", &flags.file,
                  "File of campaigns, or a database such as `postgresql://user@host/name`");
  command.add("--campaign", &flags.campaign, "NAME", "Campaign in the file or database",
              "the only one");
  if (access == Access::read) return;
  command.add("--now", &flags.now, "TIME", "Time of this event, such as `2026-03-01T12:00:00Z`",
              "the clock");
}

void add_key(Command& command, std::optional<std::string>& key) {
  command.add("--key", &key, "KEY",
              "Name of the request: repeating it changes nothing and prints the same");
}

Result<Time> read_now(const CampaignFlags& flags) {
  if (!flags.now) {
    return std::chrono::time_point_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now());
  }
  if (const auto time = parse_time(*flags.now)) return *time;
  return invalid("--now {} is not a time; expected one such as 2026-03-01T12:00:00Z",
                 in_quotes(*flags.now));
}

Result<std::unique_ptr<store::Store>> open_file(const std::string& path, store::OpenMode mode) {
  TRY(store::check_location(path));
  std::error_code ignored;
  if (!store::is_database(path) && !std::filesystem::exists(path, ignored)) {
    return fail(ErrorCode::store_failure,
                "file {} does not exist; expected one made by 'allot campaign create'",
                in_quotes(path));
  }
  return store::open_store(path, mode);
}

Result<std::string> chosen_name(const CampaignFlags& flags, store::Store& store) {
  const auto names = TRY(store.campaigns());
  if (!flags.campaign) {
    if (names.size() == 1) return names.front();
    return invalid(
        "{}: {}; expected {}", in_quotes(store::shown_location(flags.file)),
        campaigns_text(flags.file, names),
        names.empty() ? "one made by 'allot campaign create'" : "--campaign with one of them");
  }
  if (std::ranges::find(names, *flags.campaign) != names.end()) return *flags.campaign;
  const std::vector<std::string_view> known(names.begin(), names.end());
  return fail(ErrorCode::not_found, "--campaign {} is unknown; {}{}", in_quotes(*flags.campaign),
              campaigns_text(flags.file, names), suggestion(*flags.campaign, known));
}

Result<OpenCampaign> open_campaign(const CampaignFlags& flags, store::OpenMode mode) {
  const auto now = TRY(read_now(flags));
  auto store = TRY(open_file(flags.file, mode));
  const auto name = TRY(chosen_name(flags, *store));
  auto campaign = TRY(Campaign::open(*store, name));
  return OpenCampaign{std::move(store), std::move(campaign), now};
}

std::string clock_note(const OpenCampaign& open) {
  constexpr std::chrono::minutes kAsGoodAsEqual(1);
  const auto last = open.read([](const campaign::State& state) { return state.time(); });
  if (!last || *last <= open.now + kAsGoodAsEqual) return "";
  const auto back =
      open.read([&](const campaign::State& state) { return state.clock_went_back(open.now); });
  return fmt::format(
      "it is {}, but the last event was at {}: {}; is the clock right?", time_text(open.now),
      time_text(*last),
      back && *back ? "time goes on from now, and open leases end within one lease"
                    : "new events get that time, and no lease ends before the clock has passed it");
}

Result<std::vector<WorkerPrice>> read_worker_prices(const std::string& option,
                                                    const std::vector<std::string>& lists) {
  std::vector<WorkerPrice> prices;
  for (const std::string& text : read_names(lists)) {
    const auto part = TRY(read_part(option, text));
    for (const WorkerPrice& price : part) {
      if (price.first.empty() || price.first == "*") {
        return invalid(
            "{} {} names no worker; expected WORKER=PRICE, such as ann=0.05, or a file with one "
            "row per worker",
            option, in_quotes(text));
      }
      if (std::ranges::find(prices, price.first, &WorkerPrice::first) != prices.end()) {
        return invalid("{} gives worker {} two prices; expected one", option,
                       in_quotes(price.first));
      }
      prices.push_back(price);
    }
  }
  return prices;
}

Command campaign_command() {
  Command command{
      "campaign",
      "Run a campaign: items, workers and a budget, kept in a file",
      {},
      {"A campaign is kept in an SQLite file or a PostgreSQL database, which can hold several. "
       "docs/guide/campaigns.md walks through one, docs/guide/stores.md compares the two."},
      {"allot campaign create sentiment.db --items items.csv --classes no,yes --budget 10x",
       "allot campaign next sentiment.db --worker ann --count 20 --format csv --output ann.csv",
       "allot campaign record sentiment.db ann.csv", "allot campaign status sentiment.db"}};
  for (const auto make :
       {create_commands, work_commands, record_commands, control_commands, change_commands,
        group_commands, review_commands, audit_commands, recruit_commands, report_commands,
        explain_commands, export_commands, copy_commands, archive_commands}) {
    for (Command& inner : make()) command.commands.push_back(std::move(inner));
  }
  return command;
}

}  // namespace allot::cli
