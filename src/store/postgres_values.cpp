#include "store/postgres_values.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <random>

namespace allot::store {
namespace {

/// OIDs of built-in types [PostgreSQL, pg_type.dat]; they never change.
constexpr unsigned kBytea = 17, kBigint = 20, kText = 25, kUuid = 2950;
constexpr unsigned kByteaArray = 1001, kBigintArray = 1016;

/// Appends a number in network byte order.
template <typename Number>
void put(std::string& to, Number number) {
  for (int shift = 8 * (sizeof number - 1); shift >= 0; shift -= 8) {
    to.push_back(static_cast<char>(static_cast<std::uint64_t>(number) >> shift & 0xff));
  }
}

}  // namespace

Uuid random_uuid() {
  std::random_device random;
  Uuid uuid;
  for (std::size_t n = 0; n < uuid.size(); n += 4) {
    const auto bits = random();
    for (std::size_t i = 0; i < 4; ++i) uuid[n + i] = static_cast<unsigned char>(bits >> 8 * i);
  }
  return uuid;
}

PostgresValue null_value() { return {0, {}, true}; }

PostgresValue number_value(std::uint64_t number) {
  return number_value(static_cast<std::int64_t>(std::min(number, std::uint64_t{INT64_MAX})));
}

PostgresValue number_value(std::int64_t number) {
  PostgresValue value{kBigint, {}, false};
  put(value.bytes, number);
  return value;
}

PostgresValue text_value(std::string_view text) { return {kText, std::string(text)}; }
PostgresValue bytes_value(std::string_view bytes) { return {kBytea, std::string(bytes)}; }

PostgresValue uuid_value(const Uuid& uuid) {
  return {kUuid, std::string(uuid.begin(), uuid.end())};
}

// One dimension with lower bound 1, as array_recv reads it.
PostgresArray::PostgresArray(unsigned array_type, unsigned element_type, std::size_t size)
    : array_type_(array_type) {
  put(bytes_, std::int32_t{1});
  put(bytes_, std::int32_t{1});  // there may be nulls
  put(bytes_, element_type);
  put(bytes_, static_cast<std::int32_t>(size));
  put(bytes_, std::int32_t{1});
}

PostgresArray PostgresArray::of_numbers(std::size_t size) { return {kBigintArray, kBigint, size}; }
PostgresArray PostgresArray::of_bytes(std::size_t size) { return {kByteaArray, kBytea, size}; }

void PostgresArray::add(std::int64_t number) {
  put(bytes_, std::int32_t{8});
  put(bytes_, number);
}

void PostgresArray::add(std::string_view bytes) {
  put(bytes_, static_cast<std::int32_t>(bytes.size()));
  bytes_ += bytes;
}

void PostgresArray::add_null() { put(bytes_, std::int32_t{-1}); }

void PostgresRows::Clear::operator()(pg_result* result) const { PQclear(result); }

int PostgresRows::size() const { return PQntuples(result_.get()); }

std::int64_t PostgresRows::number(int row, int column) const {
  const std::string_view big_endian = bytes(row, column);
  // The first byte has the sign.
  std::uint64_t number = !big_endian.empty() && (big_endian.front() & 0x80) != 0 ? ~0ULL : 0;
  for (const char byte : big_endian) number = number << 8 | static_cast<unsigned char>(byte);
  return static_cast<std::int64_t>(number);
}

std::string_view PostgresRows::bytes(int row, int column) const {
  return {PQgetvalue(result_.get(), row, column),
          static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

bool PostgresRows::is_null(int row, int column) const {
  return PQgetisnull(result_.get(), row, column) != 0;
}

}  // namespace allot::store
