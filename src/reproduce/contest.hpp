// The paper's experiments, and policies compared on the same runs, panel by panel: the rows of the
// CSV, and the lead of one policy over the others.
//
// Policies get the same items, workers and labels in a run. So the difference of two is taken run
// by run, and its standard error is far below that of either mean.
#pragma once

#include <string>
#include <vector>

#include "allot/sim/experiment.hpp"
#include "reproduce/study.hpp"

namespace allot::reproduce {

/// Sizes of the simulated comparisons [CLZ sec:exp].
inline constexpr std::uint32_t kItems = 50;

struct Shape {
  double a, b;

  model::Prior prior() const { return model::Prior::beta(a, b); }
  /// "Beta(0.5,0.5)".
  std::string text() const;
  bool operator==(const Shape&) const = default;
};

inline constexpr Shape kUniform{1, 1}, kUsualWorkers{4, 1};

std::vector<std::shared_ptr<const policy::Policy>> policies_named(
    const std::vector<std::string>& names, policy::TieBreak ties);

/// An experiment with alike workers, 2, 3, ..., 20 labels per item; ties are broken at random.
sim::Experiment alike(const Settings& settings, const Shape& truth, const Shape& prior,
                      const std::vector<std::string>& policies);

/// The same with workers who differ, each asked at most once about an item; the paper's one pass.
sim::Experiment differing(const Settings& settings, const Shape& reliability,
                          const Shape& worker_prior, const std::vector<std::string>& policies);

/// The statement about ties of all random studies.
Parameter ties_parameter();

/// Name of a policy in the data and in the legend, and the name that decides its style
/// (figure/series_style.hpp).
struct Contender {
  std::string policy, name, style;
};

/// The contenders of these names in the data; the last is drawn on top of the others.
std::vector<Contender> contenders(const std::vector<std::string>& policies);

/// The paper's policies for alike workers, and ours.
const std::vector<std::string>& alike_policies();

/// Opt-KG with other beliefs or another rule for ties.
inline constexpr const char *kRefitted = "opt-kg refitted", *kFirstTies = "opt-kg first ties",
                            *kIgnored = "opt-kg workers ignored";

/// One panel's comparison.
class Contest {
 public:
  /// `leader` is the policy whose lead over the others is reported.
  Contest(std::string panel, std::string leader)
      : panel_(std::move(panel)), leader_(std::move(leader)) {}

  /// Adds rows under their own names, or all of them under another name.
  void add(const sim::EachRun& runs, const std::string& renamed = "");
  /// Runs an experiment as a step of the meter and adds its rows.
  Result<void> play(Meter& meter, double share, const sim::Experiment& experiment,
                    const std::string& renamed = "");
  /// Adds a number known without runs: the same in each of them.
  void add_limit(const std::string& name, std::uint64_t budget, double labels_per_item,
                 double accuracy, std::uint32_t runs);

  /// Mean difference of two policies, run by run, over their common budgets from `from` to `to`
  /// labels per item.
  Estimate lead(const std::string& policy, const std::string& over, double from = 0,
                double to = 1e9) const;
  /// Change of a policy's accuracy, run by run, between two numbers of labels per item.
  Estimate change(const std::string& policy, double from, double to) const;

  /// Adds a row to the table "leads" or "changes".
  void tell_lead(const std::string& policy, const std::string& over, double from = 0,
                 double to = 1e9);
  void tell_change(const std::string& policy, double from, double to);

  /// panel,policy,budget,labels_per_item,accuracy,stderr,worst,lead,lead_stderr; the lead is the
  /// leader's accuracy minus the policy's. And what was told:
  ///   leads     panel,policy,over,from,to,lead,stderr
  ///   changes   policy,from,to,change,stderr
  Tables tables() const;

 private:
  struct Entry {
    std::string policy;
    std::uint64_t budget;
    double labels_per_item, accuracy, standard_error, worst;
    std::vector<double> runs;
  };
  std::vector<const Entry*> of(const std::string& policy, double from, double to) const;

  std::string panel_, leader_;
  std::vector<Entry> entries_;
  Tables told_;
};

/// Estimates that a contest told.
Estimate lead_in(const Tables& tables, const std::string& panel, const std::string& policy,
                 const std::string& over);
Estimate change_in(const Tables& tables, const std::string& policy);
/// The accuracy or the lead of a policy with so many labels per item.
Estimate estimate_at(const Tables& tables, std::string_view column, const std::string& panel,
                     const std::string& policy, const std::string& labels_per_item);

/// Accuracy against labels per item, one curve per contender.
figure::CurvePanel accuracy_panel(const Tables& tables, const std::string& panel,
                                  const std::string& title,
                                  const std::vector<Contender>& contenders);
/// Accuracy of each above that of the leader, Opt-KG: minus its lead. Values far below are cut off,
/// and the title says so.
figure::CurvePanel difference_panel(const Tables& tables, const std::string& panel,
                                    const std::string& title,
                                    const std::vector<Contender>& contenders);

}  // namespace allot::reproduce
