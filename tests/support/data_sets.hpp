// Real label sets, which are not part of this repository: the folder named by ALLOT_DATA, else
// ../shared/data beside it. Each has labels.csv and truth.csv.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "allot/io/label_csv.hpp"
#include "allot/io/text_file.hpp"
#include "allot/io/truth_csv.hpp"

namespace allot::test {

inline std::string data_folder() {
  const char* named = std::getenv("ALLOT_DATA");
  return named ? named : std::string(ALLOT_SOURCE_DIR) + "/../shared/data";
}

struct DataSet {
  io::LabelFile labels;
  io::Truth truth;
};

/// Nothing if the folder is absent; throws if the set is there and cannot be read.
inline std::optional<DataSet> data_set(const std::string& name) {
  const std::string folder = data_folder() + "/" + name;
  if (!std::filesystem::exists(folder)) return {};
  const auto read = [&](const char* file) {
    return io::read_text_file(folder + "/" + file).value();
  };
  DataSet set{io::parse_labels(read("labels.csv")).value(), {}};
  set.truth = io::parse_truth(read("truth.csv"), set.labels).value();
  return set;
}

}  // namespace allot::test
