// Copies of a campaign with another policy, to compare the two.
#include <fmt/format.h>

#include <algorithm>

#include "base/try.hpp"
#include "serve/problem.hpp"
#include "serve/replies.hpp"
#include "serve/schema.hpp"
#include "serve/secret.hpp"

namespace allot::serve {
namespace {

using campaign::ItemDraft;
using campaign::Options;
using campaign::State;
using http::Response;

/// Items per piece.
constexpr std::size_t kPiece = 1000;

/// A copy of a campaign's items on its way into a new campaign. It reads one piece at a time, so
/// that the first campaign goes on meanwhile, and adds all items in one commit.
class Twin : public std::enable_shared_from_this<Twin> {
 public:
  Twin(CallPtr call, std::string policy, std::optional<std::string> title,
       std::optional<Money> budget)
      : call_(std::move(call)),
        policy_(std::move(policy)),
        title_(std::move(title)),
        budget_(budget) {}

  void go_on() {
    const auto self = shared_from_this();
    call_->hub().look(
        call_->campaign(),
        [self](OpenCampaign& open) {
          const auto read = self->read(open);
          return read ? Response() : problem(read.error());
        },
        [self](Response response) {
          if (response.status != 200) return self->call_->reply(std::move(response));
          self->is_whole_ ? self->make() : self->go_on();
        });
  }

 private:
  Result<void> read(OpenCampaign& open) {
    const std::size_t first = items_.size();
    TRY(open.read([&](const State& state) {
      options_ = state.options();
      options_.budget = budget_.value_or(state.account().budget);
      options_.policy = policy_;
      const std::size_t end = std::min<std::size_t>(first + kPiece, state.item_count());
      for (std::size_t n = first; n < end; ++n) items_.push_back(draft(state, n));
      is_whole_ = end == state.item_count();
      prices_.clear();
      groups_.clear();
      for (std::uint32_t j = 0; is_whole_ && j < state.worker_count(); ++j) {
        const auto& price = state[WorkerId{j}].price;
        if (price) prices_.emplace_back(state.name(WorkerId{j}), *price);
        const std::string& group = state[WorkerId{j}].group;
        if (!group.empty()) groups_.emplace_back(state.name(WorkerId{j}), group);
      }
    }));
    for (std::size_t n = first; n < items_.size(); ++n) {
      items_[n].fields = TRY(open.view().content(ItemId{static_cast<std::uint32_t>(n)}));
    }
    return {};
  }

  static ItemDraft draft(const State& state, std::size_t number) {
    const ItemId item{static_cast<std::uint32_t>(number)};
    const auto named = [&](const std::optional<ClassId>& label) {
      return label ? std::optional(state.options().classes[position(*label)]) : std::nullopt;
    };
    const std::size_t features = state.options().features.size();
    const auto row = state.items().features().subspan(number * features, features);
    return {state.id(item),
            {},
            state.items().price(item),
            named(state.items().gold(item)),
            {row.begin(), row.end()},
            named(state.items().truth(item))};
  }

  void make() {
    static_cast<void>(call_->work([self = shared_from_this()]() -> Result<Response> {
      const Call& call = *self->call_;
      const auto first = call.hub().vault().campaign(call.campaign());
      if (!first) return fail(ErrorCode::not_found, "the campaign no longer exists");
      const std::string usual = fmt::format("{} ({})", first->name, self->policy_);
      const CampaignEntry draft{.name = self->title_.value_or(usual),
                                .owner = first->owner,
                                .page = first->page,
                                .twin_of = first->id};
      return call.hub()
          .create(draft, self->options_, {self->items_, self->prices_, self->groups_},
                  {call.key(), digest_of(call.request.body)})
          .map(created_response);
    }));
  }

  const CallPtr call_;
  const std::string policy_;
  const std::optional<std::string> title_;
  const std::optional<Money> budget_;
  Options options_;
  std::vector<ItemDraft> items_;
  std::vector<std::pair<std::string, Money>> prices_;
  std::vector<std::pair<std::string, std::string>> groups_;
  bool is_whole_ = false;
};

Result<void> make_twin(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string policy = body.text("policy");
  const auto title = body.text_if("name");
  const auto budget = body.money_if("budget");
  if (title && title->empty()) body.refuse("name is empty; expected a text");
  TRY(body.done());
  if (replied_as_before(*call, digest_of(call->request.body))) return {};
  std::make_shared<Twin>(call, policy, title, budget)->go_on();
  return {};
}

}  // namespace

void add_twin_routes(std::vector<Route>& routes) {
  using namespace schema;
  RouteGroup(routes, kCampaignPath, Access::owner)
      .add(http::Method::post, "/twin", "make_twin", make_twin,
           "Create a copy of this campaign with another policy and a fresh budget",
           ref("CampaignEntry"),
           {.request =
                object({{"policy", text()}, maybe("name", text()), maybe("budget", scalar())}),
            .success = 201,
            .keyed = true});
}

}  // namespace allot::serve
