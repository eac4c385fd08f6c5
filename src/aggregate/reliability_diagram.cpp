#include "allot/aggregate/reliability_diagram.hpp"

#include <algorithm>

namespace allot::aggregate {

std::vector<ReliabilityBin> reliability_diagram(std::span<const model::KnownAnswer> known,
                                                const model::CalibrationMap& map, double level) {
  std::vector<ClassId> answers(known.size(), ClassId{0});
  std::vector<double> stated;
  std::vector<std::optional<ClassId>> truth;
  for (const model::KnownAnswer& one : known) {
    stated.push_back(std::ranges::max(one.probabilities));
    truth.emplace_back(ClassId{one.right ? 0U : 1U});
  }
  Calibration calibration;
  calibration.add(answers, stated, truth);
  std::vector<ReliabilityBin> diagram;
  for (const CalibrationBin& bin : calibration.bins()) {
    if (bin.answers == 0) continue;
    double sum = 0;
    for (std::size_t n = 0; n < known.size(); ++n) {
      const bool inside = stated[n] >= bin.from && (stated[n] < bin.to || bin.to == 1);
      if (inside) sum += map.answer_probability(known[n].probabilities, known[n].labels);
    }
    diagram.push_back({bin, observed_range(bin, level), sum / static_cast<double>(bin.answers)});
  }
  return diagram;
}

}  // namespace allot::aggregate
