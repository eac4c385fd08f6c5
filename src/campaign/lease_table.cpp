#include "allot/campaign/lease_table.hpp"

#include <algorithm>

#include "campaign/state_bytes.hpp"

namespace allot::campaign {

Lease LeaseTable::lease_at(const Place& place, const Terms& terms) {
  return {ItemId{place.second}, WorkerId{place.first}, terms.price, terms.taken, terms.expires};
}

std::vector<Lease> LeaseTable::all() const {
  std::vector<Lease> leases;
  for (const auto& [end, place] : ends_) leases.push_back(lease_at(place, leases_.at(place)));
  return leases;
}

std::vector<Lease> LeaseTable::of(WorkerId worker) const {
  std::vector<Lease> leases;
  for (auto entry = leases_.lower_bound({position(worker), 0});
       entry != leases_.end() && entry->first.first == position(worker); ++entry) {
    leases.push_back(lease_at(entry->first, entry->second));
  }
  std::ranges::stable_sort(leases, {}, &Lease::expires);
  return leases;
}

std::vector<Lease> LeaseTable::over(Time now) const {
  std::vector<Lease> leases;
  for (const auto& [end, place] : ends_) {
    if (end > now) break;
    leases.push_back(lease_at(place, leases_.at(place)));
  }
  return leases;
}

std::optional<Lease> LeaseTable::find(ItemId item, WorkerId worker) const {
  const auto known = leases_.find({position(worker), position(item)});
  if (known == leases_.end()) return {};
  return lease_at(known->first, known->second);
}

void LeaseTable::add(const Lease& lease) {
  const Place place{position(lease.worker), position(lease.item)};
  leases_[place] = {lease.price, lease.taken, lease.expires};
  ends_.insert({lease.expires, place});
}

Lease LeaseTable::remove(ItemId item, WorkerId worker) {
  const auto entry = leases_.find({position(worker), position(item)});
  const Lease lease = lease_at(entry->first, entry->second);
  ends_.erase({lease.expires, entry->first});
  leases_.erase(entry);
  return lease;
}

void LeaseTable::save(ByteWriter& to) const {
  to.number(leases_.size());
  for (const auto& [place, terms] : leases_) {
    to.number(place.first);
    to.number(place.second);
    put(to, terms.price);
    put(to, terms.taken);
    put(to, terms.expires);
  }
}

void LeaseTable::load(ByteReader& from, std::size_t workers, std::size_t items) {
  for (std::size_t n = from.count(5); n > 0; --n) {
    const WorkerId worker{from.at_most(workers)};
    const ItemId item{from.at_most(items)};
    const Money price = get_money(from);
    const Time taken = get_time(from);
    add({item, worker, price, taken, get_time(from)});
  }
}

}  // namespace allot::campaign
