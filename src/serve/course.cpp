#include "serve/course.hpp"

#include <sqlite3.h>

#include <algorithm>

#include "allot/base/bytes.hpp"
#include "base/try.hpp"
#include "store/sqlite.hpp"

namespace allot::serve {
namespace {

using store::Connection;
using store::Statement;

/// Points for as many labels as there are items; fewer of many items, since each costs a look at
/// all of them.
constexpr std::uint64_t kPoints = 25, kPointsOfMany = 8, kManyItems = 20'000, kPointsABound = 8;

std::string bytes_of(const Point& point) {
  ByteWriter to;
  to.number(point.event);
  to.signed_number(point.time.time_since_epoch().count());
  to.signed_number(point.spent.in_billionths());
  to.real(point.expected_accuracy);
  to.byte(static_cast<std::uint8_t>((point.bound ? 1 : 0) | (point.accuracy ? 2 : 0)));
  to.real(point.bound.value_or(0));
  to.real(point.accuracy.value_or(0));
  return std::move(to).take();
}

std::optional<Point> point_of(std::uint64_t labels, std::string_view bytes) {
  ByteReader from(bytes);
  Point point{.labels = labels, .event = from.number()};
  point.time = campaign::Time(std::chrono::microseconds(from.signed_number()));
  point.spent = Money::billionths(from.signed_number());
  point.expected_accuracy = from.real();
  const std::uint8_t known = from.byte();
  const double bound = from.real(), accuracy = from.real();
  if ((known & 1) != 0) point.bound = bound;
  if ((known & 2) != 0) point.accuracy = accuracy;
  return from.done() ? std::optional(point) : std::nullopt;
}

}  // namespace

Point Point::of(const campaign::Status& status) {
  return {status.labels, status.events,  status.last_event, status.spent, status.expected_accuracy,
          status.bound,  status.accuracy};
}

CourseStore::CourseStore(std::unique_ptr<Connection> file) : file_(std::move(file)) {}
CourseStore::~CourseStore() = default;

Result<std::unique_ptr<CourseStore>> CourseStore::open(const std::string& path) {
  constexpr int kPatience = 0;
  auto file = TRY(Connection::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, kPatience));
  // A point that a machine loses when it stops is lost: nothing waits for the disk.
  return file->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF").map([&] {
    return std::unique_ptr<CourseStore>(new CourseStore(std::move(file)));
  });
}

Result<std::vector<Point>> CourseStore::load(const std::string& campaign) {
  const std::scoped_lock lock(mutex_);
  const auto rows =
      TRY(file_->prepared("SELECT labels, point FROM course WHERE campaign = ?1 ORDER BY labels"));
  const Statement::Reset reset(*rows);
  rows->bind(1, std::string_view(campaign));
  std::vector<Point> points;
  while (true) {
    const auto row = TRY(rows->step());
    if (!row) return points;
    const auto labels = static_cast<std::uint64_t>(rows->number(0));
    if (auto point = point_of(labels, rows->bytes(1))) points.push_back(*point);
  }
}

Result<void> CourseStore::add(const std::string& campaign, const Point& point) {
  const std::scoped_lock lock(mutex_);
  const auto statement = TRY(file_->prepared(
      "INSERT OR REPLACE INTO course (campaign, labels, point) VALUES (?1, ?2, ?3)"));
  const Statement::Reset reset(*statement);
  const std::string bytes = bytes_of(point);
  return (statement)
      ->bind(1, std::string_view(campaign))
      .bind(2, static_cast<std::int64_t>(point.labels))
      .bind_blob(3, bytes)
      .run();
}

Result<void> CourseStore::drop(const std::string& campaign,
                               const std::vector<std::uint64_t>& labels) {
  const std::scoped_lock lock(mutex_);
  auto turn = TRY(store::Transaction::begin(*file_));
  const auto statement =
      TRY(file_->prepared("DELETE FROM course WHERE campaign = ?1 AND labels = ?2"));
  for (const std::uint64_t one : labels) {
    TRY((statement)
            ->bind(1, std::string_view(campaign))
            .bind(2, static_cast<std::int64_t>(one))
            .run());
  }
  return turn.commit();
}

std::vector<Point> thinned(const std::vector<Point>& points, std::uint64_t stride) {
  std::vector<Point> kept;
  for (const Point& one : points) {
    if (kept.empty() || one.labels >= kept.back().labels + stride) kept.push_back(one);
  }
  return kept;
}

Course::Course(CourseStore& store, std::string campaign)
    : store_(store), campaign_(std::move(campaign)) {
  if (auto points = store_.load(campaign_)) points_ = *std::move(points);
  saved_ = points_.size();
  if (points_.size() >= kMostPoints) thin();
}

bool Course::is_due(const campaign::State& state) const {
  const std::uint64_t labels = state.label_count();
  if (state.item_count() == 0) return false;
  // Before the first label, once somebody is asked.
  if (points_.empty()) return labels > 0 || state.lease_count() > 0;
  const std::uint64_t items = state.item_count();
  const std::uint64_t apart = items / (items < kManyItems ? kPoints : kPointsOfMany);
  return labels >= points_.back().labels + std::max<std::uint64_t>(stride_, apart);
}

bool Course::wants_bound(const campaign::State& state) const {
  return state.item_count() < kManyItems || points_.size() % kPointsABound == 0;
}

void Course::follow(campaign::Campaign& campaign) {
  bool due = false, bound = false;
  const auto seen = campaign.read([&](const campaign::State& state) {
    // Of a ledger that is another than it was.
    if (!points_.empty() && points_.back().labels > state.label_count()) {
      points_.clear();
      saved_ = 0;
    }
    due = is_due(state);
    bound = wants_bound(state);
  });
  if (!seen || !due) return;
  const auto status = campaign.status(bound);
  if (!status) return;
  points_.push_back(Point::of(*status));
  save();
  if (points_.size() >= kMostPoints) thin();
}

void Course::save() {
  while (saved_ < points_.size() && store_.add(campaign_, points_[saved_])) ++saved_;
}

void Course::thin() {
  const std::vector<Point> before = points_;
  while (points_.size() > kMostPoints / 2) {
    stride_ *= 2;
    points_ = thinned(before, stride_);
  }
  std::vector<std::uint64_t> gone;
  for (const Point& one : before) {
    if (std::ranges::find(points_, one.labels, &Point::labels) == points_.end()) {
      gone.push_back(one.labels);
    }
  }
  // What cannot be forgotten now goes after the next start.
  static_cast<void>(store_.drop(campaign_, gone));
  saved_ = 0;
  save();
}

}  // namespace allot::serve
