// Contents of items, read from a database in blocks of neighbours.
//
// A label that is handed out shows its item, and one round trip per item would cost more than the
// commit. Contents never change, so a block that was read stays right for as long as there is room
// for it. An item without a content is asked for again, since it can get one. Neighbours that are
// large are read when they are needed.
//
// Cost: one round trip per block; up to `kMostBytes` of memory per store. Any number of threads may
// call it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "store/postgres_reader.hpp"

namespace allot::store {

class PostgresContents {
 public:
  /// Items per block.
  static constexpr std::uint32_t kBlock = 64;
  /// The largest neighbour that is read ahead.
  static constexpr std::uint64_t kLargest = 4096;
  /// Bytes that are kept.
  static constexpr std::size_t kMostBytes = 32 << 20;

  explicit PostgresContents(PostgresPool& pool) : reader_(pool) {}

  /// Fields of the item; nothing if it has no content. `id` is the campaign's row: a campaign that
  /// was deleted and made again has another one.
  Result<std::optional<std::string>> find(std::int64_t id, std::string_view campaign,
                                          std::uint32_t item);

 private:
  using Place = std::pair<std::int64_t, std::uint32_t>;  // campaign and number of the block
  struct Block {
    std::unordered_map<std::uint32_t, std::string> fields;  // by item
    std::size_t bytes = 0;
  };
  void keep(const Place& place, Block block);

  const PostgresReader reader_;
  std::mutex mutex_;
  std::map<Place, Block> blocks_;
  std::deque<Place> oldest_first_;
  std::size_t bytes_ = 0;
};

}  // namespace allot::store
