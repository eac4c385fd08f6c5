// Helpers for routes that report on a campaign.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "serve/call.hpp"
#include "serve/json.hpp"

namespace allot::serve {

/// An object with one number per class.
std::string by_class(const campaign::Options& options, std::span<const double> values);
/// Per class: the chance of that label, and the probabilities after it.
std::string outlook_json(const campaign::Options& options,
                         std::span<const campaign::LabelOutcome> outlook);
/// "null" for no value.
std::string number_or_null(const std::optional<double>& value);

/// A response that depends on the ledger only: it gets an ETag, and a client that has the current
/// one gets 304.
Result<http::Response> tagged(const Call& call, OpenCampaign& room,
                              const std::function<Result<http::Response>()>& answer);

}  // namespace allot::serve
