// Brings a request to the server that owns its campaign (serve/cluster.hpp).
//
//   this server owns it    the request is served here
//   another one owns it    it is passed on once (http/relay.hpp), with the header field Allot-Hop
//   nobody is known to     the database is asked; if nobody has the campaign, this server takes it
//
// A server that gets a passed-on request for a campaign that it does not own says 421 with the
// owner it knows, and the first server looks again. If the owner does not run any more, this server
// takes the campaign over. If the owner runs but cannot be reached, this server does the work
// itself, as a guest: that is slower, since both then read each other's records, but right.
//
// A request is sent again only if that is safe: it reads, or has an Idempotency-Key, or was never
// sent. Otherwise the client is told that the outcome is unknown.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "http/relay.hpp"
#include "serve/call.hpp"
#include "serve/cluster.hpp"

namespace allot::serve {

class Forwarder {
 public:
  using Serve = std::function<void(const CallPtr&)>;
  /// serve(call) serves a request here. Hub and cluster must outlive the forwarder.
  Forwarder(Hub& hub, Cluster& cluster, Serve serve)
      : hub_(hub), cluster_(cluster), serve_(std::move(serve)) {}

  /// Returns at once.
  void route(const CallPtr& call) { start(std::make_shared<Errand>(Errand{call})); }
  /// Requests to this server will not be answered.
  void abandon(const std::string& address) { relay_.abandon(address); }

  struct Figures {
    std::uint64_t forwarded = 0, repeated = 0, guests = 0;
  };
  Figures figures() const { return {forwarded_, repeated_, guests_}; }

 private:
  /// A request on its way.
  struct Errand {
    CallPtr call;
    int attempts = 0;
    std::string gone = {};  // a server that refused connections
  };
  using ErrandPtr = std::shared_ptr<Errand>;

  void start(const ErrandPtr& errand);
  void look_up(const ErrandPtr& errand);
  void bring(const ErrandPtr& errand, const Cluster::Owner& owner);
  void pass_on(const ErrandPtr& errand, const Cluster::Owner& owner);
  void take_answer(const ErrandPtr& errand, const Cluster::Owner& owner,
                   http::Relay::Answer answer);
  void again(const ErrandPtr& errand);
  void be_guest(const ErrandPtr& errand);

  Hub& hub_;
  Cluster& cluster_;
  const Serve serve_;
  std::atomic<std::uint64_t> forwarded_ = 0, repeated_ = 0, guests_ = 0;
  std::mutex mutex_;
  std::map<std::string, std::vector<ErrandPtr>> asking_;  // by campaign
  http::Relay relay_;
};

}  // namespace allot::serve
