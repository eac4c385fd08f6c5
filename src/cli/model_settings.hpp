// The file of `allot serve --models`: endpoints with the language models that requesters can start.
//
//   [[endpoint]]
//   name = "house"
//   url = "https://models.example.org/v1"
//   key-file = "/etc/allot/house.key"   # or key-variable = "HOUSE_KEY", or neither
//   at-once = 16
//   models = { small = "0.001", "large-2026-01-15" = "0.01" }
//   families = { small = "judges" }     # models that err together; by their names if missing
#pragma once

#include <string>
#include <vector>

#include "serve/model_runs.hpp"

namespace allot::cli {

/// Reads the file and the keys that it names. Refuses what no run could use: an endpoint without
/// URL or models, a model that two endpoints have, a key that is missing. No error shows a key.
Result<std::vector<serve::ModelEndpoint>> read_model_endpoints(const std::string& path);

}  // namespace allot::cli
