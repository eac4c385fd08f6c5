// Policies compared on the same runs, panel by panel: the rows of the CSV, and the lead of one
// policy over the others.
//
// Policies get the same items, workers and labels in a run. So the difference of two is taken run
// by run, and its standard error is far below that of either mean.
#pragma once

#include <string>
#include <vector>

#include "allot/sim/each_run.hpp"
#include "reproduce/study.hpp"

namespace allot::reproduce {

/// Name of a policy in the data and in the legend, and the name that decides its style
/// (figure/series_style.hpp).
struct Contender {
  std::string policy, name, style;
};

/// The paper's policies for alike workers, and ours; Opt-KG last, on top of the others.
const std::vector<Contender>& alike_contenders();

/// One panel's comparison.
class Contest {
 public:
  /// `leader` is the policy whose lead over the others is reported.
  Contest(std::string panel, std::string leader)
      : panel_(std::move(panel)), leader_(std::move(leader)) {}

  /// Adds rows under their own names, or all of them under another name.
  void add(const sim::EachRun& runs, const std::string& renamed = "");
  /// Adds a number known without runs: the same in each of them.
  void add_limit(const std::string& name, std::uint64_t budget, double labels_per_item,
                 double accuracy, std::uint32_t runs);

  /// panel,policy,budget,labels_per_item,accuracy,stderr,worst,lead,lead_stderr. The lead is the
  /// leader's accuracy minus the policy's.
  Data rows() const;

  /// Mean difference of two policies, run by run, over their common budgets from `from` to `to`
  /// labels per item.
  Estimate lead(const std::string& policy, const std::string& over, double from = 0,
                double to = 1e9) const;

  /// Change of a policy's accuracy, run by run, between two numbers of labels per item.
  Estimate change(const std::string& policy, double from, double to) const;

  /// Adds a row to `leads_data`.
  void tell_lead(Data& data, const std::string& policy, const std::string& over, double from = 0,
                 double to = 1e9) const;

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
};

/// panel,policy,over,from,to,lead,stderr: mean differences over several budgets.
Data leads_data();
Estimate lead_in(const Tables& tables, const std::string& panel, const std::string& policy,
                 const std::string& over);

/// policy,from,to,change,stderr: changes of a policy's accuracy with more labels.
Data changes_data();
void tell_change(Data& data, const Contest& contest, const std::string& policy, double from,
                 double to);
Estimate change_in(const Tables& tables, const std::string& policy);

/// A column of estimates as written by Contest.
Estimate accuracy_in(const Data& data, std::size_t row);
Estimate lead_at(const Data& data, std::size_t row);

/// Accuracy against labels per item, one curve per contender.
figure::CurvePanel accuracy_panel(const Data& rows, const std::string& panel,
                                  const std::string& title,
                                  const std::vector<Contender>& contenders);
/// Accuracy of each above the leader's: minus its lead. Values far below are cut off, and the title
/// says so.
figure::CurvePanel difference_panel(const Data& rows, const std::string& panel,
                                    const std::string& title,
                                    const std::vector<Contender>& contenders,
                                    const std::string& y_title);

/// "(a)", "(b)", ...
std::string panel_name(std::size_t n);

}  // namespace allot::reproduce
