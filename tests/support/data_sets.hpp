// Real label sets, which are not part of this repository: the folder named by ALLOT_DATA, else
// ../shared/data beside it. Each has labels.csv and truth.csv,
// some features.csv.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "allot/io/feature_csv.hpp"
#include "allot/io/label_csv.hpp"
#include "allot/io/text_file.hpp"
#include "allot/io/truth_csv.hpp"
#include "support/places.hpp"

namespace allot::test {

inline std::string data_folder() {
  const char* named = std::getenv("ALLOT_DATA");
  return named ? named : root() + "/../shared/data";
}

struct DataSet {
  io::LabelFile labels;
  io::Truth truth;
  /// None if the set has no features.csv.
  std::shared_ptr<const model::Design> design;
};

/// All items with labels or features. Nothing if the folder is absent; throws if the set is there
/// and cannot be read.
inline std::optional<DataSet> data_set(const std::string& name) {
  const std::string folder = data_folder() + "/" + name;
  if (!std::filesystem::exists(folder)) return {};
  const auto read = [&](const char* file) {
    return io::read_text_file(folder + "/" + file).value();
  };
  DataSet set{io::parse_labels(read("labels.csv")).value(), {}, nullptr};
  if (std::filesystem::exists(folder + "/features.csv")) {
    const auto file = io::parse_features(read("features.csv"), set.labels).value();
    set.design = std::make_shared<const model::Design>(model::prepare(file.features).value());
    io::append_items(set.labels, file.unlabelled);
  }
  set.truth = io::parse_truth(read("truth.csv"), set.labels).value();
  return set;
}

}  // namespace allot::test
