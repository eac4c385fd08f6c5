#include "allot/base/time_text.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"

namespace allot {
namespace {

using Time = std::chrono::sys_time<std::chrono::microseconds>;

/// The number that the text spells in digits; nothing if it has any other character.
std::optional<int> digits(std::string_view text) {
  const auto number = text.find_first_not_of("0123456789") == std::string_view::npos
                          ? parse_whole(text)
                          : std::nullopt;
  return number && text.size() <= 6 ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

/// Writes the last `count` digits of a number. By hand for speed: every log line and every reply
/// holds a time.
void put(std::int64_t number, int count, char* to) {
  while (count-- > 0) {
    to[count] = static_cast<char>('0' + number % 10);
    number /= 10;
  }
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
  std::string text = day_text(midnight.time_since_epoch().count());
  text += "T00:00:00";
  const std::size_t at = text.size() - 8;
  put(clock.hours().count(), 2, &text[at]);
  put(clock.minutes().count(), 2, &text[at + 3]);
  put(clock.seconds().count(), 2, &text[at + 6]);
  if (const auto rest = clock.subseconds().count(); rest > 0) {
    text += ".000000";
    put(rest, 6, &text[text.size() - 6]);
  }
  return text += 'Z';
}

std::string day_text(std::int64_t days) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  const int year = static_cast<int>(date.year());
  // fmt is slower, but years outside 0 to 9999 are rare.
  std::string text = year >= 0 && year <= 9999 ? "0000-00-00" : fmt::format("{:04}-00-00", year);
  if (year >= 0 && year <= 9999) put(year, 4, text.data());
  put(static_cast<unsigned>(date.month()), 2, &text[text.size() - 5]);
  put(static_cast<unsigned>(date.day()), 2, &text[text.size() - 2]);
  return text;
}

}  // namespace allot
