#include "bridge/model_family.hpp"

#include "allot/base/text.hpp"
#include "allot/campaign/options.hpp"
#include "base/errors.hpp"

namespace allot::bridge {

std::string family_of(std::string_view model) {
  const std::string_view last = model.substr(model.rfind('/') + 1);
  const std::string_view family = last.substr(0, last.find_first_of("-:@0123456789"));
  std::string text(family.empty() ? model : family);
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

Result<void> check_no_person(const campaign::State& state, const std::vector<std::string>& models) {
  for (const std::string& model : models) {
    const auto worker = state.find_worker(model);
    if (!worker) continue;
    if (state[*worker].view_times.empty() && !state.sessions().last(*worker)) continue;
    return fail(ErrorCode::conflict,
                "worker {} is a person; expected a model whose name no person has",
                in_quotes(model));
  }
  return {};
}

std::vector<std::pair<std::string, std::string>> families_of_new(
    const campaign::State& state, const std::vector<std::string>& models) {
  std::vector<std::pair<std::string, std::string>> groups;
  if (!campaign::check_groups(state.options())) return groups;
  for (const std::string& model : models)
    if (!state.find_worker(model)) groups.emplace_back(model, family_of(model));
  return groups;
}

}  // namespace allot::bridge
