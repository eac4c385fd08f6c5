// Metrics of the running service, in the text format of Prometheus.
//
// Counters and histograms count from the start of the server; gauges show the current state of the
// campaigns that were opened since then. Labels are routes, methods, codes and kinds, never names
// of items or workers.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "serve/hub.hpp"

namespace allot::serve {

class Histogram {
 public:
  static constexpr std::array<double, 13> kBounds{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                  0.1,    0.25,  0.5,    1,     2.5,  10};
  void add(double seconds);
  /// Lines of the histogram; `labels` as in route="/docs", or empty.
  std::string text(std::string_view name, std::string_view labels) const;

 private:
  std::array<std::uint64_t, kBounds.size() + 1> counts_{};
  double sum_ = 0;
};

class Metrics {
 public:
  enum class Kind : std::uint8_t { recorded, already, revised, refused };

  void request(std::string_view route, std::string_view method, int status, double seconds);
  /// Counts items chosen for a worker, and the time it took.
  void decision(std::uint64_t items, double seconds);
  void label(Kind kind) { ++labels_[static_cast<std::size_t>(kind)]; }
  /// Result of an attempt to deliver a message.
  enum class DeliveryResult : std::uint8_t { delivered, retried, failed };
  void delivery(DeliveryResult result) { ++deliveries_[static_cast<std::size_t>(result)]; }

  /// The certificate of new connections is valid until then.
  void certificate(std::chrono::sys_seconds expires) {
    certificate_expires_ = expires.time_since_epoch().count();
  }

  std::string text(std::string_view version, bool is_ready, std::size_t campaigns,
                   const Hub::Figures& hub) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::tuple<std::string, std::string, int>, Histogram> requests_;
  Histogram decisions_;
  std::uint64_t items_handed_ = 0;
  std::array<std::atomic<std::uint64_t>, 4> labels_{};
  std::array<std::atomic<std::uint64_t>, 3> deliveries_{};
  /// Unix time; 0 without TLS.
  std::atomic<std::int64_t> certificate_expires_ = 0;
};

}  // namespace allot::serve
