// Starts a campaign, and adds items to it.
#include <algorithm>
#include <filesystem>

#include "allot/base/text.hpp"
#include "allot/campaign/option_text.hpp"
#include "allot/io/item_file.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/crowd_options.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

using campaign::Campaign;
using campaign::ItemDraft;
using campaign::Options;
using io::ItemRow;

struct ItemFlags {
  std::string items;
  std::optional<std::string> id, price, gold, truth;
  std::vector<std::string> features, show;
};

/// Classes are lists of names joined by commas; features are in `items`.
struct CreateFlags : CampaignFlags, campaign::OptionTexts {
  ItemFlags items;
  std::string budget;
  std::vector<std::string> worker_prices, groups;
};

struct AddItemsFlags : CampaignFlags {
  ItemFlags items;
  bool skip_known = false;
  std::optional<std::string> key;
};

/// The items of a file, and how many of them are gold.
struct Items {
  std::vector<ItemRow> rows;
  std::uint64_t gold = 0;
};

std::optional<std::vector<std::string>> names_if_any(const std::vector<std::string>& lists) {
  return lists.empty() ? std::nullopt : std::optional(read_names(lists));
}

/// Reads the items; `features` are the columns that the campaign has.
Result<Items> read_items(const ItemFlags& flags, const std::vector<std::string>& classes,
                         const std::vector<std::string>& features) {
  const auto text = TRY(in_option("--items", io::read_text_file(flags.items)));
  auto rows =
      TRY(in_file(flags.items, io::parse_items(text, {flags.id, flags.price, flags.gold, features,
                                                      names_if_any(flags.show), flags.truth})));
  Items items{std::move(rows)};
  for (const ItemRow& row : items.rows) {
    items.gold += row.gold.has_value();
    for (const auto& [what, given] : {std::pair("known answer", row.gold), {"truth", row.truth}}) {
      if (!given || std::ranges::find(classes, *given) != classes.end()) continue;
      return invalid("{}: line {}: the {} of item {} is {}; expected one of {}",
                     file_name(flags.items), row.line, what, in_quotes(row.id), in_quotes(*given),
                     some_in_quotes(classes, 8));
    }
  }
  return items;
}

std::vector<ItemDraft> drafts_of(std::vector<ItemRow> rows) {
  std::vector<ItemDraft> drafts;
  drafts.reserve(rows.size());
  for (ItemRow& row : rows) {
    drafts.push_back({std::move(row.id), std::move(row.fields), row.price, std::move(row.gold),
                      std::move(row.features), std::move(row.truth)});
  }
  return drafts;
}

/// Price of `times` labels for every item that is not gold; none if it is too large for Money.
std::optional<Money> times_each(const std::vector<ItemRow>& items, Money default_price,
                                std::uint64_t times) {
  Money sum;
  for (const ItemRow& item : items) {
    if (item.gold) continue;
    const Money price = item.price.value_or(default_price);
    if (sum.value() + price.value() * static_cast<double>(times) > Money::kMost) return {};
    sum += price * times;
  }
  return sum;
}

/// Reads an amount, or "5x": five labels per item.
Result<Money> read_budget(const CreateFlags& flags, const std::vector<ItemRow>& items,
                          Money price) {
  const bool per_item = flags.budget.ends_with('x');
  const std::uint64_t times =
      per_item ? parse_whole(flags.budget.substr(0, flags.budget.size() - 1)).value_or(0) : 0;
  const auto amount = parse_money(flags.budget);
  if (!per_item && amount) return *amount;
  if (times == 0 || times > 1'000'000) {
    return invalid(
        "--budget {} is not a budget; expected an amount such as 5000 or 12.50 (up to {}, at most "
        "nine decimals), or 10x for ten labels per item",
        in_quotes(flags.budget), Money::kMost);
  }
  if (!flags.worker_prices.empty()) {
    return invalid(
        "--budget {} is ambiguous where workers have prices; expected an amount such as 12.50",
        in_quotes(flags.budget));
  }
  if (const auto sum = times_each(items, price, times)) return *sum;
  return invalid("--budget {} is more than {}; expected less", in_quotes(flags.budget),
                 Money::kMost);
}

/// Reads all options but the budget, which can depend on the items.
Result<Options> read_options(const CreateFlags& flags) {
  campaign::OptionTexts texts = flags;
  texts.classes = read_all_names(flags.classes);
  texts.features = read_names(flags.items.features);
  return campaign::parse_options(texts,
                                 [](std::string_view name) { return fmt::format("--{}", name); });
}

std::string items_text(const Items& items) {
  std::string text = count_text(items.rows.size(), "item");
  if (items.gold > 0) text += fmt::format(", {} of them with a known answer", items.gold);
  return text;
}

std::vector<std::string> notes_on(const Items& items) {
  if (items.gold < items.rows.size()) return {};
  return {
      "every item has a known answer, so there is nothing to label; --gold-column can name "
      "another column"};
}

/// Warns about an agreement sample that the items, or the workers who are named, cannot fill.
void add_sample_notes(const campaign::Options& options, const Items& items,
                      std::size_t named_workers, std::vector<std::string>& notes) {
  if (!options.agreement_sample) return;
  const auto& [wanted, labels] = *options.agreement_sample;
  const std::size_t open = items.rows.size() - items.gold;
  if (wanted > open) {
    notes.push_back(
        fmt::format("--agreement-sample {}:{} wants more items than the {} without a known answer; "
                    "the sample has all of them until more are added",
                    wanted, labels, open));
  }
  if (named_workers > 0 && labels > named_workers) {
    notes.push_back(
        fmt::format("--agreement-sample {}:{} wants {} workers per item, and --worker-price names "
                    "{}; no item is complete until more have joined",
                    wanted, labels, labels, named_workers));
  }
}

/// Removes items that the campaign already has, with a note; or refuses the first, with its line.
Result<std::vector<std::string>> drop_known(Items& items, const AddItemsFlags& flags,
                                            const OpenCampaign& open) {
  std::vector<ItemRow> fresh, known;
  TRY(open.read([&](const campaign::State& state) {
    for (ItemRow& row : items.rows)
      (state.find_item(row.id) ? known : fresh).push_back(std::move(row));
  }));
  items.rows = std::move(fresh);
  if (known.empty()) return std::vector<std::string>{};
  if (!flags.skip_known) {
    return fail(ErrorCode::conflict,
                "{}: line {}: item {} already exists; expected a new id "
                "(--skip-known skips such items)",
                file_name(flags.items.items), known.front().line, in_quotes(known.front().id));
  }
  for (const ItemRow& row : known) items.gold -= row.gold.has_value();
  return std::vector{
      fmt::format("{} skipped, which the campaign already has", count_text(known.size(), "item"))};
}

/// Name of a new campaign: --campaign, else the name of the file without folder and extension. A
/// database has no such name.
Result<std::string> new_name(const CampaignFlags& flags) {
  TRY(store::check_location(flags.file));
  if (flags.campaign && flags.campaign->empty()) {
    return invalid("--campaign '' is empty; expected a name");
  }
  if (flags.campaign) return *flags.campaign;
  if (store::is_database(flags.file)) {
    return invalid("--campaign is missing; expected a name for the campaign in the database");
  }
  const std::string stem = std::filesystem::path(flags.file).stem();
  return stem.empty() ? "main" : stem;
}

Result<Output> create_campaign(const CreateFlags& flags) {
  const auto now = TRY(read_now(flags));
  const std::string name = TRY(new_name(flags));
  auto options = TRY(read_options(flags));
  const auto prices = TRY(read_worker_prices("--worker-price", flags.worker_prices));
  const auto groups = TRY(read_worker_groups("--groups", flags.groups));
  auto items = TRY(read_items(flags.items, options.classes, options.features));
  options.budget = TRY(read_budget(flags, items.rows, options.price));
  const std::string about = items_text(items);
  const auto store = TRY(store::open_store(flags.file, store::OpenMode::create));
  std::vector<std::string> notes = notes_on(items);
  add_sample_notes(options, items, prices.size(), notes);
  const std::vector<ItemDraft> drafts = drafts_of(std::move(items.rows));
  const auto made = Campaign::create(*store, name, options, now, {drafts, prices, groups});
  if (!made) {
    const bool taken = store->last(name).value_or(0) > 0;
    return fail(made.error().code,
                made.error().message + (taken ? "; expected another name by --campaign" : ""));
  }
  return Output{fmt::format("campaign {} in {}: {}, budget {}, policy {}\n", in_quotes(name),
                            store::shown_location(flags.file), about, money_text(options.budget),
                            options.policy),
                {},
                std::move(notes)};
}

Result<Output> add_items(const AddItemsFlags& flags) {
  return changing(flags, [&](const OpenCampaign& open) -> Result<Output> {
    const auto options = TRY(open.options());
    auto items = TRY(read_items(flags.items, options.classes, options.features));
    std::vector<std::string> notes;
    // A repeated request finds its own items.
    if (flags.skip_known || !flags.key) notes = TRY(drop_known(items, flags, open));
    const std::string about = items_text(items);
    TRY(open->add_items(drafts_of(std::move(items.rows)), open.now, flags.key.value_or("")));
    return Output{fmt::format("{} added to campaign {}\n", about, in_quotes(open->name())),
                  {},
                  std::move(notes)};
  });
}

void add_item_options(Command& command, ItemFlags& flags, bool with_features) {
  command.require("--items", &flags.items, "FILE",
                  "Items to label, CSV or JSON lines, one row per item; `-` reads standard input");
  command.add("--id-column", &flags.id, "COLUMN", "Column of the id",
              "`id`, `item`, `task` and the like");
  command.add("--price-column", &flags.price, "COLUMN", "Column of the price of a label",
              "`price` if there is one");
  command.add("--gold-column", &flags.gold, "COLUMN", "Column of the known answer, for gold items",
              "`gold`, `gold_label` and the like if there is one");
  command.add("--truth-column", &flags.truth, "COLUMN",
              "Column of the truth to measure answers by; no decision uses it");
  if (with_features) {
    command.add("--features", &flags.features, "NAME,...",
                "Columns of numbers that inform about the class");
  }
  command.add("--show", &flags.show, "NAME,...", "Columns that workers see",
              "all that serve no other purpose");
}

/// Registers the options about money, time and limits.
void add_limits(Command& command, CreateFlags& flags) {
  command.require("--budget", &flags.budget, "B",
                  "Budget: `5000`, `12.50`, or `10x` for ten labels per item");
  command.add("--price", &flags.price, "P", "Price of a label if neither item nor worker has one");
  command.add("--worker-price", &flags.worker_prices, "WORKER=P,...|FILE",
              "Prices of single workers, or a file with one row per worker: worker, price");
  command.add("--groups", &flags.groups, "WORKER=G,...|FILE",
              "Workers who err together, or a file with one row per worker: worker, group");
  command.add("--lease", &flags.lease, "TIME",
              "How long a worker may keep an item: `90s`, `10m`, `2h` or `1d`");
  command.add("--labels-per-item", &flags.labels_per_item, "N", "Most labels per item",
              "any number");
  command.add("--labels-per-worker", &flags.labels_per_worker, "N", "Most labels per worker",
              "any number");
  command.add("--agreement-sample", &flags.agreement_sample, "N:L",
              "Give a random sample of N items L labels each, to measure agreement");
  command.add("--people-sample", &flags.people_sample, "N",
              "Give N random items a label of a worker outside all groups, to check the groups");
  command.add("--gold-rate", &flags.gold_rate, "X", "Share of gold items among those handed out");
  command.add(
      "--stop", &flags.stop, "RULE,...",
      "Stop before the budget is spent: `accuracy:X`, `settled:X`, `worth:W` or `certified:X`");
}

/// Registers the options about beliefs.
void add_model(Command& command, CreateFlags& flags) {
  command.add("--prior", &flags.prior, "D",
              "Belief about every item before its first label: a distribution");
  command.add("--worker-prior", &flags.worker_prior, "D", kWorkerPriorMeaning,
              "`learn` with pooled refits, `beta:3,0.9` with others, else `beta:4,1`");
  command.add("--coins", &flags.coins, "N", kCoinsMeaning,
              "`2`; `1` for more than two classes by `em` or without refits");
  command.add("--refit", &flags.refit, "N|off",
              "Labels between two refits of all beliefs; `off`: one pass");
  command.add("--refit-by", &flags.refit_by, "WAY", kRefitByMeaning, kRefitByDefault);
  command.add("--ordered", &flags.ordered, kOrderedMeaning);
}

void add_create_options(Command& command, CreateFlags& flags) {
  std::ranges::find(command.options, "--campaign", &Option::name)->default_text =
      "that of the file";
  add_item_options(command, flags.items, true);
  command.require("--classes", &flags.classes, "NAME,...",
                  "Classes of a label; of two, the second is the positive one");
  add_limits(command, flags);
  command.add("--policy", &flags.policy, "NAME",
              "Policy that chooses items; `allot policies` lists all");
  add_ties(command, flags.ties);
  add_seed(command, flags.seed);
  add_model(command, flags);
}

void add_more_options(Command& command, AddItemsFlags& flags) {
  add_item_options(command, flags.items, false);
  command.add("--skip-known", &flags.skip_known,
              "Skip items that the campaign already has, instead of refusing them");
  add_key(command, flags.key);
}

}  // namespace

std::vector<Command> create_commands() {
  return {campaign_command("create", "Start a campaign", Access::write, create_campaign,
                           add_create_options,
                           {"allot campaign create sentiment.db --items items.csv --classes no,yes "
                            "--budget 5000 --policy opt-kg --labels-per-item 7"},
                           {kDistributionNote}),
          campaign_command("add-items", "Add items to a campaign", Access::write, add_items,
                           add_more_options,
                           {"allot campaign add-items sentiment.db --items more.jsonl"})};
}

}  // namespace allot::cli
