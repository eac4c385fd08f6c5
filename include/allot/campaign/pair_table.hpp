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

/// Status of one item and one worker.
enum class PairStatus : std::uint8_t {
  none,      ///< the worker never had to do with the item
  leased,    ///< the worker has the item
  lapsed,    ///< the worker had it and let it go; an answer can still come
  skipped,   ///< the worker will not label it
  labelled,  ///< the worker has given a label
};

/// One worker's part in an item.
struct Share {
  WorkerId worker;    ///< the worker who had to do with the item
  PairStatus status;  ///< never `none`
  ClassId label;      ///< if labelled
};

/// Status and label of every item and worker that had to do with each other.
class PairTable {
 public:
  /// Upper limit of the number of workers.
  static constexpr std::uint32_t kMostWorkers = (1U << 24) - 1;

  /// Shares in an item, in the order in which workers first had to do with it.
  std::vector<Share> shares(ItemId item) const;
  /// Status of the pair; `none` if the worker never had to do with the item.
  PairStatus status(ItemId item, WorkerId worker) const;
  /// The worker's label of the item; nothing if there is none.
  std::optional<ClassId> label(ItemId item, WorkerId worker) const;

  // For the state alone, which checks events first.

  /// Adds items without shares.
  void add_items(std::size_t count) { items_.resize(items_.size() + count); }
  /// Keeps the label and makes the pair `labelled`.
  void set_label(ItemId item, WorkerId worker, ClassId label) {
    part_of(item, worker).what = position(label) & 0xFF;
  }
  /// Changes the status of the pair to `leased`, `lapsed` or `skipped`.
  void set_status(ItemId item, WorkerId worker, PairStatus status);

  /// Makes room for that many items, before they are loaded.
  void reserve(std::size_t items) { items_.reserve(items); }
  /// Writes the shares in one item.
  void save_item(std::uint32_t item, ByteWriter& to) const;
  /// Adds the item that `save_item` wrote. Numbers beyond `workers` make the reader fail.
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
