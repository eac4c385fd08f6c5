// A state as bytes, for snapshots. The order of values is that of the snapshot version in core.cpp.
#include "allot/campaign/state.hpp"
#include "campaign/state_bytes.hpp"
#include "io/name_table.hpp"

namespace allot::campaign {
namespace {

void save_worker(const WorkerFacts& facts, ByteWriter& to) {
  for (const std::uint32_t count :
       {facts.labels, facts.leases, facts.skips, facts.gold, facts.gold_right}) {
    to.number(count);
  }
  put(to, facts.spent);
  to.byte(facts.price ? 1 : 0);
  put(to, facts.price.value_or(Money()));
  to.byte(facts.last ? 1 : 0);
  if (!facts.last) return;
  to.number(position(facts.last->first));
  put(to, facts.last->second);
}

void load_worker(WorkerFacts& facts, ByteReader& from, std::size_t items) {
  for (std::uint32_t* count :
       {&facts.labels, &facts.leases, &facts.skips, &facts.gold, &facts.gold_right}) {
    *count = from.at_most(UINT32_MAX);
  }
  facts.spent = get_money(from);
  const bool has_price = from.byte() != 0;
  const Money price = get_money(from);
  if (has_price) facts.price = price;
  if (from.byte() == 0) return;
  const ItemId last{from.at_most(items == 0 ? 0 : items - 1)};
  facts.last.emplace(last, get_time(from));
}

void save_counts(const LabelCounts& counts, ByteWriter& to) {
  to.number(counts.all);
  to.number(counts.gold);
  to.number(counts.imported);
  to.number(counts.by_day.size());
  for (const auto& [day, count] : counts.by_day) {
    to.signed_number(day);
    to.number(count);
  }
}

void load_counts(LabelCounts& counts, ByteReader& from) {
  counts.all = from.number();
  counts.gold = from.number();
  counts.imported = from.number();
  for (std::size_t n = from.count(2); n > 0; --n) {
    const std::int64_t day = from.signed_number();
    counts.by_day[day] = from.number();
  }
}

}  // namespace

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

void NameList::save(ByteWriter& to) const {
  to.number(table_->names().size());
  for (const std::string& name : table_->names()) to.text(name);
}
void NameList::load(ByteReader& from) {
  for (std::size_t n = from.count(1); n > 0; --n) table_->number(from.text());
}

void State::save(ByteWriter& to) const {
  campaign::save(options_, to);
  to.number(sequence_);
  put(to, time_);
  put(to, started_);
  to.byte(static_cast<std::uint8_t>(phase_));
  to.text(reason_);
  put(to, account_.budget);
  put(to, account_.spent);
  put(to, account_.reserved);
  item_ids_.save(to);
  worker_names_.save(to);
  for (std::uint32_t item = 0; item < item_count(); ++item) {
    items_.save_item(item, to);
    pairs_.save_item(item, to);
  }
  items_.save_rest(to);
  for (const WorkerFacts& worker : workers_) save_worker(worker, to);
  leases_.save(to);
  save_counts(counts_, to);
}

bool State::load(ByteReader& from) {
  options_ = load_options(from);
  sequence_ = from.number();
  time_ = get_time(from);
  started_ = get_time(from);
  phase_ = from.at_most<Phase>(2);
  reason_ = from.text();
  account_.budget = get_money(from);
  account_.spent = get_money(from);
  account_.reserved = get_money(from);
  item_ids_.load(from);
  worker_names_.load(from);
  const std::uint32_t items = item_ids_.count();
  workers_.resize(worker_names_.count());
  items_.set_limit(options_.labels_per_item);
  items_.reserve(items);
  pairs_.reserve(items);
  for (std::uint32_t item = 0; item < items; ++item) {
    items_.load_item(from);
    pairs_.load_item(from, workers_.size());
    if (from.failed()) return false;
  }
  if (!items_.load_rest(from, options_.classes.size())) return false;
  for (WorkerFacts& worker : workers_) load_worker(worker, from, items);
  leases_.load(from, workers_.size(), items);
  load_counts(counts_, from);
  return !from.failed() && sequence_ > 0;
}

}  // namespace allot::campaign
