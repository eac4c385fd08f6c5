#include "serve/accuracy_history.hpp"

#include <algorithm>

#include "allot/base/bytes.hpp"
#include "base/try.hpp"

namespace allot::serve {
namespace {

/// Points per as many labels as there are items; fewer with many items, since each point visits all
/// of them. kPointsPerBound points share one upper bound.
constexpr std::uint64_t kPoints = 25, kPointsOfMany = 8, kManyItems = 20'000, kPointsPerBound = 8;

std::string bytes_of(const AccuracyPoint& point) {
  ByteWriter to;
  to.number(point.event);
  to.signed_number(point.time.time_since_epoch().count());
  to.signed_number(point.spent.in_billionths());
  to.real(point.expected_accuracy);
  to.byte(static_cast<std::uint8_t>((point.bound ? 1 : 0) | (point.accuracy ? 2 : 0)));
  to.real(point.bound.value_or(0));
  to.real(point.accuracy.value_or(0));
  if (!point.calibrated) return std::move(to).take();
  to.real(point.calibrated->mean);
  to.real(point.calibrated->low);
  to.real(point.calibrated->high);
  to.number(point.known_answers);
  return std::move(to).take();
}

std::optional<AccuracyPoint> point_of(std::uint64_t labels, std::string_view bytes) {
  ByteReader from(bytes);
  AccuracyPoint point{.labels = labels, .event = from.number()};
  point.time = campaign::Time(std::chrono::microseconds(from.signed_number()));
  point.spent = Money::billionths(from.signed_number());
  point.expected_accuracy = from.real();
  const std::uint8_t known = from.byte();
  const double bound = from.real(), accuracy = from.real();
  if ((known & 1) != 0) point.bound = bound;
  if ((known & 2) != 0) point.accuracy = accuracy;
  if (!from.done()) {
    const double mean = from.real(), low = from.real(), high = from.real();
    point.calibrated = {mean, low, high};
    point.known_answers = from.number();
  }
  return from.done() ? std::optional(point) : std::nullopt;
}

}  // namespace

AccuracyPoint AccuracyPoint::of(const campaign::Status& status) {
  return {status.labels,
          status.events,
          status.last_event,
          status.spent,
          status.expected_accuracy,
          status.bound,
          status.accuracy,
          status.calibrated,
          status.known_answers};
}

Result<std::vector<AccuracyPoint>> AccuracyStore::load(const std::string& campaign) {
  std::vector<AccuracyPoint> points;
  TRY(tables_
          ->query("SELECT labels, point FROM server.course WHERE campaign = ?1 ORDER BY labels",
                  campaign)
          .each([&](const TableRow& row) {
            const auto point = point_of(static_cast<std::uint64_t>(row.number(0)), row.bytes(1));
            if (point) points.push_back(*point);
          }));
  return points;
}

Result<void> AccuracyStore::add(const std::string& campaign, const AccuracyPoint& point) {
  const std::string bytes = bytes_of(point);
  return tables_
      ->query(
          "INSERT INTO server.course (campaign, labels, point) VALUES (?1, ?2, ?3)"
          " ON CONFLICT (campaign, labels) DO UPDATE SET point = excluded.point",
          campaign, point.labels, Bytes{bytes})
      .run();
}

Result<void> AccuracyStore::drop(const std::string& campaign,
                                 const std::vector<std::uint64_t>& labels) {
  return tables_->transact([&](TableSession& session) -> Result<void> {
    for (const std::uint64_t count : labels) {
      TRY(session
              .query("DELETE FROM server.course WHERE campaign = ?1 AND labels = ?2", campaign,
                     count)
              .run());
    }
    return {};
  });
}

std::vector<AccuracyPoint> thinned(const std::vector<AccuracyPoint>& points, std::uint64_t stride) {
  std::vector<AccuracyPoint> kept;
  for (const AccuracyPoint& point : points) {
    if (kept.empty() || point.labels >= kept.back().labels + stride) kept.push_back(point);
  }
  return kept;
}

AccuracyHistory::AccuracyHistory(AccuracyStore& store, std::string campaign)
    : store_(store), campaign_(std::move(campaign)) {
  if (auto points = store_.load(campaign_)) points_ = *std::move(points);
  saved_ = points_.size();
  if (points_.size() >= kMostPoints) thin();
}

bool AccuracyHistory::is_due(const campaign::State& state) const {
  const std::uint64_t labels = state.label_counts().all;
  if (state.item_count() == 0) return false;
  // The first point comes before the first label, once an item is leased.
  if (points_.empty()) return labels > 0 || state.leases().count() > 0;
  const std::uint64_t items = state.item_count();
  const std::uint64_t apart = items / (items < kManyItems ? kPoints : kPointsOfMany);
  return labels >= points_.back().labels + std::max<std::uint64_t>(stride_, apart);
}

bool AccuracyHistory::is_ahead_of(const campaign::State& state) const {
  return !points_.empty() && points_.back().labels > state.label_counts().all;
}

bool AccuracyHistory::lacks_point(const campaign::State& state) const {
  return is_ahead_of(state) || is_due(state);
}

void AccuracyHistory::follow(campaign::Campaign& campaign) {
  bool due = false, bound = false;
  const auto seen = campaign.view().read([&](const campaign::State& state) {
    if (is_ahead_of(state)) drop_after(state.label_counts().all);
    due = is_due(state);
    bound = state.item_count() < kManyItems || points_.size() % kPointsPerBound == 0;
  });
  if (!seen || !due) return;
  const auto status = campaign.view().status(bound);
  if (!status) return;
  points_.push_back(AccuracyPoint::of(*status));
  save();
  if (points_.size() >= kMostPoints) thin();
}

void AccuracyHistory::drop_after(std::uint64_t labels) {
  const auto first = std::ranges::upper_bound(points_, labels, {}, &AccuracyPoint::labels);
  std::vector<std::uint64_t> gone;
  for (auto point = first; point != points_.end(); ++point) gone.push_back(point->labels);
  // Points that cannot be dropped now are dropped after the next start.
  static_cast<void>(store_.drop(campaign_, gone));
  points_.erase(first, points_.end());
  saved_ = std::min(saved_, points_.size());
}

void AccuracyHistory::save() {
  while (saved_ < points_.size() && store_.add(campaign_, points_[saved_])) ++saved_;
}

void AccuracyHistory::thin() {
  const std::vector<AccuracyPoint> before = points_;
  while (points_.size() > kMostPoints / 2) {
    stride_ *= 2;
    points_ = thinned(before, stride_);
  }
  std::vector<std::uint64_t> gone;
  for (const AccuracyPoint& point : before) {
    if (std::ranges::find(points_, point.labels, &AccuracyPoint::labels) == points_.end()) {
      gone.push_back(point.labels);
    }
  }
  // Points that cannot be dropped now are dropped after the next start.
  static_cast<void>(store_.drop(campaign_, gone));
  saved_ = 0;
  save();
}

}  // namespace allot::serve
