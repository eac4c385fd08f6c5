#include "cli/campaign_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "allot/base/text.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

using campaign::Campaign;
using campaign::Time;

std::string choice_of(const std::vector<std::string>& names) {
  return fmt::format("the file has {}", names.empty() ? "none" : some_in_quotes(names, 8));
}

Result<std::string> chosen_name(const CampaignFlags& flags, store::Store& store) {
  const auto names = store.campaigns();
  if (!names) return tl::unexpected(names.error());
  if (!flags.campaign) {
    if (names->size() == 1) return names->front();
    return fail(ErrorCode::invalid_argument,
                fmt::format("{}: {}; expected {}", in_quotes(flags.file), choice_of(*names),
                            names->empty() ? "one made by 'allot campaign create'"
                                           : "--campaign with one of them"));
  }
  if (std::ranges::find(*names, *flags.campaign) != names->end()) return *flags.campaign;
  const std::vector<std::string_view> known(names->begin(), names->end());
  return fail(ErrorCode::not_found,
              fmt::format("--campaign {} is unknown; {}{}", in_quotes(*flags.campaign),
                          choice_of(*names), suggestion(*flags.campaign, known)));
}

/// The digits of a text that has just them.
std::optional<int> digits(std::string_view text) {
  const auto number = text.find_first_not_of("0123456789") == std::string_view::npos
                          ? parse_whole(text)
                          : std::nullopt;
  return number && text.size() <= 6 ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

/// "2026-03-01" and "T12:00:00Z" or "T12:00:00.5Z" behind it.
std::optional<Time> parse_time(std::string_view text) {
  using namespace std::chrono;
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return {};
  const auto y = digits(text.substr(0, 4)), m = digits(text.substr(5, 2)),
             d = digits(text.substr(8, 2));
  if (!y || !m || !d) return {};
  const year_month_day date{year(*y), month(static_cast<unsigned>(*m)),
                            day(static_cast<unsigned>(*d))};
  if (!date.ok()) return {};
  const Time midnight = sys_days(date);
  if (text.size() == 10) return midnight;
  if (text.size() < 20 || text[10] != 'T' || text[13] != ':' || text[16] != ':' ||
      text.back() != 'Z') {
    return {};
  }
  const auto hour = digits(text.substr(11, 2)), minute = digits(text.substr(14, 2)),
             second = digits(text.substr(17, 2));
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 59) return {};
  std::string part(text.substr(19, text.size() - 20));
  if (!part.empty() && (part.front() != '.' || part.size() < 2 || part.size() > 7)) return {};
  part.erase(0, part.empty() ? 0 : 1);
  part.resize(6, '0');
  const auto micro = digits(part);
  if (!micro) return {};
  return midnight + hours(*hour) + minutes(*minute) + seconds(*second) + microseconds(*micro);
}

}  // namespace

Result<Time> read_now(const CampaignFlags& flags) {
  if (!flags.now) {
    return std::chrono::time_point_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now());
  }
  if (const auto time = parse_time(*flags.now)) return *time;
  return fail(ErrorCode::invalid_argument,
              fmt::format("--now {} is no time; expected one such as 2026-03-01T12:00:00Z",
                          in_quotes(*flags.now)));
}

Result<OpenCampaign> open_campaign(const CampaignFlags& flags, store::OpenMode mode) {
  const auto now = read_now(flags);
  if (!now) return tl::unexpected(now.error());
  auto store = store::open_sqlite(flags.file, {.mode = mode});
  if (!store) return tl::unexpected(store.error());
  const auto name = chosen_name(flags, **store);
  if (!name) return tl::unexpected(name.error());
  auto campaign = Campaign::open(**store, *name);
  if (!campaign) return tl::unexpected(campaign.error());
  return OpenCampaign{*std::move(store), *std::move(campaign), *now};
}

std::string clock_note(const OpenCampaign& open) {
  constexpr std::chrono::minutes kAsGoodAsEqual(1);
  const auto last = looked_at(open, [](const campaign::State& state) { return state.time(); });
  if (!last || *last <= open.now + kAsGoodAsEqual) return "";
  return fmt::format(
      "it is {}, but the last event was at {}: what happens now counts as of then, and no lease "
      "ends before the clock is past it; is the clock right?",
      time_text(open.now), time_text(*last));
}

std::string new_name(const CampaignFlags& flags) {
  if (flags.campaign) return *flags.campaign;
  const std::string stem = std::filesystem::path(flags.file).stem();
  return stem.empty() ? "main" : stem;
}

std::string time_text(Time time) {
  using namespace std::chrono;
  const auto midnight = floor<days>(time);
  const hh_mm_ss<microseconds> clock(time - midnight);
  std::string text =
      fmt::format("{}T{:02}:{:02}:{:02}", day_text(midnight.time_since_epoch().count()),
                  clock.hours().count(), clock.minutes().count(), clock.seconds().count());
  if (clock.subseconds().count() > 0) text += fmt::format(".{:06}", clock.subseconds().count());
  return text + "Z";
}

std::string day_text(std::int64_t days) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string phase_text(campaign::Phase phase) {
  switch (phase) {
    case campaign::Phase::running:
      return "running";
    case campaign::Phase::paused:
      return "paused";
    case campaign::Phase::closed:
      break;
  }
  return "closed";
}

}  // namespace allot::cli
