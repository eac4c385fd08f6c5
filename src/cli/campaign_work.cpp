// Hands out items and takes them back.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "base/try.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/campaign_file.hpp"
#include "cli/data_table.hpp"
#include "cli/formats.hpp"
#include "cli/options.hpp"
#include "io/json_object.hpp"

namespace allot::cli {
namespace {

using campaign::Assignment;
using io::JsonMember;

struct NextFlags {
  std::string worker;
  std::string count = "1";
  std::optional<std::string> key;
  RowFlags rows{.format = "jsonl"};
};

struct LeasesFlags {
  std::optional<std::string> worker;
  RowFlags rows;
};

/// Options of skip and release.
struct HandBackFlags {
  std::string worker;
  std::vector<std::string> items;
  bool all = false;
};

/// An item that a worker has leased.
struct LeasedItem {
  std::string worker;
  Assignment assignment;
};

constexpr std::array<std::string_view, 4> kOwnColumns{"item", "worker", "price", "expires"};

/// Fields of an item that workers see.
std::vector<JsonMember> members_of(const Assignment& assignment) {
  return io::parse_json_object(assignment.fields).value_or(std::vector<JsonMember>{});
}

/// Column of a field; a field with the name of one of our columns gets another name.
std::string column_of(const JsonMember& field) {
  const bool taken = std::ranges::find(kOwnColumns, field.name) != kOwnColumns.end();
  return taken ? "shown_" + field.name : field.name;
}

std::vector<std::string> own_values(const LeasedItem& leased) {
  return {leased.assignment.item, leased.worker, money_text(leased.assignment.price),
          time_text(leased.assignment.expires)};
}

/// Rows with all fields in one JSON value.
DataTable nested(const std::vector<LeasedItem>& all) {
  DataTable table(
      {{"item"}, {"worker"}, {"price", Kind::exact}, {"expires"}, {"fields", Kind::json}});
  for (const LeasedItem& leased : all) {
    std::vector<std::string> row = own_values(leased);
    row.push_back(leased.assignment.fields.empty() ? "{}" : leased.assignment.fields);
    table.add(std::move(row));
  }
  return table;
}

/// Rows with one column per field that any item has.
DataTable flat(const std::vector<LeasedItem>& all) {
  std::vector<Column> columns{{"item"}, {"worker"}, {"price", Kind::exact}, {"expires"}};
  std::vector<std::vector<JsonMember>> shown;
  for (const LeasedItem& leased : all) {
    shown.push_back(members_of(leased.assignment));
    for (const JsonMember& field : shown.back()) {
      const std::string name = column_of(field);
      if (std::ranges::find(columns, name, &Column::name) == columns.end())
        columns.push_back({name});
    }
  }
  DataTable table(columns);
  for (std::size_t n = 0; n < all.size(); ++n) {
    std::vector<std::string> row = own_values(all[n]);
    row.resize(columns.size());
    for (const JsonMember& field : shown[n]) {
      const auto place = std::ranges::find(columns, column_of(field), &Column::name);
      row[static_cast<std::size_t>(place - columns.begin())] = field.value;
    }
    table.add(std::move(row));
  }
  return table;
}

std::string text_of(const std::vector<LeasedItem>& all, RowFormat format) {
  const bool lines = format == RowFormat::json || format == RowFormat::jsonl;
  return (lines ? nested(all) : flat(all)).text(format);
}

/// Refuses items that the worker has not leased, before any is given back.
Result<std::vector<std::string>> items_held(const OpenCampaign& open, const HandBackFlags& flags) {
  if (flags.items.empty() != flags.all) {
    return fail(
        ErrorCode::invalid_argument,
        flags.all ? fmt::format("--all cannot be combined with item {}; expected one of them",
                                in_quotes(flags.items.front()))
                  : "ITEM is missing; expected ids of items, or --all for all that the worker has");
  }
  const auto leases = TRY(open->view().leases(flags.worker));
  std::vector<std::string> held;
  for (const Assignment& lease : leases) held.push_back(lease.item);
  if (flags.all) return held;
  for (const std::string& item : flags.items) {
    if (std::ranges::find(held, item) != held.end()) continue;
    return fail(ErrorCode::conflict,
                fmt::format("worker {} has not leased item {}; expected {}",
                            in_quotes(flags.worker), in_quotes(item),
                            held.empty() ? "a leased item ('allot campaign leases' lists them)"
                                         : "one of " + some_in_quotes(held)));
  }
  return flags.items;
}

/// Exit statuses of `next` without an item, which a loop can tell from errors.
constexpr int kNothingLeft = 3, kPaused = 4;

/// Having nothing for the worker is an outcome; other errors stay errors.
Result<Output> nothing_handed_out(const OpenCampaign& open, const Error& why) {
  if (why.code != ErrorCode::forbidden && why.code != ErrorCode::not_found &&
      why.code != ErrorCode::budget_exhausted) {
    return tl::unexpected(why);
  }
  return state_value(open, [](const campaign::State& state) { return state.phase(); })
      .map([&](campaign::Phase phase) {
        return Output{
            "", {}, {why.message}, phase == campaign::Phase::paused ? kPaused : kNothingLeft};
      });
}

template <typename Give>
Result<Output> hand_back(const CampaignFlags& where, const HandBackFlags& flags,
                         std::string_view done, Give give) {
  return changing(where, [&](const OpenCampaign& open) -> Result<Output> {
    TRY(open->expire(open.now));
    const auto items = TRY(items_held(open, flags));
    TRY(give(*open.campaign, items, open.now));
    return Output{fmt::format("{} {} by {}\n", count_text(items.size(), "item"), done,
                              in_quotes(flags.worker))};
  });
}

Result<Output> hand_out(const CampaignFlags& where, const NextFlags& flags) {
  const auto count = TRY(read_whole("--count", flags.count, 1, 1'000'000));
  const auto format = TRY(read_rows(flags.rows));
  return changing(where, [&](const OpenCampaign& open) -> Result<Output> {
    auto handed = open->next(flags.worker, static_cast<std::uint32_t>(count), open.now,
                             flags.key.value_or(""));
    if (!handed) return nothing_handed_out(open, handed.error());
    std::vector<LeasedItem> all;
    for (Assignment& assignment : handed->assignments)
      all.push_back({flags.worker, std::move(assignment)});
    Output output = delivered(text_of(all, format), flags.rows.output);
    if (!handed->shortfall.empty()) {
      output.notes.push_back(
          fmt::format("{} instead of {}: {}", all.size(), count, handed->shortfall));
    }
    return output;
  });
}

Result<Output> list_leases(const CampaignFlags& where, const LeasesFlags& flags) {
  const auto format = TRY(read_rows(flags.rows));
  return reading(where, [&](const OpenCampaign& open) -> Result<Output> {
    std::vector<std::string> workers;
    const auto named = state_value(open, [&](const campaign::State& state) {
      for (const campaign::Lease& lease : state.leases().all()) {
        const std::string& name = state.name(lease.worker);
        if (flags.worker && name != *flags.worker) continue;
        if (std::ranges::find(workers, name) == workers.end()) workers.push_back(name);
      }
      return !flags.worker || state.find_worker(*flags.worker).has_value();
    });
    if (!named) return tl::unexpected(named.error());
    if (!*named) {
      return fail(ErrorCode::not_found,
                  fmt::format("unknown worker {}; expected one who has had an item",
                              in_quotes(*flags.worker)));
    }
    std::vector<LeasedItem> all;
    std::uint64_t over = 0;
    for (const std::string& worker : workers) {
      auto leases = TRY(open->view().leases(worker));
      for (Assignment& lease : leases) {
        if (lease.expires <= open.now) {
          ++over;  // the next command that changes anything ends it
        } else {
          all.push_back({worker, std::move(lease)});
        }
      }
    }
    Output output = delivered(text_of(all, format), flags.rows.output);
    if (over > 0) {
      output.notes.push_back(fmt::format("{} left out", count_text(over, "expired lease")));
    }
    return output;
  });
}

Result<Output> skip_items(const CampaignFlags& where, const HandBackFlags& flags) {
  return hand_back(where, flags, "skipped",
                   [&](campaign::Campaign& campaign, std::span<const std::string> items,
                       campaign::Time now) { return campaign.skip(items, flags.worker, now); });
}

Result<Output> release_items(const CampaignFlags& where, const HandBackFlags& flags) {
  return hand_back(where, flags, "released",
                   [&](campaign::Campaign& campaign, std::span<const std::string> items,
                       campaign::Time now) { return campaign.release(items, flags.worker, now); });
}

void add_hand_back_options(Command& command, HandBackFlags& flags) {
  command.add("ITEM", &flags.items, "Ids of items that the worker has leased");
  command.add("--worker", &flags.worker, "NAME", "Worker who has them").require();
  command.add("--all", &flags.all, "All items that the worker has leased");
}

}  // namespace

Command next_command() {
  Command command = campaign_command<NextFlags>(
      "next", "Hand out items to a worker", Access::write, hand_out,
      [](Command& next, NextFlags& flags) {
        next.add("--worker", &flags.worker, "NAME", "Worker who gets the items").require();
        next.add("--count", &flags.count, "N", "Most items to hand out");
        add_key(next, flags.key);
        add_row_options(next, flags.rows);
      });
  command.notes = {
      "The exit status is 3 if there is nothing left to hand out, 4 while the campaign is paused."};
  command.examples = {
      "allot campaign next sentiment.db --worker ann --count 20 --format csv --output ann.csv"};
  return command;
}

Command leases_command() {
  return campaign_command<LeasesFlags>(
      "leases", "List the items that workers have leased", Access::write, list_leases,
      [](Command& command, LeasesFlags& flags) {
        command.add("--worker", &flags.worker, "NAME", "Worker whose items to list")
            .by_default("all");
        add_row_options(command, flags.rows);
      });
}

Command skip_command() {
  Command command =
      campaign_command("skip", "Give items back for good: the worker will not get them again",
                       Access::write, skip_items, add_hand_back_options);
  command.examples = {"allot campaign skip sentiment.db review-17 --worker ann"};
  return command;
}

Command release_command() {
  Command command = campaign_command("release", "Give items back: the worker can get them again",
                                     Access::write, release_items, add_hand_back_options);
  command.examples = {"allot campaign release sentiment.db --worker ann --all"};
  return command;
}

}  // namespace allot::cli
