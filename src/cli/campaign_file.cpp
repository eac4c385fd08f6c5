#include "cli/campaign_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "base/try.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

using campaign::Campaign;
using campaign::Time;

std::string campaigns_text(const std::vector<std::string>& names) {
  return fmt::format("the file has {}", names.empty() ? "no campaign" : some_in_quotes(names, 8));
}

Result<std::string> chosen_name(const CampaignFlags& flags, store::Store& store) {
  const auto names = TRY(store.campaigns());
  if (!flags.campaign) {
    if (names.size() == 1) return names.front();
    return fail(ErrorCode::invalid_argument,
                fmt::format("{}: {}; expected {}", in_quotes(flags.file), campaigns_text(names),
                            names.empty() ? "one made by 'allot campaign create'"
                                          : "--campaign with one of them"));
  }
  if (std::ranges::find(names, *flags.campaign) != names.end()) return *flags.campaign;
  const std::vector<std::string_view> known(names.begin(), names.end());
  return fail(ErrorCode::not_found,
              fmt::format("--campaign {} is unknown; {}{}", in_quotes(*flags.campaign),
                          campaigns_text(names), suggestion(*flags.campaign, known)));
}

}  // namespace

Result<Time> read_now(const CampaignFlags& flags) {
  if (!flags.now) {
    return std::chrono::time_point_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now());
  }
  if (const auto time = parse_time(*flags.now)) return *time;
  return fail(ErrorCode::invalid_argument,
              fmt::format("--now {} is not a time; expected one such as 2026-03-01T12:00:00Z",
                          in_quotes(*flags.now)));
}

Result<std::unique_ptr<store::Store>> open_file(const std::string& path, store::OpenMode mode) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return fail(ErrorCode::store_failure,
                fmt::format("file {} does not exist; expected one made by 'allot campaign create'",
                            in_quotes(path)));
  }
  return store::open_sqlite(path, {.mode = mode});
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
  const auto last = state_value(open, [](const campaign::State& state) { return state.time(); });
  if (!last || *last <= open.now + kAsGoodAsEqual) return "";
  return fmt::format(
      "it is {}, but the last event was at {}: new events get that time, and no lease ends before "
      "the clock has passed it; is the clock right?",
      time_text(open.now), time_text(*last));
}

std::string new_name(const CampaignFlags& flags) {
  if (flags.campaign) return *flags.campaign;
  const std::string stem = std::filesystem::path(flags.file).stem();
  return stem.empty() ? "main" : stem;
}

}  // namespace allot::cli
