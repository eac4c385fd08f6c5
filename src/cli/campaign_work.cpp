// Hands out items and takes them back.
#include <algorithm>

#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "base/errors.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/field_columns.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

using campaign::Assignment;

struct NextFlags : CampaignFlags {
  std::string worker;
  std::string count = "1";
  std::optional<std::string> key;
  RowFlags rows{.format = "jsonl"};
};

struct LeasesFlags : CampaignFlags {
  std::optional<std::string> worker;
  RowFlags rows;
};

/// Options of skip and release.
struct HandBackFlags : CampaignFlags {
  std::string worker;
  std::vector<std::string> items;
  bool all = false;
  bool unsure = false, paid = false;  // skip
};

/// An item that a worker has leased.
struct LeasedItem {
  std::string worker;
  Assignment assignment;
};

const std::vector<Column> kOwnColumns{{"item"}, {"worker"}, {"price", Kind::exact}, {"expires"}};

std::vector<std::string> own_values(const LeasedItem& leased) {
  return {leased.assignment.item, leased.worker, money_text(leased.assignment.price),
          time_text(leased.assignment.expires)};
}

std::string text_of(const std::vector<LeasedItem>& all, RowFormat format) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> fields;
  for (const LeasedItem& leased : all) {
    rows.push_back(own_values(leased));
    fields.push_back(leased.assignment.fields);
  }
  return item_rows_text(kOwnColumns, std::move(rows), fields, format);
}

/// Refuses items that the worker has not leased, before any is given back.
Result<std::vector<std::string>> items_held(const OpenCampaign& open, const HandBackFlags& flags) {
  if (flags.items.empty() != flags.all) {
    if (!flags.all)
      return invalid(
          "ITEM is missing; expected ids of items, or --all for all that the worker has");
    return invalid("--all cannot be combined with item {}; expected one of them",
                   in_quotes(flags.items.front()));
  }
  const auto leases = TRY(open->view().leases(flags.worker));
  std::vector<std::string> held;
  for (const Assignment& lease : leases) held.push_back(lease.item);
  if (flags.all) return held;
  for (const std::string& item : flags.items) {
    if (std::ranges::find(held, item) != held.end()) continue;
    return fail(ErrorCode::conflict, "worker {} has not leased item {}; expected {}",
                in_quotes(flags.worker), in_quotes(item),
                held.empty() ? "a leased item ('allot campaign leases' lists them)"
                             : "one of " + some_in_quotes(held));
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
  const bool waits = TRY(open.read([](const campaign::State& state) {
    return state.phase() == campaign::Phase::paused || state.archived();
  }));
  return Output{"", {}, {why.message}, waits ? kPaused : kNothingLeft};
}

Result<Output> hand_out(const NextFlags& flags) {
  const auto count = TRY(read_whole<std::uint32_t>("--count", flags.count, 1, 1'000'000));
  const auto format = TRY(read_rows(flags.rows));
  return changing(flags, [&](const OpenCampaign& open) -> Result<Output> {
    auto handed = open->next(flags.worker, count, open.now, flags.key.value_or(""));
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

Result<Output> list_leases(const LeasesFlags& flags) {
  const auto format = TRY(read_rows(flags.rows));
  const auto open = TRY(open_campaign(flags));
  std::vector<std::string> workers;
  const bool known = TRY(open.read([&](const campaign::State& state) {
    for (const campaign::Lease& lease : state.leases().all()) {
      const std::string& name = state.name(lease.worker);
      if (flags.worker && name != *flags.worker) continue;
      if (std::ranges::find(workers, name) == workers.end()) workers.push_back(name);
    }
    return !flags.worker || state.find_worker(*flags.worker).has_value();
  }));
  if (!known) {
    return fail(ErrorCode::not_found, "unknown worker {}; expected one who has had an item",
                in_quotes(*flags.worker));
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
  if (over > 0) output.notes.push_back(count_text(over, "expired lease") + " left out");
  return output;
}

Result<Output> hand_back(const HandBackFlags& flags, bool for_good) {
  return changing(flags, [&](const OpenCampaign& open) -> Result<Output> {
    TRY(open->expire(open.now));
    const auto items = TRY(items_held(open, flags));
    const campaign::Remark remark{0, flags.unsure ? std::string(campaign::kUnsure) : "", ""};
    TRY(for_good ? open->skip(items, flags.worker, open.now, {}, remark, flags.paid)
                 : open->release(items, flags.worker, open.now));
    return Output{fmt::format("{} {} by {}\n", count_text(items.size(), "item"),
                              for_good ? "skipped" : "released", in_quotes(flags.worker))};
  });
}

Result<Output> skip_items(const HandBackFlags& flags) {
  if (flags.paid && !flags.unsure)
    return invalid("--paid is for abstentions; expected --unsure with it");
  return hand_back(flags, true);
}

Result<Output> release_items(const HandBackFlags& flags) { return hand_back(flags, false); }

void add_hand_back_options(Command& command, HandBackFlags& flags) {
  command.add("ITEM", &flags.items, "Ids of items that the worker has leased");
  command.require("--worker", &flags.worker, "NAME", "Worker who has them");
  command.add("--all", &flags.all, "All items that the worker has leased");
}

void add_skip_options(Command& command, HandBackFlags& flags) {
  add_hand_back_options(command, flags);
  command.add("--unsure", &flags.unsure, "The worker abstains: they looked and do not know");
  command.add("--paid", &flags.paid, "With `--unsure`: pay the price of a label");
}

void add_next_options(Command& command, NextFlags& flags) {
  command.require("--worker", &flags.worker, "NAME", "Worker who gets the items");
  command.add("--count", &flags.count, "N", "Most items to hand out");
  add_key(command, flags.key);
  add_row_options(command, flags.rows);
}

void add_leases_options(Command& command, LeasesFlags& flags) {
  command.add("--worker", &flags.worker, "NAME", "Worker whose items to list", "all");
  add_row_options(command, flags.rows);
}

}  // namespace

std::vector<Command> work_commands() {
  return {campaign_command(
              "next", "Hand out items to a worker", Access::write, hand_out, add_next_options,
              {"allot campaign next sentiment.db --worker ann --count 20 --format csv --output "
               "ann.csv"},
              {"The exit status is 3 if there is nothing left to hand out, 4 while the campaign is "
               "paused or archived."}),
          campaign_command("leases", "List the items that workers have leased", Access::write,
                           list_leases, add_leases_options),
          campaign_command("skip", "Give items back for good: the worker will not get them again",
                           Access::write, skip_items, add_skip_options,
                           {"allot campaign skip sentiment.db review-17 --worker ann"}),
          campaign_command("release", "Give items back: the worker can get them again",
                           Access::write, release_items, add_hand_back_options,
                           {"allot campaign release sentiment.db --worker ann --all"})};
}

}  // namespace allot::cli
