// The commands of allot. Options arrive as written; each command reads them, works, and prints.
#pragma once

#include <string>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::cli {

struct SimulateOptions {
  std::string items;  // empty: as many as --truth lists, else 50
  std::string budget = "10x";
  std::string truth = "uniform";
  std::string prior = "uniform";
  std::vector<std::string> policies = {"uniform", "kg", "opt-kg"};
  std::string ties = "random";
  std::string runs = "20";
  std::string seed = "1";
  std::string threads;  // empty: one a processor
  std::string format = "table";
};

struct ExactOptions {
  std::string items;  // empty: as many as --state lists
  std::string state;  // empty: no labels yet
  std::string budget;
  std::string prior = "uniform";
  std::vector<std::string> policies = {"opt-kg", "kg", "uniform"};
  std::string ties = "random";
  std::string format = "table";
};

/// Each returns what is to be printed on standard output, or the refusal.
Result<std::string> simulate(const SimulateOptions& options);
Result<std::string> exact(const ExactOptions& options);
std::string policies();

}  // namespace allot::cli
