// The choices of a labelling interface of Label Studio, read from its XML.
//
// Only what the bridge needs: Choices elements with their names and values. Other elements are
// skipped, so new ones do no harm.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::bridge {

/// A control that lets a person choose one of several texts.
struct ChoicesControl {
  std::string name;                      ///< `from_name` of its results
  std::string object;                    ///< `to_name` of its results
  std::vector<std::string> values = {};  ///< its choices, as results name them
  bool single = true;                    ///< whether a person can take only one
};

/// All Choices of the interface, in order.
std::vector<ChoicesControl> choices_in(std::string_view config);

/// The control of that name, or the only one. Refuses an interface without it, a control that takes
/// several choices, and one without a choice for each of the classes.
Result<ChoicesControl> control_for(std::string_view config, const std::optional<std::string>& name,
                                   const std::vector<std::string>& classes);

}  // namespace allot::bridge
