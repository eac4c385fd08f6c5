#include "allot/campaign/option_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "allot/io/refit_text.hpp"
#include "allot/io/stop_text.hpp"
#include "base/errors.hpp"
#include "io/option_value.hpp"

namespace allot::campaign {
namespace {

using io::in_option;
using io::read_choice;
using io::read_whole;
using model::Coins;
using model::Refit;
using policy::TieBreak;

class TextReader {
 public:
  TextReader(const OptionTexts& texts, const std::function<std::string(std::string_view)>& named)
      : texts_(texts), named_(named) {}

  Result<Options> read() const {
    Options options;
    options.classes = texts_.classes;
    options.features = texts_.features;
    options.policy = texts_.policy;
    options.price = TRY(in_option(named_("price"), parse_money(texts_.price)));
    options.ties = TRY(read_choice<TieBreak>(
        named_("ties"), texts_.ties, {{"random", TieBreak::random}, {"first", TieBreak::first}}));
    options.seed = TRY(read_whole(named_("seed"), texts_.seed, 0, UINT64_MAX));
    options.lease = TRY(lease());
    options.labels_per_item = TRY(limit("labels-per-item", texts_.labels_per_item));
    options.labels_per_worker = TRY(limit("labels-per-worker", texts_.labels_per_worker));
    options.stop = TRY(stop());
    options.gold_rate = TRY(gold_rate());
    options.agreement_sample = TRY(agreement_sample());
    if (const auto& text = texts_.people_sample) {
      options.people_sample =
          TRY(read_whole<std::uint32_t>(named_("people-sample"), *text, 1, UINT32_MAX));
    }
    options.item_prior = texts_.prior;
    TRY(check_classes());
    TRY(read_beliefs(options));
    TRY(check(options));
    return options;
  }

  Result<Options> read_changes(Options options, const ChangeTexts& changes) const {
    if (changes.policy) options.policy = *changes.policy;
    if (changes.lease) options.lease = TRY(lease());
    if (changes.labels_per_item) {
      options.labels_per_item = TRY(limit("labels-per-item", texts_.labels_per_item));
    }
    if (changes.labels_per_worker) {
      options.labels_per_worker = TRY(limit("labels-per-worker", texts_.labels_per_worker));
    }
    if (changes.gold_rate) options.gold_rate = TRY(gold_rate());
    if (changes.stop) options.stop = TRY(stop());
    TRY(check(options));
    return options;
  }

  Result<Options> read_model(Options options) const {
    options.coins = {};
    TRY(read_beliefs(options));
    TRY(check(options));
    return options;
  }

 private:
  /// Older campaigns can have such names, so only new ones are checked.
  Result<void> check_classes() const {
    for (const std::string& one : texts_.classes) {
      const auto place = std::ranges::find_if(one, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7f;
      });
      if (place == one.end()) continue;
      return invalid("{}: the class {} has the control character U+{:04X}; expected none",
                     named_("classes"), in_quotes(one),
                     static_cast<unsigned>(static_cast<unsigned char>(*place)));
    }
    return {};
  }

  /// "600", "90s", "10m", "2h", "1d".
  Result<std::chrono::seconds> lease() const {
    static constexpr std::pair<char, std::uint64_t> kUnits[]{
        {'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    constexpr std::uint64_t kMost = 3650ULL * 86400;
    std::uint64_t unit = 1;
    std::string_view number = texts_.lease;
    for (const auto& [letter, seconds] : kUnits) {
      if (!number.ends_with(letter)) continue;
      unit = seconds;
      number.remove_suffix(1);
      break;
    }
    const auto count = parse_whole(number);
    if (count && *count > 0 && *count <= kMost / unit) return std::chrono::seconds(*count * unit);
    return invalid("{} {} is no time; expected 90s, 10m, 2h or 1d, up to 3650d", named_("lease"),
                   in_quotes(texts_.lease));
  }

  Result<std::uint32_t> limit(std::string_view option,
                              const std::optional<std::string>& text) const {
    if (!text) return 0;
    return read_whole<std::uint32_t>(named_(option), *text, 1, UINT32_MAX);
  }

  Result<double> gold_rate() const {
    const auto share = parse_number(texts_.gold_rate);
    if (share && *share >= 0 && *share <= 1) return *share;
    return invalid("{} {} is no share; expected a number from 0 to 1", named_("gold-rate"),
                   in_quotes(texts_.gold_rate));
  }

  /// "200:3": 200 items with 3 labels each.
  Result<std::optional<AgreementSample>> agreement_sample() const {
    const auto& text = texts_.agreement_sample;
    if (!text) return std::nullopt;
    const std::vector<std::string_view> parts = split(*text, ':');
    const auto items = parse_whole(parts.front()), labels = parse_whole(parts.back());
    const auto fits = [](const std::optional<std::uint64_t>& number) {
      return number && *number >= 2 && *number <= UINT32_MAX;
    };
    if (parts.size() == 2 && fits(items) && fits(labels)) {
      return AgreementSample{static_cast<std::uint32_t>(*items),
                             static_cast<std::uint32_t>(*labels)};
    }
    return invalid(
        "{} {} is no sample; expected a number of items and of labels of each, such as 200:3 (at "
        "least 2:2)",
        named_("agreement-sample"), in_quotes(*text));
  }

  Result<policy::StopRules> stop() const {
    if (texts_.stop.empty()) return policy::StopRules{};
    return in_option(named_("stop"),
                     io::parse_stop_rules(fmt::format("{}", fmt::join(texts_.stop, ","))));
  }

  Result<void> read_refit(Options& options) const {
    const std::string refit = named_("refit"), refit_by = named_("refit-by");
    if (texts_.refit == "off") {
      if (texts_.refit_by) {
        return invalid("{} {} has no use with {} off; expected a number of labels, such as {} 20",
                       refit_by, in_quotes(*texts_.refit_by), refit, refit);
      }
      options.refit = Refit::off;
      return {};
    }
    const auto every = parse_whole(texts_.refit);
    if (!every || *every < 1 || *every > 1'000'000'000) {
      return invalid("{} {} is not a number of labels; expected off, or 1 to 1000000000", refit,
                     in_quotes(texts_.refit));
    }
    options.refit_every = static_cast<std::uint32_t>(*every);
    options.refit = TRY(
        io::read_refit(refit_by, texts_.refit_by,
                       io::suited_refits(options.classes.size() == 2, !options.features.empty())));
    return {};
  }

  Result<void> read_beliefs(Options& options) const {
    TRY(read_refit(options));
    options.learn_features = !options.features.empty();
    const bool learns = options.refit == Refit::pooled;
    options.learn_workers = texts_.worker_prior.value_or(learns ? "learn" : "") == "learn";
    const char* const usual = options.refit == Refit::off ? "beta:4,1" : "beta:3,0.9";
    options.worker_prior = options.learn_workers ? usual : texts_.worker_prior.value_or(usual);
    options.ordered = texts_.ordered;
    if (!texts_.coins) return {};
    return read_choice<Coins>(named_("coins"), *texts_.coins,
                              {{"1", Coins::one}, {"2", Coins::two}})
        .map([&](Coins coins) { options.coins = coins; });
  }

  const OptionTexts& texts_;
  const std::function<std::string(std::string_view)>& named_;
};

/// A limit that a change gives; "any" for none.
std::optional<std::string> limit_text(const std::optional<std::string>& text) {
  return text == "any" ? std::nullopt : text;
}

}  // namespace

Result<Options> parse_options(const OptionTexts& texts,
                              const std::function<std::string(std::string_view)>& named) {
  return TextReader(texts, named).read();
}

Result<Options> parse_changes(const Options& before, const ChangeTexts& texts,
                              const std::function<std::string(std::string_view)>& named) {
  const OptionTexts usual;
  const OptionTexts all{.lease = texts.lease.value_or(usual.lease),
                        .labels_per_item = limit_text(texts.labels_per_item),
                        .labels_per_worker = limit_text(texts.labels_per_worker),
                        .gold_rate = texts.gold_rate.value_or(usual.gold_rate),
                        .stop = texts.stop.value_or(usual.stop)};
  return TextReader(all, named).read_changes(before, texts);
}

Result<Options> parse_model(const Options& before, const OptionTexts& texts,
                            const std::function<std::string(std::string_view)>& named) {
  return TextReader(texts, named).read_model(before);
}

std::string model_text(const Options& options) {
  const bool several = options.classes.size() > 2;
  const bool one_coin = used_coins(options, options.refit) == Coins::one;
  return fmt::format("{}, {}, worker prior {}{}",
                     options.refit == Refit::off
                         ? "no refits"
                         : fmt::format("refits by {} every {} labels",
                                       io::refit_name(options.refit), options.refit_every),
                     one_coin  ? "one coin"
                     : several ? "confusion tables"
                               : "two coins",
                     options.learn_workers ? "learned" : options.worker_prior,
                     options.ordered ? ", ordered classes" : "");
}

}  // namespace allot::campaign
