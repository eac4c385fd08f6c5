// Who has done what with which item: leases, labels and skips of every item and worker.
//
// Memory: 24 bytes per item and 4 to 8 per pair that had to do with each other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/base/ids.hpp"

namespace allot::campaign {

/// What is between an item and a worker.
enum class PairStatus : std::uint8_t {
  none,
  leased,   // the worker has the item
  lapsed,   // the worker had it and let it go; an answer can still come
  skipped,  // the worker will not label it
  labelled,
};

/// One worker's part in an item.
struct Share {
  WorkerId worker;
  PairStatus status;
  ClassId label;  // if labelled
};

class PairTable {
 public:
  /// Workers are numbered below this.
  static constexpr std::uint32_t kMostWorkers = (1U << 24) - 1;

  /// Shares in an item, in the order in which workers first had to do with it.
  std::vector<Share> shares(ItemId item) const;
  PairStatus status(ItemId item, WorkerId worker) const;
  std::optional<ClassId> label(ItemId item, WorkerId worker) const;

  // For the state alone, which checks events first.

  void add_items(std::size_t count) { items_.resize(items_.size() + count); }
  void set_label(ItemId item, WorkerId worker, ClassId label) {
    part_of(item, worker).what = position(label) & 0xFF;
  }
  /// Any status except `none` and `labelled`.
  void set_status(ItemId item, WorkerId worker, PairStatus status);

  void reserve(std::size_t items) { items_.reserve(items); }
  void save_item(std::uint32_t item, ByteWriter& to) const;
  void load_item(ByteReader& from, std::size_t workers);

 private:
  /// A share in 4 bytes: `what` is a class, or one of three statuses from kLapsed on.
  struct Part {
    std::uint32_t worker : 24;
    std::uint32_t what : 8;
  };
  static constexpr std::uint32_t kLapsed = 253, kSkipped = 254, kLeased = 255;

  static PairStatus status_of(const Part& part);
  const Part* find(ItemId item, WorkerId worker) const;
  Part& part_of(ItemId item, WorkerId worker);

  std::vector<std::vector<Part>> items_;
};

}  // namespace allot::campaign
