// What routes that tell of a campaign have in common.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "serve/json.hpp"
#include "serve/route.hpp"

namespace allot::serve {

/// Numbers by the names of the classes.
std::string by_class(const campaign::Options& options, std::span<const double> values);
/// What each label would do, by class.
std::string outlook_json(const campaign::Options& options,
                         std::span<const campaign::IfSaid> outlook);
/// null for none.
std::string number_or_null(const std::optional<double>& value);

/// What changes with the ledger alone: asked for again while nothing happened, it is not sent.
Result<http::Response> tagged(const Call& call, Room& room,
                              const std::function<Result<http::Response>()>& answer);

}  // namespace allot::serve
