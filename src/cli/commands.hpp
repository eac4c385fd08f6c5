// The commands of allot. Options arrive as written; each command reads them, works, and prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::cli {

struct SimulateOptions {
  std::optional<std::string> items;  // as many as --truth lists, else 50
  std::string budget = "10x";
  std::string truth = "uniform";
  std::string prior = "uniform";
  std::vector<std::string> policies = {"uniform,kg,opt-kg"};
  std::string ties = "random";
  std::string runs = "20";
  std::string seed = "1";
  std::optional<std::string> threads;  // one a processor
  std::string format = "table";
  std::optional<std::string> plot;  // no figure
};

struct ExactOptions {
  std::optional<std::string> items;  // as many as --state lists
  std::optional<std::string> state;  // no labels yet
  std::string budget;
  std::string prior = "uniform";
  std::vector<std::string> policies = {"opt-kg,kg,uniform"};
  std::string ties = "random";
  std::string format = "table";
};

struct AggregateOptions {
  std::string labels;
  std::vector<std::string> methods = {"dawid-skene"};
  std::optional<std::string> truth;
  std::optional<std::string> output;
  std::optional<std::string> workers_output;
  std::string duplicates = "error";
  std::optional<std::string> prior;       // uniform
  std::optional<std::string> seed;        // 1
  std::optional<std::string> iterations;  // 500, for kos 10
  std::optional<std::string> tolerance;   // 1e-7
  std::string format = "table";
};

/// A file to be written.
struct File {
  std::string path, text;
};

/// What a command has to say: on standard output, and in files.
struct Output {
  std::string text;
  std::vector<File> files;
};

/// Each returns what is to be printed on standard output (and written), or the refusal.
Result<Output> simulate(const SimulateOptions& options);
Result<std::string> exact(const ExactOptions& options);
/// Also writes the files that the options name.
Result<std::string> aggregate(const AggregateOptions& options);
std::string policies();

}  // namespace allot::cli
