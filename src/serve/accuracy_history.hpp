// Expected accuracy of a campaign over the number of labels, for charts.
//
// The server adds a point as labels come, one per items / 25 labels at most: a point takes a pass
// over all items, so this is 25 item visits per label. The upper bound costs more; campaigns with
// many items get it with every eighth point. At most 500 points are kept: beyond that, every second
// one goes. Points are in the table `course` of a server (serve/server_tables.hpp) and are the only
// part of a campaign that can be lost: a missing point leaves a gap in a chart. While a point
// cannot be written, it stays in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allot/base/money.hpp"
#include "allot/campaign/campaign.hpp"
#include "serve/server_tables.hpp"

namespace allot::serve {

struct AccuracyPoint {
  std::uint64_t labels = 0, event = 0;
  campaign::Time time = {};
  Money spent = {};
  double expected_accuracy = 0;
  std::optional<double> bound = {}, accuracy = {};
  std::optional<model::AccuracyRange> calibrated = {};
  std::uint64_t known_answers = 0;  // that `calibrated` rests on

  static AccuracyPoint of(const campaign::Status& status);
  bool operator==(const AccuracyPoint&) const = default;
};

/// Points of all campaigns, on disk. Any number of threads may call it.
class AccuracyStore {
 public:
  explicit AccuracyStore(std::unique_ptr<ServerTables> tables) : tables_(std::move(tables)) {}

  /// Sorted by labels.
  Result<std::vector<AccuracyPoint>> load(const std::string& campaign);
  Result<void> add(const std::string& campaign, const AccuracyPoint& point);
  /// Removes the points at these numbers of labels.
  Result<void> drop(const std::string& campaign, const std::vector<std::uint64_t>& labels);

 private:
  std::unique_ptr<ServerTables> tables_;
};

/// Points of one campaign. Used by one thread at a time.
class AccuracyHistory {
 public:
  static constexpr std::size_t kMostPoints = 500;

  AccuracyHistory(AccuracyStore& store, std::string campaign);

  /// Whether `follow` would change something.
  bool lacks_point(const campaign::State& state) const;
  /// Adds a point if one is due. An error is ignored.
  void follow(campaign::Campaign& campaign);
  /// At most 499 points.
  const std::vector<AccuracyPoint>& points() const { return points_; }

 private:
  /// The ledger is shorter than the history: a backup was restored, or a failover lost its end.
  bool is_ahead_of(const campaign::State& state) const;
  void drop_after(std::uint64_t labels);
  bool is_due(const campaign::State& state) const;
  void save();
  void thin();

  AccuracyStore& store_;
  const std::string campaign_;
  std::vector<AccuracyPoint> points_;
  std::size_t saved_ = 0;     // points that are in the store
  std::uint64_t stride_ = 1;  // least labels between two points
};

/// Points that are at least `stride` labels apart; the input is sorted by labels.
std::vector<AccuracyPoint> thinned(const std::vector<AccuracyPoint>& points, std::uint64_t stride);

}  // namespace allot::serve
