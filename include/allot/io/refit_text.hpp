// Methods of refits as people write them: bp, em, pooled.
#pragma once

#include <string_view>

#include "allot/base/result.hpp"
#include "allot/model/crowd.hpp"

namespace allot::io {

/// The name of a method: "bp" for `integrated`, "em", "pooled", and "off".
std::string_view refit_name(model::Refit refit);

/// The method of that name. Binary items without features can have bp and em, others em and pooled;
/// refuses the rest, and off. Error messages call the option by its name.
Result<model::Refit> read_refit(std::string_view option, std::string_view text, bool binary);

}  // namespace allot::io
