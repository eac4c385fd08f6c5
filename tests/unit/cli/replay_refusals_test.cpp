// `allot replay` refuses with one clear line that names the value and what was expected.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "support/gzip.hpp"
#include "unit/cli/replay_fixture.hpp"

namespace allot::test::replay_refusals_test {
namespace {

/// Arguments, what is wrong with them, and what is expected instead.
using Refusals = std::vector<std::array<std::string, 3>>;

class ReplayRefusals : public Replay {
 protected:
  void expect_refusals(const Refusals& cases) const {
    for (const auto& [arguments, wrong, accepted] : cases) {
      expect_refusal("replay --labels " + labels + " --truth " + truth + " " + arguments, wrong,
                     accepted);
    }
  }
};

TEST_F(ReplayRefusals, NameTheBudget) {
  expect_refusals({
      {"--budget 49", "'49' is more than all 48 labels", "expected labels (500)"},
      {"--budget 5x", "'5x' is more than all 48 labels", "shares of all labels (40%)"},
      {"--budget 101%", "'101%' is more than all 48 labels", "shares of all labels"},
      {"--budget 1%", "'1%' is less than one label", "expected labels (500)"},
      {"--budget 0", "'0' is less than one label", "expected labels (500)"},
      {"--budget nan%", "'nan%' is not understood", "expected labels (500)"},
      {"--budget 1e18x", "'1e18x' is more than", "expected labels (500)"},
      {"--budget 20%..50", "'20%..50' is not understood", "expected labels (500)"},
  });
}

TEST_F(ReplayRefusals, NameAFileThatWouldBeOverwritten) {
  const std::string figure = folder / "figure.svg";
  expect_refusals({
      {"--calibration " + labels, "would overwrite another file", "expected another one"},
      {"--calibration " + truth, "would overwrite another file", "expected another one"},
      {"--plot " + figure + " --calibration " + figure, "--calibration", "expected another one"},
  });
  EXPECT_FALSE(std::filesystem::exists(figure));
}

TEST_F(ReplayRefusals, NameThePolicyOrTheWorkers) {
  expect_refusals({
      {"--workers 5", "--workers '5'", "differ, ignore"},
      {"--workers ignore --mode pull", "--mode", "cannot be combined with --workers ignore"},
      {"--workers ignore --final majority", "--final", "cannot be combined with --workers ignore"},
      {"--workers ignore --refit 5", "--refit", "cannot be combined with --workers ignore"},
      {"--workers ignore --policy scout", "'scout' is for workers who differ",
       "expected uniform, kg"},
      {"--workers ignore --policy kos", "'kos' is for workers who differ", "expected uniform, kg"},
      {"--workers ignore --policy dp", "'dp' cannot be played back", "labels that the file"},
      {"--policy gittins", "'gittins' does not tell workers apart", "expected uniform, kg"},
      {"--mode pull --policy nlu", "'nlu' does not tell workers apart", "expected uniform, kg"},
      {"--policy scouts", "'scouts' is unknown", "did you mean 'scout'?"},
      {"--policy cvar", "'cvar' needs its parameter", "cvar:ALPHA"},
      {"--policy ''", "policy ''", "allot policies"},
      {"--mode both", "--mode 'both'", "push, pull"},
  });
}

TEST_F(ReplayRefusals, NameTheModelOfBeliefs) {
  expect_refusals({
      {"--coins 3", "--coins '3'", "1, 2"},
      {"--refit 0", "--refit '0'", "off, or a number of labels from 1"},
      {"--refit often", "--refit 'often'", "off, or a number of labels from 1"},
      {"--refit-by gibbs", "--refit-by 'gibbs'", "bp or em"},
      {"--refit off --refit-by em", "--refit-by 'em'", "--refit 20"},
      {"--final voting", "method 'voting' is unknown", "majority, posterior, one-coin"},
      {"--prior haldane", "--prior 'haldane' is improper", "beta:1,1"},
      {"--worker-prior haldane", "--worker-prior 'haldane' is improper", "beta:1,1"},
      {"--worker-prior beta:0,0", "--worker-prior 'beta:0,0' is improper", "beta:1,1"},
      {"--worker-prior beta:nan,1", "'beta:nan,1'", "expected uniform"},
      {"--worker-prior beta:inf,1", "'beta:inf,1'", "expected uniform"},
      {"--worker-prior beta:1e13,1", "'beta:1e13,1'", "above 1e12"},
      {"--prior 'mix:0.5*beta(5,1)+0.5*beta(1,5)' --refit off", "is a mixture",
       "expected one Beta"},
  });
}

TEST_F(ReplayRefusals, NameAnyOtherOption) {
  expect_refusals({
      {"--ties last", "--ties 'last'", "random, first"},
      {"--runs 0", "--runs '0'", "whole number from 1"},
      {"--threads 0", "--threads '0'", "whole number from 1"},
      {"--seed -1", "--seed '-1'", "whole number from 0"},
      {"--duplicates all", "--duplicates 'all'", "error, first, last"},
      {"--plot a.png", "--plot 'a.png'", "ends in .svg"},
      {"--format xml --format csv", "--format is given 2 times", "expected once"},
      {"--budgets 5", "'--budgets'", "did you mean '--budget'?"},
      {"surplus", "'surplus'", "--help"},
      {"--format xml", "--format 'xml'", "table, csv, json"},
  });
}

TEST_F(ReplayRefusals, NameTheFileAndTheLine) {
  const auto file = [&](const std::string& name, const std::string& text) {
    return folder.file(name, text);
  };
  const std::string head = "task,worker,label\n";
  const std::string three = file("three.csv", head + "i1,a,1\ni1,b,2\ni1,c,3\n");
  const std::string third = file("third.csv", "task,truth\ni1,maybe\n");
  const std::string same = file("same.csv", head + "i1,a,1\ni1,b,1\n");
  const std::string latin = file("latin.csv", head + "i1,a,1\nr\xe9sum\xe9,b,1\n");
  const std::string yes = file("yes.csv", "task,truth\ni1,1\n");
  const std::string other = file("other.csv", "task,truth\nj1,1\nj2,0\n");
  const std::string none = file("none.csv", "task,truth\n");
  const std::string empty = file("empty.csv", "");
  const std::string bare = file("bare.csv", head);
  const std::string odd = file("odd.csv", head + "i1,a\n");
  const std::string twice = file("twice.csv", head + "i1,a,1\ni1,a,0\n");
  const std::string broken = file("broken.csv.gz", gzip(labels_text("0", "1")).substr(0, 60));
  const Refusals cases{
      {"", "--labels is missing", "--help"},
      {"--labels " + folder / "absent --truth " + truth, "absent' cannot be read", "No such file"},
      {"--labels " + labels + " --truth " + folder / "absent", "--truth: '", "No such file"},
      {"--labels " + folder.path() + " --truth " + truth, "cannot be read", "directory"},
      {"--labels " + three + " --truth " + truth + " --policy scout", "policy 'scout'",
       "cannot choose among multi-class items"},
      {"--labels " + three + " --truth " + truth + " --prior beta:1,1", "beta:1,1", "dirichlet"},
      {"--labels " + three + " --truth " + truth + " --prior dirichlet:1,2", "dirichlet:1,2", "3"},
      {"--labels " + three + " --truth " + truth + " --refit-by bp", "--refit-by 'bp'",
       "expected pooled or em"},
      {"--labels " + three + " --truth " + truth + " --refit-by em --ordered", "--ordered",
       "--refit-by pooled"},
      {"--labels " + labels + " --truth " + third,
       "third.csv: line 2: no truth is a class of the labels: the truths are 'maybe'",
       "the labels are '0', '1'; expected the same classes"},
      {"--labels " + labels + " --classes ,1 --truth " + truth, "--classes ',1'", "no,yes"},
      {"--labels " + latin + " --truth " + truth, "latin.csv: line 3: byte 0xE9 is not UTF-8",
       "iconv -f LATIN1"},
      {"--labels " + same + " --truth " + yes, "has one class (1)", "--classes can name one"},
      {"--labels - --truth " + other + " <" + labels, "has no item of standard input",
       "item names"},
      {"--labels - --truth - <" + labels, "--truth '-'", "expected another file"},
      {"--labels - --truth " + truth + " </dev/null", "standard input: line 1",
       "names the columns"},
      {"--labels " + labels + " --truth " + other, "other.csv has no item", "the same item names"},
      {"--labels " + labels + " --truth " + none, "none.csv has no item", "the same item names"},
      {"--labels " + labels + " --truth " + empty, "empty.csv: line 1", "names the columns"},
      {"--labels " + bare + " --truth " + truth, "bare.csv: line 1: no label", "one row per label"},
      {"--labels " + odd + " --truth " + truth, "odd.csv: line 2: 2 fields", "expected 3"},
      {"--labels " + truth + " --truth " + labels, "no column holds the worker", "annotator"},
      {"--labels " + twice + " --truth " + truth, "twice.csv: line 3",
       "--duplicates first|last|majority"},
      {"--labels " + broken + " --truth " + truth, "broken.csv.gz", "gzip"},
  };
  for (const auto& [arguments, wrong, accepted] : cases)
    expect_refusal("replay " + arguments, wrong, accepted);
}

}  // namespace
}  // namespace allot::test::replay_refusals_test
