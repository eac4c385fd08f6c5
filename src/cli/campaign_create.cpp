// Starting a campaign, and giving it more items.
#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "allot/io/item_file.hpp"
#include "allot/io/stop_text.hpp"
#include "allot/io/text_file.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/campaign_file.hpp"
#include "cli/campaign_prices.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace allot::cli {
namespace {

using campaign::Campaign;
using campaign::ItemDraft;
using campaign::Options;
using io::ItemRow;
using model::Coins;
using model::Refit;

/// The items of a file, and what is worth saying about them.
struct Items {
  std::vector<ItemRow> rows;
  std::uint64_t gold = 0;
};

std::optional<std::vector<std::string>> names_if_any(const std::vector<std::string>& lists) {
  return lists.empty() ? std::nullopt : std::optional(read_names(lists));
}

/// `features` are those of a campaign that is there already.
Result<Items> read_items(const ItemFlags& flags, const std::vector<std::string>& classes,
                         const std::vector<std::string>& features) {
  const auto text = in_option("--items", io::read_text_file(flags.items));
  if (!text) return tl::unexpected(text.error());
  auto rows = in_file(flags.items, io::parse_items(*text, {flags.id, flags.price, flags.gold,
                                                           features, names_if_any(flags.show)}));
  if (!rows) return tl::unexpected(rows.error());
  Items items{*std::move(rows)};
  for (const ItemRow& row : items.rows) {
    if (!row.gold) continue;
    ++items.gold;
    if (std::ranges::find(classes, *row.gold) != classes.end()) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("{}: line {}: the known answer of item {} is {}; expected one of {}",
                            file_name(flags.items), row.line, in_quotes(row.id),
                            in_quotes(*row.gold), some_in_quotes(classes, 8)));
  }
  return items;
}

std::vector<ItemDraft> drafts_of(std::vector<ItemRow> rows) {
  std::vector<ItemDraft> drafts;
  drafts.reserve(rows.size());
  for (ItemRow& row : rows) {
    drafts.push_back({std::move(row.id), std::move(row.fields), row.price, std::move(row.gold),
                      std::move(row.features)});
  }
  return drafts;
}

/// "600", "90s", "10m", "2h", "1d".
Result<std::chrono::seconds> read_lease(const std::string& text) {
  static constexpr std::pair<char, std::uint64_t> kUnits[]{
      {'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
  constexpr std::uint64_t kMost = 3650ULL * 86400;
  std::uint64_t unit = 1;
  std::string_view number = text;
  for (const auto& [letter, seconds] : kUnits) {
    if (!number.ends_with(letter)) continue;
    unit = seconds;
    number.remove_suffix(1);
    break;
  }
  const auto count = parse_whole(number);
  if (count && *count > 0 && *count <= kMost / unit) return std::chrono::seconds(*count * unit);
  return fail(ErrorCode::invalid_argument,
              fmt::format("--lease {} is no time; expected 90s, 10m, 2h or 1d, up to 3650d",
                          in_quotes(text)));
}

Result<std::uint32_t> read_limit(const std::string& option,
                                 const std::optional<std::string>& text) {
  if (!text) return 0;
  return read_whole(option, *text, 1, UINT32_MAX).map([](std::uint64_t n) {
    return static_cast<std::uint32_t>(n);
  });
}

Result<double> read_share(const std::string& option, const std::string& text) {
  const auto share = parse_number(text);
  if (share && *share >= 0 && *share <= 1) return *share;
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} {} is not a number from 0 to 1", option, in_quotes(text)));
}

/// What items cost that are asked about, so many times each; nothing if that is no amount.
std::optional<Money> times_each(const std::vector<ItemRow>& items, Money usual,
                                std::uint64_t times) {
  Money sum;
  for (const ItemRow& item : items) {
    if (item.gold) continue;
    const Money price = item.price.value_or(usual);
    if (sum.value() + price.value() * static_cast<double>(times) > Money::kMost) return {};
    sum += price * times;
  }
  return sum;
}

/// An amount, or "5x": so many labels an item.
Result<Money> read_budget(const CreateFlags& flags, const std::vector<ItemRow>& items,
                          Money price) {
  if (!flags.budget.ends_with('x')) return in_option("--budget", parse_money(flags.budget));
  const auto times = parse_whole(std::string_view(flags.budget).substr(0, flags.budget.size() - 1));
  if (!times || *times == 0 || *times > 1'000'000) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("--budget {} is no budget; expected an amount such as 5000 or 12.50, or "
                    "10x for ten labels an item",
                    in_quotes(flags.budget)));
  }
  if (!flags.worker_prices.empty()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--budget {} does not say an amount where workers have prices; "
                            "expected one such as 12.50",
                            in_quotes(flags.budget)));
  }
  if (const auto sum = times_each(items, price, *times)) return *sum;
  return fail(ErrorCode::invalid_argument,
              fmt::format("--budget {} comes to more than {}; expected less",
                          in_quotes(flags.budget), Money::kMost));
}

Result<void> read_refit(const CreateFlags& flags, Options& options) {
  const bool only_em = options.classes.size() > 2 || !options.features.empty();
  if (flags.refit == "off") {
    if (flags.refit_by) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("--refit-by {} is of no use with --refit off; expected a number of "
                              "labels, as in --refit 20",
                              in_quotes(*flags.refit_by)));
    }
    options.refit = Refit::off;
    return {};
  }
  const auto every = parse_whole(flags.refit);
  if (!every || *every < 1 || *every > 1'000'000'000) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--refit {} is neither off nor a number of labels from 1 to 1000000000",
                            in_quotes(flags.refit)));
  }
  options.refit_every = static_cast<std::uint32_t>(*every);
  const std::string by = flags.refit_by.value_or(only_em ? "em" : "bp");
  if (only_em && by == "bp") {
    return fail(ErrorCode::invalid_argument,
                "--refit-by 'bp' is for items of two classes without features; expected em");
  }
  return read_choice<Refit, 2>("--refit-by", by, {{{"bp", Refit::integrated}, {"em", Refit::em}}})
      .map([&](Refit refit) { options.refit = refit; });
}

Result<void> read_beliefs(const CreateFlags& flags, Options& options) {
  if (const auto refit = read_refit(flags, options); !refit) return refit;
  options.item_prior = flags.prior;
  options.learn_workers = flags.worker_prior == "learn";
  const char* const usual = options.refit == Refit::off ? "beta:4,1" : "beta:3,0.9";
  options.worker_prior = options.learn_workers ? usual : flags.worker_prior.value_or(usual);
  if (!flags.coins) return {};
  return read_choice<Coins, 2>("--coins", *flags.coins, {{{"1", Coins::one}, {"2", Coins::two}}})
      .map([&](Coins coins) { options.coins = coins; });
}

Result<policy::StopRules> read_stop(const CreateFlags& flags) {
  if (flags.stop.empty()) return policy::StopRules{};
  return in_option("--stop", io::parse_stop_rules(fmt::format("{}", fmt::join(flags.stop, ","))));
}

/// All but the budget, which may need the items.
Result<Options> read_options(const CreateFlags& flags) {
  Options options;
  options.classes = read_names(flags.classes);
  options.features = read_names(flags.items.features);
  options.policy = flags.policy;
  Reader read;
  const bool ok =
      read(options.price, in_option("--price", parse_money(flags.price))) &&
      read(options.ties, read_ties(flags.ties)) &&
      read(options.seed, read_whole("--seed", flags.seed, 0, UINT64_MAX)) &&
      read(options.lease, read_lease(flags.lease)) &&
      read(options.labels_an_item, read_limit("--labels-an-item", flags.labels_an_item)) &&
      read(options.labels_a_worker, read_limit("--labels-a-worker", flags.labels_a_worker)) &&
      read(options.stop, read_stop(flags)) &&
      read(options.gold_rate, read_share("--gold-rate", flags.gold_rate));
  if (!ok) return tl::unexpected(read.error());
  return read_beliefs(flags, options).and_then([&] { return campaign::check(options); }).map([&] {
    return options;
  });
}

std::string items_text(const Items& items) {
  std::string text = count_text(items.rows.size(), "item");
  if (items.gold > 0) text += fmt::format(", {} of them with a known answer", items.gold);
  return text;
}

std::vector<std::string> notes_on(const Items& items) {
  if (items.gold < items.rows.size()) return {};
  return {
      "every item has a known answer, so there is nothing to find; --gold-column names another "
      "column, or leave it out"};
}

/// Leaves items that the campaign does not have; how many it has.
std::uint64_t drop_known(std::vector<ItemRow>& rows, const campaign::State& state) {
  return std::erase_if(rows,
                       [&](const ItemRow& row) { return state.find_item(row.id).has_value(); });
}

/// Refuses an item that the campaign has already, with its line.
Result<void> check_new(const std::vector<ItemRow>& rows, const std::string& path,
                       const OpenCampaign& open) {
  const auto known = looked_at(open, [&](const campaign::State& state) {
    return std::ranges::find_if(
               rows, [&](const ItemRow& row) { return state.find_item(row.id).has_value(); }) -
           rows.begin();
  });
  if (!known) return tl::unexpected(known.error());
  if (static_cast<std::size_t>(*known) == rows.size()) return {};
  const ItemRow& row = rows[static_cast<std::size_t>(*known)];
  return fail(ErrorCode::conflict,
              fmt::format("{}: line {}: item {} is there already; expected a new id "
                          "(--skip-known leaves such items out)",
                          file_name(path), row.line, in_quotes(row.id)));
}

}  // namespace

Result<Output> create_campaign(const CampaignFlags& where, const CreateFlags& flags) {
  const auto now = read_now(where);
  if (!now) return tl::unexpected(now.error());
  auto options = read_options(flags);
  if (!options) return tl::unexpected(options.error());
  const auto prices = read_worker_prices("--worker-price", flags.worker_prices);
  if (!prices) return tl::unexpected(prices.error());
  auto items = read_items(flags.items, options->classes, options->features);
  if (!items) return tl::unexpected(items.error());
  const auto budget = read_budget(flags, items->rows, options->price);
  if (!budget) return tl::unexpected(budget.error());
  options->budget = *budget;
  const std::string name = new_name(where), about = items_text(*items);
  if (name.empty()) {
    return fail(ErrorCode::invalid_argument, "--campaign '' is no name; expected one");
  }
  const auto store = store::open_sqlite(where.file, {.mode = store::OpenMode::create});
  if (!store) return tl::unexpected(store.error());
  std::vector<std::string> notes = notes_on(*items);
  const std::vector<ItemDraft> drafts = drafts_of(std::move(items->rows));
  const auto made = Campaign::create(**store, name, *options, *now, {drafts, *prices});
  if (!made) {
    const bool taken = (*store)->last(name).value_or(0) > 0;
    return fail(made.error().code,
                made.error().message + (taken ? "; expected another name by --campaign" : ""));
  }
  return Output{fmt::format("campaign {} in {}: {}, budget {}, policy {}\n", in_quotes(name),
                            where.file, about, money_text(options->budget), options->policy),
                {},
                std::move(notes)};
}

Result<Output> add_items(const CampaignFlags& where, const AddItemsFlags& flags) {
  return changing(where, [&](const OpenCampaign& open) -> Result<Output> {
    const auto options =
        looked_at(open, [](const campaign::State& state) { return state.options(); });
    if (!options) return tl::unexpected(options.error());
    auto items = read_items(flags.items, options->classes, options->features);
    if (!items) return tl::unexpected(items.error());
    std::vector<std::string> notes;
    if (flags.skip_known) {
      const auto known = looked_at(
          open, [&](const campaign::State& state) { return drop_known(items->rows, state); });
      if (!known) return tl::unexpected(known.error());
      if (*known > 0) {
        notes.push_back(
            fmt::format("{} left out, which the campaign has already", count_text(*known, "item")));
      }
      items->gold = static_cast<std::uint64_t>(std::ranges::count_if(
          items->rows, [](const ItemRow& row) { return row.gold.has_value(); }));
    } else if (!flags.key) {  // a request made again finds what it added
      const auto fresh = check_new(items->rows, flags.items.items, open);
      if (!fresh) return tl::unexpected(fresh.error());
    }
    const std::string about = items_text(*items);
    return open->add_items(drafts_of(std::move(items->rows)), open.now, flags.key.value_or(""))
        .map([&]() -> Output {
          return {
              fmt::format("{} added to campaign {}\n", about, in_quotes(open->name())), {}, notes};
        });
  });
}

}  // namespace allot::cli
