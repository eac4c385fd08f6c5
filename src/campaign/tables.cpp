#include "allot/campaign/tables.hpp"

#include "campaign/coding.hpp"
#include "io/name_table.hpp"

namespace allot::campaign {
namespace {

constexpr std::size_t kMostReasons = 255;

/// The value under that key, if there is one.
template <typename Value>
std::optional<Value> value_in(const std::map<std::uint32_t, Value>& values, ItemId item) {
  const auto known = values.find(position(item));
  return known == values.end() ? std::nullopt : std::optional(known->second);
}

}  // namespace

std::optional<ClassId> ItemTable::gold(ItemId item) const { return value_in(gold_, item); }

std::optional<ClassId> ItemTable::known(ItemId item) const {
  const auto answer = gold(item);
  return answer ? answer : reviewed(item);
}

std::optional<ClassId> ItemTable::truth(ItemId item) const {
  const std::uint32_t number = position(item);
  if (number >= truths_.size() || truths_[number] == 0) return {};
  return ClassId{truths_[number] - 1U};
}

std::string_view ItemTable::finish_reason(ItemId item) const {
  const Item& entry = items_[position(item)];
  if (reviewed(item)) return "reviewed";
  if (entry.reason != 0) return reasons_[entry.reason - 1];
  const bool full = limit_ > 0 && entry.labels >= limit_;
  return full && !gold(item) ? "full" : "";
}

bool ItemTable::has_room(ItemId item) const {
  const Item& entry = items_[position(item)];
  if (entry.reason != 0 || known(item)) return false;
  return limit_ == 0 || entry.labels + entry.pending < limit_;
}

std::optional<Money> ItemTable::price(ItemId item) const { return value_in(prices_, item); }

void ItemTable::add(const NewItem& item) {
  const std::uint32_t number = count();
  items_.emplace_back();
  if (item.gold) {
    gold_[number] = *item.gold;
    gold_items_.push_back(ItemId{number});
  }
  if (item.truth) {
    truths_.resize(number + 1);
    truths_[number] = static_cast<std::uint8_t>(position(*item.truth) + 1);
    truth_count_ += !item.gold;
  }
  if (item.price) {
    prices_[number] = *item.price;
    lowest_price_ = std::min(lowest_price_, *item.price);
  }
  features_.insert(features_.end(), item.features.begin(), item.features.end());
}

bool ItemTable::settle(ItemId item, const std::string& reason) {
  auto known = std::ranges::find(reasons_, reason);
  if (known == reasons_.end()) {
    if (reasons_.size() == kMostReasons) return false;
    known = reasons_.insert(known, reason);
  }
  items_[position(item)].reason = static_cast<std::uint8_t>(known - reasons_.begin() + 1);
  return true;
}

void ItemTable::unsettle(std::string_view reason) {
  const auto known = std::ranges::find(reasons_, reason);
  if (known == reasons_.end()) return;
  const auto place = static_cast<std::uint8_t>(known - reasons_.begin() + 1);
  for (Item& item : items_) {
    if (item.reason == place) item.reason = 0;
  }
}

void ItemTable::save_item(std::uint32_t item, ByteWriter& to) const {
  const Item& entry = items_[item];
  code_all(to, entry.labels, entry.pending, entry.reason);
}

void ItemTable::load_item(ByteReader& from) {
  Item& entry = items_.emplace_back();
  code_all(from, entry.labels, entry.pending, entry.reason);
}

void ItemTable::save_rest(ByteWriter& to) const {
  code_all(to, gold_, truths_, prices_, reasons_, features_);
}

bool ItemTable::load_rest(ByteReader& from, std::size_t classes) {
  code_all(from, gold_, truths_, prices_, reasons_, features_);
  if (truths_.size() > items_.size()) return false;
  for (const auto& [item, known] : gold_) {
    if (item >= items_.size() || position(known) >= classes) return false;
    gold_items_.push_back(ItemId{item});
  }
  for (std::uint32_t i = 0; i < truths_.size(); ++i) {
    if (truths_[i] > classes) return false;
    truth_count_ += truths_[i] != 0 && !gold_.contains(i);
  }
  for (const auto& [item, price] : prices_) lowest_price_ = std::min(lowest_price_, price);
  return !from.failed();
}

PairStatus PairTable::status_of(const Part& part) const {
  if (part.what < kLapsed) {
    const bool counts = part.worker >= excluded_.size() || !excluded_[part.worker];
    return counts ? PairStatus::labelled : PairStatus::excluded;
  }
  return part.what == kLapsed    ? PairStatus::lapsed
         : part.what == kSkipped ? PairStatus::skipped
                                 : PairStatus::leased;
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

void PairTable::set_excluded(WorkerId worker, bool excluded) {
  if (position(worker) >= excluded_.size()) excluded_.resize(position(worker) + 1);
  excluded_[position(worker)] = excluded;
}

std::vector<Share> PairTable::shares(ItemId item) const {
  std::vector<Share> shares;
  const std::span<const float> confidences = confidences_of(position(item));
  for (const Part& part : items_[position(item)]) {
    const ClassId label = part.what < kLapsed ? ClassId{part.what} : ClassId{0};
    const std::size_t place = shares.size();
    shares.push_back({WorkerId{part.worker}, status_of(part), label,
                      place < confidences.size() ? confidences[place] : model::kNoConfidence});
  }
  return shares;
}

std::span<const float> PairTable::confidences_of(std::uint32_t item) const {
  if (item >= confidences_.size()) return {};
  return confidences_[item];
}

void PairTable::set_label(ItemId item, WorkerId worker, ClassId label,
                          std::optional<float> confidence) {
  Part& part = part_of(item, worker);
  part.what = position(label) & 0xFF;
  const auto place = static_cast<std::size_t>(&part - items_[position(item)].data());
  if (confidence) {
    if (confidences_.size() <= position(item)) confidences_.resize(position(item) + 1);
    auto& here = confidences_[position(item)];
    if (here.size() <= place) here.resize(place + 1, model::kNoConfidence);
    here[place] = *confidence;
  } else if (place < confidences_of(position(item)).size()) {
    confidences_[position(item)][place] = model::kNoConfidence;
  }
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
  static const std::vector<float> kNone;
  to.array(item < confidences_.size() ? confidences_[item] : kNone);
}

void PairTable::load_item(ByteReader& from, std::size_t workers) {
  auto& parts = items_.emplace_back(from.count(2));
  if (workers == 0 && !parts.empty()) return from.refuse();
  for (Part& part : parts) {
    part.worker = from.at_most(workers - 1) & kMostWorkers;
    part.what = from.byte();
  }
  std::vector<float> confidences;
  from.array(confidences);
  const auto is_wrong = [](float one) { return one < 0 || one > 1; };
  if (confidences.size() > parts.size() || std::ranges::any_of(confidences, is_wrong))
    return from.refuse();
  if (confidences.empty()) return;
  confidences_.resize(items_.size());
  confidences_.back() = std::move(confidences);
}

Lease LeaseTable::lease_at(const Place& place, const Terms& terms) {
  return {ItemId{place.second}, WorkerId{place.first}, terms.price, terms.taken, terms.expires};
}

std::vector<Lease> LeaseTable::all() const { return over(Time::max()); }

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

void LeaseTable::cut(Time now, Time latest) {
  ends_.clear();
  for (auto& [place, terms] : leases_) {
    terms.taken = std::min(terms.taken, now);
    terms.expires = std::min(terms.expires, latest);
    ends_.insert({terms.expires, place});
  }
}

void LeaseTable::save(ByteWriter& to) const {
  to.number(leases_.size());
  for (const auto& [place, terms] : leases_) {
    code_all(to, place.first, place.second, terms.price, terms.taken, terms.expires);
  }
}

void LeaseTable::load(ByteReader& from, std::size_t workers, std::size_t items) {
  for (std::size_t n = from.count(5); n > 0; --n) {
    Lease lease{};
    code_all(from, lease.worker, lease.item, lease.price, lease.taken, lease.expires);
    if (position(lease.worker) >= workers || position(lease.item) >= items) return from.refuse();
    add(lease);
  }
}

NameList::NameList() : table_(std::make_unique<io::NameTable>()) {}
NameList::NameList(NameList&&) noexcept = default;
NameList& NameList::operator=(NameList&&) noexcept = default;
NameList::~NameList() = default;

std::uint32_t NameList::count() const { return static_cast<std::uint32_t>(table_->names().size()); }
std::optional<std::uint32_t> NameList::find(std::string_view name) const {
  return table_->find(name);
}
const std::string& NameList::operator[](std::uint32_t number) const {
  return table_->names()[number];
}
void NameList::add(std::string_view name) { table_->number(name); }

void NameList::save(ByteWriter& to) const { code(to, table_->names()); }
void NameList::load(ByteReader& from) {
  for (std::size_t n = from.count(1); n > 0; --n) table_->number(from.text());
}

}  // namespace allot::campaign
