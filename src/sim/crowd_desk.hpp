// Beliefs and choices of one campaign, whatever kind of items it has.
#pragma once

#include <memory>
#include <optional>

#include "allot/aggregate/class_answers.hpp"
#include "allot/sim/crowd_experiment.hpp"

namespace allot::sim {

class CrowdDesk {
 public:
  virtual ~CrowdDesk() = default;
  /// Whom to ask about what, and what to ask a worker; there must be something open.
  virtual policy::Pair choose(Rng& rng) = 0;
  virtual ItemId choose(WorkerId worker, Rng& rng) = 0;
  /// Takes the label and closes the pair.
  virtual void record(const policy::Pair& pair, ClassId label) = 0;
  /// From what is believed now.
  virtual aggregate::ClassAnswers answers() const = 0;
};

/// The offers must outlive it.
std::unique_ptr<CrowdDesk> open_desk(const CrowdExperiment& experiment,
                                     const policy::PairPolicy& policy, policy::Offers& offers);

}  // namespace allot::sim
