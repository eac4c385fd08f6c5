#include "allot/policy/contextual_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "allot/base/check.hpp"
#include "allot/base/text.hpp"
#include "allot/index/contextual_reward.hpp"

namespace allot::policy {
namespace {

using model::Contextual;
using model::ContextualClasses;
using Rows = std::span<const std::uint32_t>;

/// Index values of rows.
template <typename Belief>
using Values = std::function<std::vector<double>(const Belief&, Rows)>;

struct Indices {
  Values<Contextual> two;
  Values<ContextualClasses> several;
  bool dear;  // whether candidates may have to be drawn
};

/// How much a label of the row promises to teach.
double promise(const Contextual& belief, std::uint32_t row) {
  const double q = math::predictive_logistic(belief.means()[row], belief.variances()[row]);
  return belief.variances()[row] * q * (1 - q);
}
double promise(const ContextualClasses& belief, std::uint32_t row) {
  double sum = 0;
  for (std::uint32_t c = 0; c < belief.class_count(); ++c) {
    sum += promise(belief.model(ClassId{c}), row);
  }
  return sum;
}

std::size_t models(const Contextual&) { return 1; }
std::size_t models(const ContextualClasses& belief) { return belief.class_count(); }

/// Puts `count` rows in front, half by promise, half at random.
template <typename Belief>
void draw_candidates(const Belief& belief, std::size_t count, Rng rng,
                     std::vector<std::uint32_t>& rows) {
  std::vector<double> score(belief.rows().row_count());
  for (const std::uint32_t row : rows) score[row] = promise(belief, row);
  const auto half = rows.begin() + static_cast<std::ptrdiff_t>((count + 1) / 2);
  std::nth_element(rows.begin(), half, rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return score[a] != score[b] ? score[a] > score[b] : a < b;
  });
  std::sort(half, rows.end());
  for (std::size_t i = (count + 1) / 2; i < count; ++i) {
    std::swap(rows[i], rows[i + below(rng, rows.size() - i)]);
  }
  rows.resize(count);
  std::ranges::sort(rows);
}

template <typename Belief>
class RowChooser final : public Chooser {
 public:
  RowChooser(const Belief& belief, Values<Belief> values, bool dear,
             const ContextualPolicyOptions& options)
      : belief_(belief),
        values_(std::move(values)),
        dear_(dear),
        options_(options),
        open_(belief.item_count(), true) {}

  ItemId choose(Rng& rng) override {
    if (tied_.empty()) find_tied();
    std::size_t place = 0;
    if (options_.ties == TieBreak::random && tied_.size() > 1) place = below(rng, tied_.size());
    return tied_[place];
  }
  void refresh(ItemId) override { tied_.clear(); }
  void exclude(ItemId item) override {
    open_[position(item)] = false;
    tied_.clear();
  }

 private:
  void find_tied() {
    std::vector<std::uint32_t> rows = candidates();
    require(!rows.empty(), "Chooser::choose", "open items", 0, "expected at least 1");
    std::vector<double> values = values_(belief_, rows);
    std::ranges::transform(values, values.begin(), steady);
    for (const std::uint32_t best : best_candidates(values)) {
      for (const ItemId item : belief_.rows().items_of(rows[best])) {
        if (open_[position(item)]) tied_.push_back(item);
      }
    }
    std::ranges::sort(tied_);
  }

  std::vector<std::uint32_t> candidates() const {
    const model::ItemRows& all = belief_.rows();
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < all.row_count(); ++row) {
      const auto is_open = [&](ItemId item) { return open_[position(item)]; };
      if (std::ranges::any_of(all.items_of(row), is_open)) rows.push_back(row);
    }
    if (!dear_) return rows;
    constexpr double kTails = 120;  // both normal tails of a row, in multiply-adds
    const double cost = static_cast<double>(models(belief_)) *
                        static_cast<double>(all.row_count()) * (all.column_count() + kTails);
    const double most = std::max(1.0, options_.cost_limit / cost);
    if (most < static_cast<double>(rows.size())) {
      draw_candidates(belief_, static_cast<std::size_t>(most),
                      Rng(options_.seed, Rng::Purpose::candidates, belief_.label_count()), rows);
    }
    return rows;
  }

  const Belief& belief_;
  const Values<Belief> values_;
  const bool dear_;
  const ContextualPolicyOptions options_;
  std::vector<bool> open_;
  std::vector<ItemId> tied_;  // in order; empty if not known
};

class RowPolicy final : public ContextualPolicy {
 public:
  RowPolicy(std::string name, Indices indices, const ContextualPolicyOptions& options)
      : name_(std::move(name)), indices_(std::move(indices)), options_(options) {}

  std::string name() const override { return name_; }
  std::unique_ptr<Chooser> start(const Contextual& belief) const override {
    return std::make_unique<RowChooser<Contextual>>(belief, indices_.two, indices_.dear, options_);
  }
  std::unique_ptr<Chooser> start(const ContextualClasses& belief) const override {
    return std::make_unique<RowChooser<ContextualClasses>>(belief, indices_.several, indices_.dear,
                                                           options_);
  }

 private:
  const std::string name_;
  const Indices indices_;
  const ContextualPolicyOptions options_;
};

/// The same index of rewards with two outcomes and with several.
template <typename Index>
Indices by_reward(Index index, const model::Channel& worker) {
  const auto apply = [index](const auto& rewards) {
    std::vector<double> values;
    for (const auto& reward : rewards) values.push_back(index(reward));
    return values;
  };
  return {[=](const Contextual& belief, Rows rows) {
            return apply(index::contextual_rewards(belief, rows, worker));
          },
          [=](const ContextualClasses& belief, Rows rows) {
            return apply(index::contextual_rewards(belief, rows));
          },
          true};
}

template <typename Index>
Indices by_row(Index index) {
  const auto apply = [index](const auto& belief, Rows rows) {
    std::vector<double> values;
    for (const std::uint32_t row : rows) values.push_back(index(belief, row));
    return values;
  };
  return {apply, apply, false};
}

}  // namespace

Result<std::shared_ptr<const ContextualPolicy>> make_contextual_policy(
    std::string_view name, const ContextualPolicyOptions& given) {
  require(given.cost_limit > 0, "make_contextual_policy", "cost_limit", given.cost_limit,
          "expected more than 0");
  ContextualPolicyOptions options = given;
  Indices indices;
  std::string written(name);
  if (name == "uniform") {
    options.ties = TieBreak::random;  // there is no first among equals
    indices = by_row([](const auto&, std::uint32_t) { return 0.0; });
  } else if (name == "lu") {
    indices = by_row([](const auto& belief, std::uint32_t row) {
      return index::contextual_uncertainty(belief, row);
    });
  } else if (name == "kg") {
    indices = by_reward([](const auto& reward) { return index::kg(reward); }, options.worker);
  } else if (name == "opt-kg") {
    indices = by_reward([](const auto& reward) { return index::opt_kg(reward); }, options.worker);
  } else if (name == "pessimistic-kg") {
    indices =
        by_reward([](const auto& reward) { return index::pessimistic_kg(reward); }, options.worker);
  } else if (name.starts_with("cvar:")) {
    const std::optional<double> alpha = parse_number(name.substr(5));
    if (!alpha || *alpha < 0 || *alpha > 1) {
      return fail(
          ErrorCode::invalid_argument,
          fmt::format("policy '{}': ALPHA must be a number from 0 to 1, as in cvar:0.7", name));
    }
    const double share = *alpha + 0.0;  // -0 is 0
    written = fmt::format("cvar:{}", share);
    indices = by_reward([share](const auto& reward) { return index::cvar_kg(reward, share); },
                        options.worker);
  } else {
    static constexpr std::array<std::string_view, 6> kNames{
        "uniform", "kg", "opt-kg", "pessimistic-kg", "cvar:ALPHA", "lu"};
    return fail(ErrorCode::invalid_argument,
                fmt::format("policy '{}' is unknown where items have features and workers are "
                            "alike{} (uniform, kg, opt-kg, pessimistic-kg, cvar:ALPHA, lu)",
                            name, suggestion(name, kNames)));
  }
  return std::make_shared<RowPolicy>(std::move(written), std::move(indices), options);
}

}  // namespace allot::policy
