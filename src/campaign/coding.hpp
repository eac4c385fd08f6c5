// Values of events and snapshots as bytes and back. One list of values serves both ways:
//
//   template <typename Bytes, typename Of>
//   void code(Bytes& bytes, Of& share) { code_all(bytes, share.worker, share.label); }
// writes a const share to a ByteWriter, and reads a share from a ByteReader.
#pragma once

#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/campaign/state.hpp"

namespace allot::campaign {

template <std::unsigned_integral Number>
void code(ByteWriter& to, Number number) {
  sizeof(Number) == 1 ? to.byte(static_cast<std::uint8_t>(number)) : to.number(number);
}
template <std::unsigned_integral Number>
void code(ByteReader& from, Number& number) {
  number = sizeof(Number) == 1 ? static_cast<Number>(from.byte())
                               : from.at_most<Number>(std::numeric_limits<Number>::max());
}

inline void code(ByteWriter& to, std::int64_t number) { to.signed_number(number); }
inline void code(ByteReader& from, std::int64_t& number) { number = from.signed_number(); }
inline void code(ByteWriter& to, double number) { to.real(number); }
inline void code(ByteReader& from, double& number) { number = from.real(); }
inline void code(ByteWriter& to, const std::string& text) { to.text(text); }
inline void code(ByteReader& from, std::string& text) { text = from.text(); }
inline void code(ByteWriter& to, Money one) { to.signed_number(one.in_billionths()); }
inline void code(ByteReader& from, Money& one) { one = Money::billionths(from.signed_number()); }
inline void code(ByteWriter& to, std::chrono::seconds one) { to.signed_number(one.count()); }
inline void code(ByteReader& from, std::chrono::seconds& one) {
  one = std::chrono::seconds(from.signed_number());
}
inline void code(ByteWriter& to, Time one) { to.signed_number(one.time_since_epoch().count()); }
inline void code(ByteReader& from, Time& one) {
  one = Time(std::chrono::microseconds(from.signed_number()));
}
inline void code(ByteWriter& to, const AgreementSample& sample) {
  to.number(sample.items);
  to.number(sample.labels);
}
inline void code(ByteReader& from, AgreementSample& sample) {
  sample.items = from.at_most<std::uint32_t>(UINT32_MAX);
  sample.labels = from.at_most<std::uint32_t>(UINT32_MAX);
}
inline void code(ByteWriter& to, const Options& options) { save(options, to); }
inline void code(ByteReader& from, Options& options) { options = load_options(from); }

/// The last value of an enumeration.
template <typename Id>
constexpr std::uint64_t last_of(Id) {
  return UINT32_MAX;
}
constexpr std::uint64_t last_of(LeaseReason) { return 3; }
constexpr std::uint64_t last_of(AnswerOrigin) { return 3; }
constexpr std::uint64_t last_of(Admission) { return 2; }
constexpr std::uint64_t last_of(Phase) { return 2; }
constexpr std::uint64_t last_of(policy::TieBreak) { return 1; }
constexpr std::uint64_t last_of(model::Coins) { return 1; }
constexpr std::uint64_t last_of(model::Refit) { return 3; }
constexpr std::uint64_t last_of(Platform) { return 4; }
constexpr std::uint64_t last_of(SessionOutcome) { return 3; }
constexpr std::uint64_t last_of(Standing) { return 2; }

template <typename T>
concept Enumeration = std::is_enum_v<T>;
template <Enumeration Enum>
void code(ByteWriter& to, Enum value) {
  to.number(static_cast<std::uint64_t>(value));
}
template <Enumeration Enum>
void code(ByteReader& from, Enum& value) {
  value = from.at_most<Enum>(last_of(Enum()));
}
/// One more than the value; 0 for none.
template <Enumeration Enum>
void code(ByteWriter& to, const std::optional<Enum>& value) {
  to.number(value ? 1 + static_cast<std::uint64_t>(*value) : 0);
}
template <Enumeration Enum>
void code(ByteReader& from, std::optional<Enum>& value) {
  const auto number = from.at_most<std::uint64_t>(1 + last_of(Enum()));
  if (number > 0) value = static_cast<Enum>(number - 1);
}

template <typename T>
void code(ByteWriter& to, const std::vector<T>& values) {
  if constexpr (std::is_arithmetic_v<T>) {
    to.array(values);
  } else {
    to.number(values.size());
    for (const T& value : values) code(to, value);
  }
}
template <typename T>
void code(ByteReader& from, std::vector<T>& values) {
  if constexpr (std::is_arithmetic_v<T>) {
    from.array(values);
  } else {
    values.resize(from.count(1));
    for (T& value : values) code(from, value);
  }
}

template <typename Key, typename Value>
void code(ByteWriter& to, const std::map<Key, Value>& values) {
  to.number(values.size());
  for (const auto& [key, value] : values) {
    code(to, key);
    code(to, value);
  }
}
template <typename Key, typename Value>
void code(ByteReader& from, std::map<Key, Value>& values) {
  for (std::size_t n = from.count(2); n > 0; --n) {
    Key key{};
    code(from, key);
    code(from, values[key]);
  }
}

template <typename Bytes, typename... T>
void code_all(Bytes& bytes, T&&... values) {
  (code(bytes, values), ...);
}

template <typename Bytes, typename Of>
requires std::same_as<std::remove_const_t<Of>, AuditStarted>
void code(Bytes& bytes, Of& audit) {
  auto& [seed, checks, target, confidence] = audit.plan;
  code_all(bytes, seed, checks, target, confidence, audit.answers, audit.stated);
}

template <typename Bytes, typename Of>
requires std::same_as<std::remove_const_t<Of>, GoldBelief>
void code(Bytes& bytes, Of& belief) { code_all(bytes, belief.item, belief.stated, belief.labels); }

template <typename Bytes, typename Of>
requires std::same_as<std::remove_const_t<Of>, RecruitingTerms>
void code(Bytes& bytes, Of& terms) {
  code_all(bytes, terms.platform, terms.id_parameter, terms.session_parameter, terms.capture,
           terms.labels, terms.most_participants, terms.sessions_per_id, terms.arrivals_per_minute,
           terms.codes.done, terms.codes.screened_out, terms.codes.no_work, terms.return_url,
           terms.consent, terms.qualification.items, terms.qualification.least_right,
           terms.qualification.feedback, terms.secret, terms.signed_arrivals, terms.open);
}

/// Flags and optional values: a byte with one bit for each, then the values that are there.
template <typename... T>
void code_flags(ByteWriter& to, const T&... values) {
  unsigned flags = 0, bit = 1;
  ((flags |= values ? bit : 0, bit <<= 1), ...);
  to.byte(static_cast<std::uint8_t>(flags));
  const auto put = [&]<typename One>(const One& value) {
    if constexpr (!std::same_as<One, bool>) {
      if (value) code(to, *value);
    }
  };
  (put(values), ...);
}
template <typename... T>
void code_flags(ByteReader& from, T&... values) {
  static_assert(sizeof...(T) <= 8);
  unsigned flags = from.byte();
  if (flags >> sizeof...(T) != 0) from.refuse();
  const auto get = [&]<typename One>(One& value) {
    const bool set = (flags & 1) != 0;
    flags >>= 1;
    if constexpr (std::same_as<One, bool>) {
      value = set;
    } else if (set) {
      code(from, value.emplace());
    }
  };
  (get(values), ...);
}

}  // namespace allot::campaign
