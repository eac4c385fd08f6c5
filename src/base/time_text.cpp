#include "allot/base/time_text.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"

namespace allot {
namespace {

using Time = std::chrono::sys_time<std::chrono::microseconds>;

/// The digits of a text that has just them.
std::optional<int> digits(std::string_view text) {
  const auto number = text.find_first_not_of("0123456789") == std::string_view::npos
                          ? parse_whole(text)
                          : std::nullopt;
  return number && text.size() <= 6 ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

}  // namespace

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

}  // namespace allot
