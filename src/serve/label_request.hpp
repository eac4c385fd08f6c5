// What a worker says of items, read from a request: labels, how sure the worker is, remarks.
//
// A label is a class by name, with a confidence if the worker gives one, or a probability per
// class, which stands for the most probable one.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "serve/call.hpp"

namespace allot::serve {

/// Most items per request.
inline constexpr std::uint64_t kMostAssignments = 100;

/// Probabilities of classes by name, in the order of the request.
using NamedProbabilities = std::vector<std::pair<std::string, double>>;

struct LabelRequest {
  std::vector<campaign::Answer> answers;
  /// By answer; empty for one that names its label. No list if all do.
  std::vector<NamedProbabilities> probabilities = {};
  /// The request has the form {item, label} of a single label.
  bool single = false;
  bool revise = false;
  /// Items to lease afterwards.
  std::uint64_t next = 0;
};

/// Time in view, note and, for a skip, the reason.
campaign::Remark read_remark(Body& body, bool skips);

/// Reads one label ({item, label}) or many ({labels: [...]}).
LabelRequest read_labels(const Call& call, Body& body);

/// Puts labels in the place of probabilities. Refuses the whole request if one of its labels is not
/// a class of the campaign.
Result<void> name_labels(OpenBatch& batch, LabelRequest& request);

}  // namespace allot::serve
