// The commands of allot. Options arrive as written; each command reads them, works, and prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allot/base/result.hpp"
#include "cli/crowd_options.hpp"

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
  /// Workers who differ; all are alike if not given.
  std::optional<std::string> workers;
  std::optional<std::string> worker_truth;  // beta:4,1
  CrowdFlags crowd;
};

struct ReplayOptions {
  std::string labels;
  std::string truth;
  std::string workers = "differ";
  std::string duplicates = "error";
  std::string budget = "10%..50%:10%";
  std::string prior = "uniform";
  std::vector<std::string> policies;  // those that suit the mode
  CrowdFlags crowd;
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
  std::optional<std::string> output;          // no file; "-" is standard output
  std::optional<std::string> workers_output;  // the same
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

/// Each returns what is to be printed on standard output (and written), or the refusal. That a file
/// cannot be written is said before the work, if it can be known then.
Result<Output> simulate(const SimulateOptions& options);
Result<Output> replay(const ReplayOptions& options);
Result<std::string> exact(const ExactOptions& options);
Result<Output> aggregate(const AggregateOptions& options);
std::string policies();

}  // namespace allot::cli
