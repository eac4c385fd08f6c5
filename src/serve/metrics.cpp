#include "serve/metrics.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace allot::serve {
namespace {

std::string head(std::string_view name, std::string_view type, std::string_view help) {
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

template <typename Value>
std::string single(std::string_view name, std::string_view type, std::string_view help,
                   Value value) {
  return head(name, type, help) + fmt::format("{} {}\n", name, value);
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t total = 0, resident = 0;
  file >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double heap_bytes() {
  const struct mallinfo2 all = ::mallinfo2();
  return static_cast<double>(all.uordblks) + static_cast<double>(all.hblkhd);
}

double processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Unix time at which the process started: when its globals were made.
const double kProcessStart =
    std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();

/// Files and sockets that are open.
std::int64_t open_files() {
  std::error_code none;
  const std::filesystem::directory_iterator files("/proc/self/fd", none);
  // The list is open itself while it is counted.
  return none ? 0 : std::distance(files, std::filesystem::directory_iterator()) - 1;
}

std::uint64_t most_open_files() {
  rlimit most{};
  ::getrlimit(RLIMIT_NOFILE, &most);
  return most.rlim_cur;
}

std::string process_text() {
  return single("process_resident_memory_bytes", "gauge", "Resident memory of the process.",
                resident_bytes()) +
         single("process_cpu_seconds_total", "counter", "Processor time of the process.",
                processor_seconds()) +
         single("process_start_time_seconds", "gauge", "Unix time at which the process started.",
                fmt::format("{:.3f}", kProcessStart)) +
         single("process_open_fds", "gauge", "Files and sockets that are open.", open_files()) +
         single("process_max_fds", "gauge", "Files and sockets that can be open.",
                most_open_files());
}

/// Servers on one database. An epoch shows that this server owns the campaign.
std::string cluster_text(const Cluster::Figures& cluster) {
  std::string all = head("allot_cluster_node", "gauge", "Id of this server.") +
                    fmt::format("allot_cluster_node{{node=\"{}\"}} 1\n", cluster.node) +
                    single("allot_cluster_servers", "gauge", "Servers that renew their leases.",
                           cluster.nodes.size()) +
                    single("allot_cluster_renewal_age_seconds", "gauge",
                           "Seconds since leases were renewed.", cluster.renewal_age) +
                    single("allot_cluster_failed_renewals_total", "counter",
                           "Renewals that failed.", cluster.failed_renewals) +
                    single("allot_cluster_taken_total", "counter",
                           "Campaigns that this server took.", cluster.taken) +
                    single("allot_cluster_lost_total", "counter",
                           "Campaigns that other servers took.", cluster.lost) +
                    single("allot_cluster_given_total", "counter",
                           "Campaigns given away to spread load.", cluster.given) +
                    single("allot_store_shortened_campaigns", "gauge",
                           "Campaigns whose ledgers lack acknowledged records.", cluster.shortened);
  if (cluster.lag) {
    all += single("allot_store_standby_lag_bytes", "gauge",
                  "Bytes that the slowest standby has yet to flush.", *cluster.lag);
  }
  if (cluster.waits) {
    all += single("allot_store_standby_waits", "gauge", "Commits that wait for a standby.",
                  *cluster.waits);
  }
  all += head("allot_campaign_epoch", "gauge", "Epoch of each campaign that this server owns.");
  for (const auto& [campaign, epoch] : cluster.epochs) {
    all += fmt::format("allot_campaign_epoch{{campaign=\"{}\"}} {}\n", campaign, epoch);
  }
  return all;
}

}  // namespace

void Histogram::add(double seconds) {
  ++counts_[static_cast<std::size_t>(std::ranges::lower_bound(kBounds, seconds) - kBounds.begin())];
  sum_ += seconds;
}

std::string Histogram::text(std::string_view name, std::string_view labels) const {
  std::string lines;
  std::uint64_t count = 0;
  const std::string_view comma = labels.empty() ? "" : ",";
  for (std::size_t n = 0; n < counts_.size(); ++n) {
    count += counts_[n];
    const std::string bound = n < kBounds.size() ? fmt::format("{}", kBounds[n]) : "+Inf";
    lines += fmt::format("{}_bucket{{{}{}le=\"{}\"}} {}\n", name, labels, comma, bound, count);
  }
  const std::string braces = labels.empty() ? "" : fmt::format("{{{}}}", labels);
  return lines +
         fmt::format("{}_sum{} {}\n{}_count{} {}\n", name, braces, sum_, name, braces, count);
}

void Metrics::request(std::string_view route, std::string_view method, int status, double seconds) {
  const std::scoped_lock lock(mutex_);
  requests_[{std::string(route), std::string(method), status}].add(seconds);
}

void Metrics::decision(std::uint64_t items, double seconds) {
  const std::scoped_lock lock(mutex_);
  decisions_.add(seconds);
  items_handed_ += items;
}

std::string Metrics::text(std::string_view version, bool is_ready, std::size_t campaigns,
                          const Hub::Figures& hub) const {
  const Hub::Sums& sums = hub.sums;
  std::string all = head("allot_build_info", "gauge", "Version of the server.") +
                    fmt::format("allot_build_info{{version=\"{}\"}} 1\n", version);
  all += single("allot_ready", "gauge", "Whether the server can write its data, as /readyz says.",
                is_ready ? 1 : 0);
  all += single("allot_campaigns", "gauge", "Campaigns of the server.", campaigns);
  all += single("allot_campaigns_open", "gauge", "Campaigns in memory.", hub.open);
  all += single("allot_campaigns_known", "gauge",
                "Campaigns that the sums below have: those opened since the start.", hub.known);
  all += single("allot_campaigns_unopened", "gauge",
                "Campaigns that could not be opened at the start.", hub.unopened);
  all += single("allot_items", "gauge", "Items of campaigns.", sums.items);
  all += single("allot_workers", "gauge", "Workers of campaigns.", sums.workers);
  all += single("allot_labels", "gauge", "Labels of campaigns.", sums.labels);
  all += single("allot_leases_active", "gauge", "Leased items of campaigns.", sums.leases);
  all += single("allot_budget_spent", "gauge", "Money spent by campaigns.", sums.spent);
  all += single("allot_budget_remaining", "gauge", "Money left to campaigns.", sums.left);
  all += single("allot_leases_expired_total", "counter", "Leases that expired.", hub.expired);
  all += head("allot_labels_total", "counter", "Labels received, by outcome.");
  static constexpr std::array kKinds{"recorded", "already", "revised", "refused"};
  for (std::size_t n = 0; n < kKinds.size(); ++n) {
    all += fmt::format("allot_labels_total{{kind=\"{}\"}} {}\n", kKinds[n], labels_[n].load());
  }
  all += head("allot_webhook_deliveries_total", "counter",
              "Attempts to deliver webhook messages, by result.");
  static constexpr std::array kResults{"delivered", "retried", "failed"};
  for (std::size_t n = 0; n < kResults.size(); ++n) {
    all += fmt::format("allot_webhook_deliveries_total{{result=\"{}\"}} {}\n", kResults[n],
                       deliveries_[n].load());
  }
  all += single("allot_requests_waiting", "gauge", "Requests that wait for their campaigns.",
                hub.waiting);
  all += single("allot_streams_waiting", "gauge", "Live streams waiting for events.", hub.watchers);
  all +=
      single("allot_commands_total", "counter", "Requests that change a campaign.", hub.commands);
  all += single("allot_batches_total", "counter", "Batches of requests that campaigns took.",
                hub.batches);
  all += single("allot_refits_total", "counter", "Refits of beliefs.", hub.refits);
  all += single("allot_store_commits_total", "counter", "Batches committed to disk.", hub.commits);
  all += single("allot_store_commit_seconds_total", "counter",
                "Seconds spent deciding and committing batches.", hub.commit_seconds);
  all += single("allot_store_bytes", "gauge", "Bytes in files of open campaigns; 0 in a database.",
                hub.bytes);
  if (const std::int64_t expires = certificate_expires_; expires != 0) {
    all += single("allot_certificate_expires_seconds", "gauge",
                  "Unix time at which the certificate of new connections expires.", expires);
  }
  if (hub.cluster) all += cluster_text(*hub.cluster);
  const std::scoped_lock lock(mutex_);
  all += single("allot_assignments_total", "counter", "Items handed out.", items_handed_);
  all += head("allot_decision_duration_seconds", "histogram",
              "Seconds to choose the items for a request.");
  all += decisions_.text("allot_decision_duration_seconds", "");
  all += head("allot_http_request_duration_seconds", "histogram",
              "Seconds from a request's head to its response.");
  for (const auto& [key, histogram] : requests_) {
    const auto& [route, method, status] = key;
    all += histogram.text(
        "allot_http_request_duration_seconds",
        fmt::format("route=\"{}\",method=\"{}\",code=\"{}\"", route, method, status));
  }
  all += single("allot_heap_bytes", "gauge", "Heap memory in use.", heap_bytes());
  return all + process_text();
}

}  // namespace allot::serve
