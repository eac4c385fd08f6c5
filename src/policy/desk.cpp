#include "allot/policy/desk.hpp"

#include "allot/base/check.hpp"

namespace allot::policy {

Desk::Desk(std::unique_ptr<model::Crowd> crowd, std::shared_ptr<const Policy> policy, Offers offers,
           const StopRules& rules)
    : crowd_(std::move(crowd)), policy_(std::move(policy)), offers_(std::move(offers)) {
  require(crowd_->item_count() == offers_.item_count(), "Desk", "items of the crowd",
          crowd_->item_count(), "expected as many as are offered");
  require(crowd_->worker_count() == offers_.worker_count(), "Desk", "workers of the crowd",
          crowd_->worker_count(), "expected as many as are offered");
  if (!rules.any()) return;
  certainty_.emplace(rules, offers_.item_count());
  if (rules.worth) worth_.emplace(*crowd_, offers_, *rules.worth);
  check_all_items();
}

void Desk::add_items(std::uint32_t count, std::shared_ptr<const model::Design> design) {
  require(!certainty_, "Desk::add_items", "count", count, "expected no stop rules");
  offers_.add_items(count);
  changes_.all = changes_.all || count > 0;
  grow(std::move(design));
}

void Desk::add_workers(std::uint32_t count, Money price) {
  offers_.add_workers(count, price);
  grow(nullptr);
}

void Desk::grow(std::shared_ptr<const model::Design> design) {
  crowd_->grow(offers_.item_count(), offers_.worker_count(), std::move(design));
  if (chooser_) chooser_->grow();
}

void Desk::set_price(WorkerId worker, Money price) {
  offers_.set_price(worker, price);
  if (chooser_) chooser_->grow();
  if (worth_) worth_->refresh_all();
}

void Desk::record(const Pair& pair, ClassId label, float confidence) {
  const bool all = crowd_->record_confident(pair.item, pair.worker, label, confidence);
  offers_.close(pair);
  absorbed(pair, all);
}

void Desk::hold(const Pair& pair) {
  offers_.hold(pair);
  pair_changed(pair);
}

void Desk::reopen(const Pair& pair) {
  offers_.reopen(pair);
  pair_changed(pair);
}

void Desk::record_held(const Pair& pair, ClassId label, std::optional<ClassId> truth,
                       float confidence) {
  bool all = false;
  if (truth) {
    crowd_->record_known(pair.worker, *truth, label);
  } else {
    all = crowd_->record_confident(pair.item, pair.worker, label, confidence);
  }
  offers_.count(pair);
  absorbed(pair, all);
}

void Desk::absorbed(const Pair& pair, bool all) {
  if (all) return beliefs_changed();
  if (!changes_.all) changes_.items.push_back(pair.item);
  pair_changed(pair);
  if (worth_) worth_->refresh(pair);
  if (certainty_) check_item(pair.item);
}

void Desk::beliefs_changed() {
  stale_ = true;
  changes_ = {};
  if (worth_) worth_->refresh_all();
  if (certainty_) check_all_items();
}

void Desk::revise(const Pair& pair, ClassId label, float confidence) {
  crowd_->revise(pair.item, pair.worker, label, confidence);
  beliefs_changed();
}

void Desk::revise_known(const Pair& pair, ClassId truth, ClassId before, ClassId label) {
  crowd_->revise_known(pair.worker, truth, before, label);
  beliefs_changed();
}

void Desk::review(std::span<const model::KnownChange> changes) {
  const bool all = crowd_->review(changes);
  for (const model::KnownChange& one : changes) absorbed({one.item, one.worker}, all);
}

// A stale chooser is told nothing more: it reads everything again before the next choice.
void Desk::pair_changed(const Pair& pair) {
  if (chooser_ && !stale_) chooser_->refresh(pair, false);
}

void Desk::item_changed(ItemId item) {
  if (chooser_ && !stale_) chooser_->update(item);
}

void Desk::withhold(ItemId item) {
  offers_.withhold(item);
  item_changed(item);
}

void Desk::restore(ItemId item) {
  offers_.restore(item);
  item_changed(item);
}

void Desk::exclude(WorkerId worker) {
  offers_.exclude(worker);
  if (chooser_ && !stale_) chooser_->exclude(worker);
}

void Desk::restore(std::span<const WorkerId> workers) {
  for (const WorkerId worker : workers) offers_.restore(worker);
  if (chooser_) chooser_->grow();
}

void Desk::check_item(ItemId item) {
  if (!certainty_->set(item, crowd_->error(item))) return;
  offers_.exclude(item);
  if (chooser_ && !stale_) chooser_->exclude(item);
}

void Desk::check_all_items() {
  for (std::uint32_t i = 0; i < offers_.item_count(); ++i) check_item(ItemId{i});
}

PairChooser& Desk::chooser() {
  if (!chooser_) {
    chooser_ = policy_->start(*crowd_, offers_);
  } else if (stale_) {
    chooser_->refresh({}, true);
  }
  stale_ = false;
  return *chooser_;
}

std::optional<StopReason> Desk::stop_reason() {
  if (!certainty_) return {};
  if (const auto reason = certainty_->reason()) return reason;
  if (worth_ && offers_.left() > 0 && !worth_->any()) return StopReason::worth;
  return {};
}

void Desk::skip_refits_for(std::uint64_t labels) {
  model::RefitControl* const control = crowd_->refit_control();
  if (control == nullptr || !control->skip_refits_for(labels)) return;
  stale_ = true;
  changes_ = {};
}

void Desk::refit_in_background(bool on) {
  if (model::RefitControl* const control = crowd_->refit_control()) {
    control->refit_in_background(on);
  }
}

void Desk::load(ByteReader& from) {
  crowd_->load(from);
  stale_ = true;
  changes_ = {};
}

Withheld::~Withheld() {
  for (const ItemId item : items_) desk_.restore(item);
  if (!workers_.empty()) desk_.restore(workers_);
}

void Withheld::add(ItemId item) {
  items_.push_back(item);
  desk_.withhold(item);
}

void Withheld::add(WorkerId worker) {
  workers_.push_back(worker);
  desk_.exclude(worker);
}

}  // namespace allot::policy
