#include <algorithm>

#include "reproduce/study.hpp"

namespace allot::reproduce {
namespace {

void append(std::vector<Study>& all, std::vector<Study> more) {
  for (Study& study : more) all.push_back(std::move(study));
}

std::vector<Study> in_order() {
  std::vector<Study> all = toy_studies();
  append(all, surface_studies());
  append(all, consistency_studies());
  std::vector<Study> priors = density_and_prior_studies();
  // The remark about priors opens the experiments.
  append(all, {priors.front()});
  priors.erase(priors.begin());
  append(all, count_studies());
  append(all, std::move(priors));
  append(all, comparison_studies());
  append(all, recorded_studies());
  append(all, time_studies());
  append(all, pessimistic_surface_studies());
  return all;
}

}  // namespace

std::string file_name(const Study& study) {
  std::string name = study.label;
  std::ranges::replace(name, ':', '_');
  return name;
}

std::string data_file(const Study& study, const std::string& table) {
  return file_name(study) + (table.empty() ? "" : "-" + table) + ".csv";
}

std::span<const Study> studies() {
  static const std::vector<Study> kAll = in_order();
  return kAll;
}

std::vector<const Study*> studies_named(std::string_view label) {
  std::vector<const Study*> found;
  for (const Study& study : studies()) {
    const bool other = std::ranges::find(study.other_labels, label) != study.other_labels.end();
    if (other || study.label == label) found.push_back(&study);
  }
  return found;
}

}  // namespace allot::reproduce
