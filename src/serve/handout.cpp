#include "serve/handout.hpp"

#include <chrono>

#include "serve/json.hpp"
#include "serve/metrics.hpp"
#include "serve/problem.hpp"

namespace allot::serve {

using campaign::Assignment;

std::string Handout::json() const {
  return JsonObject().json("assignments", assignments).json("shortfall", shortfall).end();
}

std::string assignment_json(const Call& call, const Assignment& assignment) {
  std::string fields = assignment.fields;
  if (call.is_worker()) {
    const auto entry = call.hub().vault().campaign(call.campaign());
    if (entry && entry->page) fields = shown(*entry->page, std::move(fields));
  }
  return JsonObject()
      .text("item", assignment.item)
      .json("fields", fields.empty() ? "{}" : fields)
      .money("price", assignment.price)
      .time("expires", assignment.expires)
      .end();
}

std::string shortfall_json(const Call& call, std::string_view code, std::string_view detail) {
  if (call.is_worker()) {
    code = "nothing_now";
    detail = "there is nothing for you right now";
  }
  return JsonObject().text("code", code).text("detail", detail).end();
}

Result<Handout> hand_out(const Call& call, OpenBatch& room, const std::string& worker,
                         std::uint64_t count, std::string_view key_part) {
  const auto begin = std::chrono::steady_clock::now();
  const auto handed =
      room->next(worker, static_cast<std::uint32_t>(count), call.now(), call.key(key_part));
  call.service.metrics().decision(
      handed ? handed->assignments.size() : 0,
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  Handout handout;
  if (handed) {
    JsonList list;
    for (const Assignment& assignment : handed->assignments) {
      list.json(assignment_json(call, assignment));
    }
    handout.assignments = list.end();
    if (!handed->shortfall.empty()) {
      handout.shortfall = shortfall_json(call, "not_found", handed->shortfall);
    }
    return handout;
  }
  const Error& error = handed.error();
  if (error.code != ErrorCode::not_found && error.code != ErrorCode::forbidden &&
      error.code != ErrorCode::budget_exhausted) {
    return tl::unexpected(call.for_caller(error));
  }
  handout.shortfall = shortfall_json(call, code_of(error.code), error.message);
  return handout;
}

}  // namespace allot::serve
