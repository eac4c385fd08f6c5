// The commands of allot. Options arrive as written; each command reads them, works, and prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allot/base/result.hpp"
#include "cli/crowd_options.hpp"
#include "cli/label_files.hpp"
#include "cli/run_options.hpp"

namespace allot::cli {

struct SimulateOptions {
  std::optional<std::string> items;  // as many as --truth lists, else 50
  std::string budget = "10x";
  std::string truth = "uniform";
  std::optional<std::string> classes;  // two
  RunFlags run{.policies = {"uniform,kg,opt-kg"}};
  /// Workers who differ; all are alike if not given.
  std::optional<std::string> workers;
  std::optional<std::string> worker_truth;  // beta:4,1
  CrowdFlags crowd;
};

/// Budgets of a replay if none are given.
inline constexpr const char* kUsualShares = "10%..50%:10%";

struct ReplayOptions {
  LabelFlags files;  // with a truth
  std::string workers = "differ";
  std::optional<std::string> budget;  // kUsualShares, or all if there are fewer than ten labels
  RunFlags run;                       // policies that suit the mode
  CrowdFlags crowd;
  FeatureFlags features = {};
  std::optional<std::string> feature_update = {};  // laplace
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

struct PlanOptions {
  std::optional<std::string> items;   // as many as the pilot has
  std::optional<std::string> budget;  // some usual ones, or none with a target
  std::optional<std::string> target;
  std::optional<std::string> prior;    // uniform, or learned from the pilot
  LabelFlags pilot;                    // no file if its labels are empty
  std::optional<std::string> price;    // labels have none
  std::optional<std::string> workers;  // all are alike
  std::string format = "table";
  std::optional<std::string> plot;  // no figure
};

struct AggregateOptions {
  LabelFlags files;
  FeatureFlags features;
  std::vector<std::string> methods;           // contextual with features, else dawid-skene
  std::optional<std::string> output;          // no file; "-" is standard output
  std::optional<std::string> workers_output;  // the same
  std::optional<std::string> prior;           // uniform
  std::optional<std::string> seed;            // 1
  std::optional<std::string> iterations;      // 500, for kos 10
  std::optional<std::string> tolerance;       // 1e-7
  std::string format = "table";
};

struct ReproduceOptions {
  std::vector<std::string> labels;  // all
  bool list = false;
  std::string runs = "20";
  std::string seed = "1";
  std::optional<std::string> threads;  // one a processor
  std::string folder = "report";
  std::optional<std::string> data;  // without the RTE labels
};

/// A file to be written.
struct File {
  std::string path, text;
};

/// What a command has to say: on standard output, in files, and as notes on standard error.
struct Output {
  std::string text;
  std::vector<File> files = {};
  std::vector<std::string> notes = {};
  /// The exit status if all could be printed and written.
  int status = 0;
};

/// Each returns what is to be printed on standard output (and written), or the refusal. That a file
/// cannot be written is said before the work, if it can be known then.
Result<Output> simulate(const SimulateOptions& options);
Result<Output> replay(const ReplayOptions& options);
Result<std::string> exact(const ExactOptions& options);
Result<Output> aggregate(const AggregateOptions& options);
/// Writes its files itself, as they are made.
Result<Output> reproduce(const ReproduceOptions& options);
Result<Output> plan(const PlanOptions& options);
std::string policies();

}  // namespace allot::cli
