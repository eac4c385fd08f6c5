// Methods of refits as people write them: bp, em, pooled.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "allot/base/result.hpp"
#include "allot/model/crowd.hpp"

namespace allot::io {

/// The name of a method: "bp" for `integrated`, "em", "pooled", and "off".
std::string_view refit_name(model::Refit refit);

/// Methods that suit the items, the usual one first: bp and em for binary items, with features also
/// pooled; pooled and em for more classes, and where workers err together.
std::span<const model::Refit> suited_refits(bool binary, bool features);
/// The method of that name, or the usual one if there is no name. Refuses those that do not suit,
/// and off. Error messages call the option by its name.
Result<model::Refit> read_refit(std::string_view option, const std::optional<std::string>& text,
                                std::span<const model::Refit> suited);

}  // namespace allot::io
