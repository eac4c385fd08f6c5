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
  /// Takes the label, closes the pair and leaves out an item that it settles.
  virtual void record(const policy::Pair& pair, ClassId label) = 0;
  /// The worker is not to be asked any more.
  virtual void exclude(WorkerId worker) = 0;
  /// Why there is to be no further label, if a rule says so.
  virtual std::optional<policy::StopReason> reason() = 0;
  /// From what is believed now.
  virtual aggregate::ClassAnswers answers() const = 0;
};

/// The offers must outlive it.
std::unique_ptr<CrowdDesk> open_desk(const CrowdExperiment& experiment,
                                     const policy::PairPolicy& policy, policy::Offers& offers);

}  // namespace allot::sim
