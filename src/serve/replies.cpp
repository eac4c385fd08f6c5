#include "serve/replies.hpp"

#include "serve/schema.hpp"

namespace allot::serve {

using campaign::Options;
using http::Response;

std::string by_class(const Options& options, std::span<const double> values) {
  JsonObject table;
  for (std::size_t n = 0; n < values.size(); ++n) table.number(options.classes[n], values[n]);
  return table;
}

std::string outlook_json(const Options& options, std::span<const campaign::LabelOutcome> outlook) {
  JsonObject all;
  for (std::size_t n = 0; n < outlook.size(); ++n) {
    all.json(options.classes[n], JsonObject()
                                     .number("chance", outlook[n].chance)
                                     .json("then", by_class(options, outlook[n].probabilities)));
  }
  return all;
}

std::string range_json(const std::optional<model::AccuracyRange>& range) {
  if (!range) return "null";
  return JsonObject()
      .number("accuracy", range->mean)
      .number("low", range->low)
      .number("high", range->high);
}

std::string range_schema() {
  using namespace schema;
  return or_null(object({{"accuracy", share("Expected, among labelled items")},
                         {"low", share("Lower end of a range of probability 0.9")},
                         {"high", share()}}));
}

std::string outlook_schema(std::string_view about) {
  using namespace schema;
  return table(object({{"chance", share()}, {"then", table(share())}}), about);
}

JsonObject campaign_head(const CampaignEntry& entry) {
  return JsonObject()
      .text("id", entry.id)
      .text("name", entry.name)
      .text("owner", entry.owner)
      .time("created", entry.created)
      .text_or_null("twin_of", entry.twin_of)
      .text_or_null("currency", entry.shown().currency)
      .flag("archived", entry.archived);
}

bool pays_money(const Call& call, const campaign::State& state) {
  const auto entry = call.hub().vault().campaign(call.campaign());
  return (entry && !entry->shown().currency.empty()) || state.has_prices();
}

Response created_response(const CampaignEntry& entry) {
  Response response = json_response(campaign_head(entry), 201);
  response.fields.add("Location", "/api/v1/campaigns/" + entry.id);
  return response;
}

bool replied_as_before(const Call& call, const std::string& digest) {
  const Vault& vault = call.hub().vault();
  const auto before = vault.created_under(call.key());
  const auto entry = before ? vault.campaign(before->campaign) : std::nullopt;
  if (!entry) return false;
  call.reply(before->digest == digest ? created_response(*entry) : key_reused(call));
  return true;
}

std::vector<Parameter> page_parameters() {
  return {{"limit", schema::whole_from(1, Call::kMostRows), "Rows per page; default: 100"},
          {"cursor", schema::text(), "The `next` of the previous page"}};
}

std::string page_schema(std::string_view name, std::string_view row) {
  using namespace schema;
  return object({{name, list(ref(row))}, {"next", or_null(text())}});
}

}  // namespace allot::serve
