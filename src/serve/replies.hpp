// Parts of responses that several groups of routes share.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serve/call.hpp"

namespace allot::serve {

/// An object with one number per class.
std::string by_class(const campaign::Options& options, std::span<const double> values);
/// Per class: the chance of that label, and the probabilities after it.
std::string outlook_json(const campaign::Options& options,
                         std::span<const campaign::LabelOutcome> outlook);
/// The schema of that object.
std::string outlook_schema(std::string_view about = {});

/// The calibrated accuracy with its range; null if there is none.
std::string range_json(const std::optional<model::AccuracyRange>& range);
/// The schema of that object.
std::string range_schema();

/// Members that lists and single campaigns share: id, name, owner, created, twin_of.
JsonObject campaign_head(const CampaignEntry& entry);
/// Whether amounts of the campaign are money: it has a currency, or prices other than 1.
bool pays_money(const Call& call, const campaign::State& state);
/// 201 with the campaign's address.
http::Response created_response(const CampaignEntry& entry);
/// Replies if a request with this Idempotency-Key created a campaign before: with that campaign if
/// the digests agree, otherwise with a refusal. Returns whether it replied.
bool replied_as_before(const Call& call, const std::string& digest);

// Lists in pages: `limit` rows after a `cursor`, and `next`, the cursor of the next page, or null
// after the last one.

/// Parameters of every paged list.
std::vector<Parameter> page_parameters();
/// The schema of a page.
std::string page_schema(std::string_view name, std::string_view row);
/// Sends a page of rows sorted by id: the cursor is the id of the last row of the previous page.
template <typename Row, typename Json>
Result<void> send_page(const Call& call, std::string_view name, const std::vector<Row>& rows,
                       Json json) {
  return call.limit().and_then([&](std::uint64_t limit) {
    const auto first =
        std::ranges::upper_bound(rows, call.query("cursor").value_or(""), {}, &Row::id);
    const auto most = static_cast<std::size_t>(rows.end() - first);
    const std::span page(first, std::min<std::size_t>(limit, most));
    return call.send(
        json_response(JsonObject()
                          .list(name, page, json)
                          .text_or_null("next", page.size() == most ? "" : page.back().id)));
  });
}

}  // namespace allot::serve
