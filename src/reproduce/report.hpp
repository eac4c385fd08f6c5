// Readable results: a page, a document, a list.
#pragma once

#include <span>
#include <string>

#include "reproduce/workshop.hpp"

namespace allot::reproduce {

/// A self-contained page: every figure in the order of the paper with its parameters, its claims
/// and the verdicts.
std::string html_report(const Order& order, std::span<const Outcome> outcomes);

/// Verdicts with their numbers, and the differences from the paper with their reasons.
std::string markdown_report(const Order& order, std::span<const Outcome> outcomes);

/// One row per study: its state, its settings, its files.
Data manifest(const Order& order, std::span<const Outcome> outcomes);

/// Counts of the verdicts.
struct Tally {
  std::size_t holds = 0, fails = 0, unclear = 0;

  void add(std::span<const Claim> claims);
  /// "31 hold, 4 do not hold, 2 need more runs".
  std::string text() const;
};

/// Instructions for getting the real data.
std::string how_to_get_data();

}  // namespace allot::reproduce
