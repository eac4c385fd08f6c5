// Values of PostgreSQL statements in its binary format: no quoting, and any byte can be sent.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct pg_result;

namespace allot::store {

/// 128 random bits.
using Uuid = std::array<unsigned char, 16>;
Uuid random_uuid();

/// A parameter of a statement, in binary format.
struct PostgresValue {
  unsigned type;  // its OID; 0 leaves it to the server
  std::string bytes;
  bool is_null = false;
};

PostgresValue null_value();

/// Numbers of PostgreSQL are signed; larger ones become the largest.
PostgresValue number_value(std::uint64_t number);
PostgresValue number_value(std::int64_t number);
PostgresValue text_value(std::string_view text);
PostgresValue bytes_value(std::string_view bytes);
PostgresValue uuid_value(const Uuid& uuid);

/// A parameter that is an array; built element by element, so that no copy of all is needed.
class PostgresArray {
 public:
  /// bigint[]
  static PostgresArray of_numbers(std::size_t size);
  /// bytea[]
  static PostgresArray of_bytes(std::size_t size);

  void add(std::int64_t number);
  void add(std::string_view bytes);
  void add_null();
  PostgresValue take() && { return {array_type_, std::move(bytes_)}; }

 private:
  PostgresArray(unsigned array_type, unsigned element_type, std::size_t size);

  unsigned array_type_;
  std::string bytes_;
};

/// Rows of a result, in binary format.
class PostgresRows {
 public:
  explicit PostgresRows(pg_result* result) : result_(result) {}

  int size() const;
  /// A smallint, integer, bigint or boolean.
  std::int64_t number(int row, int column) const;
  std::uint64_t count(int row, int column) const {
    return static_cast<std::uint64_t>(number(row, column));
  }
  /// Valid as long as the rows.
  std::string_view bytes(int row, int column) const;
  std::string text(int row, int column) const { return std::string(bytes(row, column)); }
  bool is_null(int row, int column) const;

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

}  // namespace allot::store
