#include "serve/forwarder.hpp"

#include "serve/problem.hpp"

namespace allot::serve {
namespace {

using http::Method;
using http::RelayFailure;
using http::Response;

/// Attempts to pass a request on before this server serves it as a guest.
constexpr int kMostAttempts = 6;
/// Refused connections after which a server counts as gone.
constexpr int kRefusals = 2;
constexpr std::chrono::milliseconds kPauseBetween{100};

bool was_passed_on(const Call& call) { return call.request.fields.find(http::kHop).has_value(); }

/// Whether sending the request twice has the effect of sending it once.
bool may_repeat(const Call& call) {
  const Method method = call.request.method;
  return method == Method::get || method == Method::head ||
         (call.route->keyed && call.request.fields.find("Idempotency-Key"));
}

Response misdirected(const Cluster::Owner& owner) {
  Response response = problem(421, "other_server", "another server owns this campaign");
  response.fields.add("Allot-Owner", owner.node);
  return response;
}

}  // namespace

void Forwarder::start(const ErrandPtr& errand) {
  const auto owner = cluster_.known(errand->call->campaign());
  if (!owner) return look_up(errand);
  bring(errand, *owner);
}

void Forwarder::look_up(const ErrandPtr& errand) {
  const std::string campaign = errand->call->campaign();
  {
    const std::scoped_lock lock(mutex_);
    auto& asking = asking_[campaign];
    asking.push_back(errand);
    if (asking.size() > 1) return;  // the same question is on its way
  }
  const auto ask = [this, campaign, gone = errand->gone] {
    const auto owner = result_of([&] { return cluster_.claim(campaign, gone); });
    std::vector<ErrandPtr> waiting;
    {
      const std::scoped_lock lock(mutex_);
      waiting.swap(asking_[campaign]);
      asking_.erase(campaign);
    }
    for (const ErrandPtr& one : waiting) {
      if (owner) {
        bring(one, *owner);
      } else {
        one->call->reply(problem(owner.error()));
      }
    }
  };
  if (hub_.work(ask)) return;
  std::vector<ErrandPtr> waiting;
  {
    const std::scoped_lock lock(mutex_);
    waiting.swap(asking_[campaign]);
  }
  for (const ErrandPtr& one : waiting) one->call->reply(busy(kStopping));
}

void Forwarder::bring(const ErrandPtr& errand, const Cluster::Owner& owner) {
  if (owner.is_this) return serve_(errand->call);
  if (was_passed_on(*errand->call)) return errand->call->reply(misdirected(owner));
  if (owner.address.empty() || errand->attempts >= kMostAttempts) return be_guest(errand);
  pass_on(errand, owner);
}

void Forwarder::be_guest(const ErrandPtr& errand) {
  ++guests_;
  serve_(errand->call);
}

void Forwarder::pass_on(const ErrandPtr& errand, const Cluster::Owner& owner) {
  ++forwarded_;
  const CallPtr& call = errand->call;
  if (!call->request.upload) {
    return relay_.forward(owner.address, call->request, may_repeat(*call),
                          [this, errand, owner](http::Relay::Answer answer) {
                            take_answer(errand, owner, std::move(answer));
                          });
  }
  const bool taken = hub_.run_blocking([this, errand, owner] {
    take_answer(errand, owner, relay_.forward_upload(owner.address, errand->call->request));
  });
  if (!taken) call->reply(busy(kStopping));
}

void Forwarder::take_answer(const ErrandPtr& errand, const Cluster::Owner& owner,
                            http::Relay::Answer answer) {
  const CallPtr& call = errand->call;
  const bool is_upload = call->request.upload != nullptr;
  if (answer) {
    if (answer->status == 421 && !is_upload) return again(errand);
    if (answer->status == 421) return call->reply(busy("the campaign is about to move"));
    answer->fields.add("Allot-Owner", owner.node);
    return call->reply(*std::move(answer));
  }
  const RelayFailure& failure = answer.error();
  if (failure.kind == RelayFailure::Kind::refused && errand->attempts + 1 >= kRefusals) {
    errand->gone = owner.node;
  }
  const bool was_sent = failure.kind == RelayFailure::Kind::lost;
  if (!was_sent || (may_repeat(*call) && !is_upload)) return again(errand);
  call->reply(problem(Error{ErrorCode::outcome_unknown, failure.message}));
}

void Forwarder::again(const ErrandPtr& errand) {
  ++repeated_;
  ++errand->attempts;
  cluster_.forget(errand->call->campaign());
  relay_.after(kPauseBetween, [this, errand] { look_up(errand); });
}

}  // namespace allot::serve
