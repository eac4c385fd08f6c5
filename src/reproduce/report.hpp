// What was made, to be read: a page, a document, a list.
#pragma once

#include <span>
#include <string>

#include "reproduce/workshop.hpp"

namespace allot::reproduce {

/// One page that needs nothing else: every figure in the order of the paper with its parameters,
/// its claims and the verdicts.
std::string html_report(const Order& order, std::span<const Outcome> outcomes);

/// Verdicts with their numbers, and what differs from the paper and why.
std::string markdown_report(const Order& order, std::span<const Outcome> outcomes);

/// A row a study: how it stands, what it was made with, its files.
Data manifest(const Order& order, std::span<const Outcome> outcomes);

/// How often each verdict was given.
struct Tally {
  std::size_t holds = 0, fails = 0, unclear = 0;

  void add(std::span<const Claim> claims);
  /// "31 hold, 4 do not hold, 2 cannot be told with so few runs".
  std::string text() const;
};

/// How to get the real data, in plain sentences.
std::string how_to_get_data();

}  // namespace allot::reproduce
