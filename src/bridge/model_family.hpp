// Families of language models: models of one family make the same mistakes, so a campaign takes
// them for one group of workers who err together.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/campaign/state.hpp"

namespace allot::bridge {

/// The family of a model by its name: the part behind the last '/', up to the first '-', ':', '@'
/// or digit, in lower case. The whole name if nothing is left.
std::string family_of(std::string_view model);

/// Refuses a model that has the name of a person: of a participant, or of a worker who labelled on
/// a page.
Result<void> check_no_person(const campaign::State& state, const std::vector<std::string>& models);

/// Groups for those of the models that are new in the campaign: their families. Empty if the
/// campaign cannot know groups.
std::vector<std::pair<std::string, std::string>> families_of_new(
    const campaign::State& state, const std::vector<std::string>& models);

}  // namespace allot::bridge
