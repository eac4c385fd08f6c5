#include "allot/campaign/pair_table.hpp"

namespace allot::campaign {

PairStatus PairTable::status_of(const Part& part) {
  switch (part.what) {
    case kLapsed:
      return PairStatus::lapsed;
    case kSkipped:
      return PairStatus::skipped;
    case kLeased:
      return PairStatus::leased;
    default:
      return PairStatus::labelled;
  }
}

const PairTable::Part* PairTable::find(ItemId item, WorkerId worker) const {
  for (const Part& part : items_[position(item)]) {
    if (part.worker == position(worker)) return &part;
  }
  return nullptr;
}

PairTable::Part& PairTable::part_of(ItemId item, WorkerId worker) {
  if (const Part* known = find(item, worker)) return const_cast<Part&>(*known);
  auto& parts = items_[position(item)];
  parts.push_back({position(worker) & kMostWorkers, kLapsed});
  return parts.back();
}

std::vector<Share> PairTable::shares(ItemId item) const {
  std::vector<Share> shares;
  for (const Part& part : items_[position(item)]) {
    const ClassId label{part.what < kLapsed ? part.what : 0};
    shares.push_back({WorkerId{part.worker}, status_of(part), label});
  }
  return shares;
}

PairStatus PairTable::status(ItemId item, WorkerId worker) const {
  const Part* const known = find(item, worker);
  return known ? status_of(*known) : PairStatus::none;
}

std::optional<ClassId> PairTable::label(ItemId item, WorkerId worker) const {
  const Part* const known = find(item, worker);
  if (!known || known->what >= kLapsed) return {};
  return ClassId{known->what};
}

void PairTable::set_status(ItemId item, WorkerId worker, PairStatus status) {
  part_of(item, worker).what = status == PairStatus::leased    ? kLeased
                               : status == PairStatus::skipped ? kSkipped
                                                               : kLapsed;
}

void PairTable::save_item(std::uint32_t item, ByteWriter& to) const {
  to.number(items_[item].size());
  for (const Part& part : items_[item]) {
    to.number(part.worker);
    to.byte(static_cast<std::uint8_t>(part.what));
  }
}

void PairTable::load_item(ByteReader& from, std::size_t workers) {
  auto& parts = items_.emplace_back(from.count(2));
  for (Part& part : parts) {
    part.worker = from.at_most(workers == 0 ? 0 : workers - 1) & kMostWorkers;
    part.what = from.byte();
  }
}

}  // namespace allot::campaign
