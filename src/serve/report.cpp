#include "serve/report.hpp"

#include <fmt/format.h>

#include "serve/etag.hpp"

namespace allot::serve {

using campaign::Options;
using campaign::State;
using http::Response;

std::string by_class(const Options& options, std::span<const double> values) {
  JsonObject table;
  for (std::size_t n = 0; n < values.size(); ++n) table.number(options.classes[n], values[n]);
  return table.end();
}

std::string outlook_json(const Options& options, std::span<const campaign::LabelOutcome> outlook) {
  JsonObject all;
  for (std::size_t n = 0; n < outlook.size(); ++n) {
    all.json(options.classes[n], JsonObject()
                                     .number("chance", outlook[n].chance)
                                     .json("then", by_class(options, outlook[n].probabilities))
                                     .end());
  }
  return all.end();
}

std::string number_or_null(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "null";
}

Result<Response> tagged(const Call& call, OpenCampaign& room,
                        const std::function<Result<Response>()>& answer) {
  const auto sequence = room.read([](const State& state) { return state.sequence(); });
  if (!sequence) return tl::unexpected(sequence.error());
  const std::string tag = fmt::format("\"{}\"", *sequence);
  auto response =
      is_known(call.request, tag) ? Result<Response>(Response{.status = 304}) : answer();
  if (response) {
    response->fields.add("ETag", tag);
    response->fields.add("Cache-Control", "private, no-cache");
  }
  return response;
}

}  // namespace allot::serve
