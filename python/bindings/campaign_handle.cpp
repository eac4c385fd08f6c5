#include "bindings/campaign_handle.hpp"

#include <pybind11/stl.h>

#include "allot/base/text.hpp"
#include "allot/campaign/option_text.hpp"
#include "allot/store/memory_store.hpp"
#include "allot/store/sqlite_store.hpp"
#include "base/errors.hpp"
#include "bindings/calls.hpp"
#include "bindings/errors.hpp"

namespace allot::python {
namespace {

namespace py = pybind11;
using Texts = std::vector<std::string>;

template <typename T>
Result<T> in_row(std::size_t row, const char* column, Result<T> result) {
  if (!result)
    result.error().message =
        fmt::format("row {}: column '{}': {}", row, column, result.error().message);
  return result;
}

/// Option texts by the names that they have in Python.
void set(campaign::OptionTexts& texts, const py::dict& given) {
  const auto text = [&](const char* name, std::string& target) {
    if (given.contains(name)) target = given[name].cast<std::string>();
  };
  const auto maybe = [&](const char* name, std::optional<std::string>& target) {
    if (given.contains(name)) target = given[name].cast<std::string>();
  };
  const auto list = [&](const char* name, Texts& target) {
    if (given.contains(name)) target = given[name].cast<Texts>();
  };
  list("classes", texts.classes);
  list("features", texts.features);
  list("stop", texts.stop);
  text("price", texts.price);
  text("policy", texts.policy);
  text("ties", texts.ties);
  text("seed", texts.seed);
  text("lease", texts.lease);
  text("gold_rate", texts.gold_rate);
  text("prior", texts.prior);
  text("refit", texts.refit);
  maybe("labels_per_item", texts.labels_per_item);
  maybe("labels_per_worker", texts.labels_per_worker);
  maybe("agreement_sample", texts.agreement_sample);
  maybe("people_sample", texts.people_sample);
  maybe("worker_prior", texts.worker_prior);
  maybe("coins", texts.coins);
  maybe("refit_by", texts.refit_by);
  if (given.contains("ordered")) texts.ordered = given["ordered"].cast<bool>();
}

Result<std::unique_ptr<store::Store>> open_store(const std::string& path, store::OpenMode mode) {
  return store::open_sqlite(path, {.mode = mode});
}

/// The only campaign of a file if none is named.
Result<std::string> chosen_name(store::Store& store, const std::string& path,
                                const std::optional<std::string>& name) {
  const auto names = TRY(store.campaigns());
  if (name) return *name;
  if (names.size() == 1) return names.front();
  if (names.empty()) return invalid("{} has no campaign; expected one", in_quotes(path));
  return invalid("{} has the campaigns {}; expected the name of one", in_quotes(path),
                 some_in_quotes(names));
}

}  // namespace

Result<std::vector<campaign::ItemDraft>> ItemArguments::drafts() const {
  std::vector<campaign::ItemDraft> drafts(ids.size());
  for (std::size_t n = 0; n < ids.size(); ++n) {
    campaign::ItemDraft& draft = drafts[n];
    draft.id = ids[n];
    if (!fields.empty()) draft.fields = fields[n];
    if (!prices.empty() && prices[n])
      draft.price = TRY(in_row(n, "price", parse_price(*prices[n])));
    if (!gold.empty()) draft.gold = gold[n];
    if (!truth.empty()) draft.truth = truth[n];
    if (!features.empty()) draft.features = features[n];
  }
  return drafts;
}

Result<std::vector<std::pair<std::string, Money>>> read_prices(const PriceList& texts) {
  std::vector<std::pair<std::string, Money>> prices;
  for (const auto& [worker, price] : texts) {
    auto amount = parse_price(price);
    if (!amount)
      return invalid("price of worker {}: {}", in_quotes(worker), amount.error().message);
    prices.emplace_back(worker, *amount);
  }
  return prices;
}

CampaignHandle::~CampaignHandle() {
  if (is_foreign() && opened_)
    new std::shared_ptr<OpenCampaign>(opened_);  // the parent's: leave it
}

std::shared_ptr<campaign::Campaign> CampaignHandle::get() const {
  if (!opened_) throw py::value_error("the campaign is closed; expected an open one");
  if (is_foreign()) {
    throw Refusal({ErrorCode::forbidden,
                   "the campaign was opened before fork; open the file again in this process"});
  }
  return {opened_, opened_->campaign.get()};
}
void CampaignHandle::close() {
  if (is_foreign()) return;
  const auto last = std::move(opened_);
  const py::gil_scoped_release released;
}

Handle create_campaign(const std::optional<std::string>& path, const std::string& name,
                       const std::string& budget, const py::dict& options,
                       const ItemArguments& items, const PriceList& prices,
                       const GroupList& groups) {
  campaign::OptionTexts texts;
  set(texts, options);
  return without_lock([&] {
    const auto named = [](std::string_view option) {
      return fmt::format("--{}", option);  // errors turn it into the name in Python
    };
    auto parsed = checked(campaign::parse_options(texts, named));
    auto amount = parse_money(budget);
    if (!amount) {
      throw Refusal({ErrorCode::invalid_argument,
                     fmt::format("budget {} is not a budget; expected an amount such as 5000 or "
                                 "12.50, or '10x' for ten labels per item",
                                 in_quotes(budget))});
    }
    parsed.budget = *amount;
    const auto drafts = checked(items.drafts());
    const auto by_worker = checked(read_prices(prices));
    auto store = path ? checked(open_store(*path, store::OpenMode::create)) : store::memory_store();
    auto made = checked(campaign::Campaign::create(*store, name, parsed, campaign::now(),
                                                   {drafts, by_worker, groups}));
    return std::make_shared<CampaignHandle>(OpenCampaign{std::move(store), std::move(made)},
                                            path.has_value());
  });
}

Handle open_campaign(const std::string& path, const std::optional<std::string>& name,
                     bool read_only) {
  return without_lock([&] {
    auto store =
        checked(open_store(path, read_only ? store::OpenMode::read : store::OpenMode::write));
    const std::string chosen = checked(chosen_name(*store, path, name));
    auto opened = checked(campaign::Campaign::open(*store, chosen));
    return std::make_shared<CampaignHandle>(OpenCampaign{std::move(store), std::move(opened)},
                                            true);
  });
}

}  // namespace allot::python
