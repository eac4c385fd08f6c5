// How a campaign came to where it is: what was expected of its answers after so many labels.
//
// The server takes a point now and then as labels come, after a twenty-fifth of the items at least,
// so that the pass over all items which a point costs is twenty-five looks at an item a label; the
// bound, which costs more, with every eighth point where there are many items. At most 500 are
// kept: with more, every second label count goes, again and again. They are in server.db, and are
// all that can be lost of a campaign: what is missing leaves a gap in a chart. Nobody waits for
// that file: while somebody else writes it, points stay in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "allot/base/money.hpp"
#include "allot/campaign/campaign.hpp"

namespace allot::store {
class Connection;
}

namespace allot::serve {

struct Point {
  std::uint64_t labels = 0, event = 0;
  campaign::Time time = {};
  Money spent = {};
  double expected_accuracy = 0;
  std::optional<double> bound = {}, accuracy = {};

  static Point of(const campaign::Status& status);
  bool operator==(const Point&) const = default;
};

/// The points of all campaigns. Any number of threads may call it.
class CourseStore {
 public:
  /// A file that the vault has brought up to date.
  static Result<std::unique_ptr<CourseStore>> open(const std::string& path);
  ~CourseStore();

  /// In order of their labels.
  Result<std::vector<Point>> load(const std::string& campaign);
  Result<void> add(const std::string& campaign, const Point& point);
  /// Without those at these numbers of labels.
  Result<void> drop(const std::string& campaign, const std::vector<std::uint64_t>& labels);

 private:
  explicit CourseStore(std::unique_ptr<store::Connection> file);
  std::mutex mutex_;
  std::unique_ptr<store::Connection> file_;
};

/// The course of one campaign. Used by one thread at a time.
class Course {
 public:
  static constexpr std::size_t kMostPoints = 500;

  Course(CourseStore& store, std::string campaign);

  /// Takes a point of it if one is due. Nothing happens if that fails.
  void follow(campaign::Campaign& campaign);
  /// Those kept, at most 499.
  const std::vector<Point>& points() const { return points_; }

 private:
  bool is_due(const campaign::State& state) const;
  bool wants_bound(const campaign::State& state) const;
  void save();
  void thin();

  CourseStore& store_;
  const std::string campaign_;
  std::vector<Point> points_;
  std::size_t saved_ = 0;     // of them
  std::uint64_t stride_ = 1;  // labels from one point to the next at least
};

/// What is left of points, in order of their labels, if the next has `stride` more at least.
std::vector<Point> thinned(const std::vector<Point>& points, std::uint64_t stride);

}  // namespace allot::serve
