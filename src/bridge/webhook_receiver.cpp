#include "bridge/webhook_receiver.hpp"

#include <boost/json/parse.hpp>

#include "bridge/web_api.hpp"

namespace allot::bridge {
namespace {

namespace json = boost::json;

/// The number of a task, given as such or as an object.
std::uint64_t task_number(const json::value& holder, std::string_view name) {
  const json::value* const task = member(holder, name);
  if (!task) return 0;
  return task->is_object() ? whole_member(*task, "id") : whole_member(holder, name);
}

}  // namespace

void WebhookReceiver::handle(http::Request request, http::Reply reply) {
  if (request.method != http::Method::post) return reply({.status = 405});
  boost::system::error_code wrong;
  const json::value body = json::parse(request.body, wrong);
  if (wrong || !body.is_object()) return reply({.status = 400});
  reply({.status = 200});
  const auto look = [&](std::uint64_t task) {
    if (task > 0) look_at_(task);
  };
  look(task_number(body, "task"));
  if (const json::value* const one = member(body, "annotation")) look(task_number(*one, "task"));
  for (const char* list : {"tasks", "annotations"}) {
    const json::value* const all = member(body, list);
    if (!all || !all->is_array()) continue;
    for (const json::value& one : all->get_array())
      look(list == std::string_view("tasks") ? whole_member(one, "id") : task_number(one, "task"));
  }
}

}  // namespace allot::bridge
