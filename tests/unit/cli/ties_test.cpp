// Every command answers ties by one rule (model/best_class.hpp): the first class.
#include <gtest/gtest.h>

#include <sstream>

#include "support/program.hpp"

namespace allot::test::ties_test {
namespace {

/// Two workers contradict each other about both items: nothing speaks for either class.
class Ties : public testing::Test {
 protected:
  std::string truth(const std::string& answer) const {
    return folder_.file(answer + ".csv", "item,truth\na," + answer + "\nb," + answer + "\n");
  }
  static std::string printed(const std::string& command) {
    const Outcome outcome = allot(command);
    EXPECT_EQ(outcome.status, 0) << command << "\n" << outcome.errors;
    return outcome.output;
  }
  static bool answers_no(const std::string& text) {
    return text.find("\na,no,") != std::string::npos && text.find("\nb,no,") != std::string::npos;
  }
  /// The column `accuracy` of the first row.
  static std::string accuracy(const std::string& csv) {
    std::istringstream lines(csv);
    std::string names, values, name, value;
    std::getline(lines, names);
    std::getline(lines, values);
    std::istringstream heads(names), cells(values);
    while (std::getline(heads, name, ',') && std::getline(cells, value, ',')) {
      if (name == "accuracy") return value;
    }
    return "none";
  }

  const Folder folder_;
  const std::string labels_ = folder_.file("labels.csv",
                                           "item,worker,label\n"
                                           "a,w1,yes\na,w2,no\nb,w1,no\nb,w2,yes\n");
};

TEST_F(Ties, AreAnsweredByTheFirstClassInEveryMethodOfAggregate) {
  for (const std::string method : {"majority", "posterior", "one-coin", "dawid-skene", "kos"}) {
    EXPECT_TRUE(answers_no(printed("aggregate " + labels_ + " --method " + method + " --output -")))
        << method;
  }
  const std::string mixture = "'mix:0.5*beta(4,1)+0.5*beta(1,4)'";
  EXPECT_TRUE(answers_no(
      printed("aggregate " + labels_ + " --method posterior --output - --prior " + mixture)));
}

TEST_F(Ties, AreAnsweredByTheFirstClassInCampaigns) {
  for (const std::string belief : {"", " --coins 1", " --refit-by em"}) {
    const std::string db = folder_ / ("c" + std::to_string(belief.size()) + ".db");
    const std::string items = folder_.file("items.csv", "id,text\na,A\nb,B\n");
    printed("campaign create " + db + " --items " + items + " --classes no,yes --budget 10" +
            belief);
    printed("campaign import " + db + " " + labels_);
    EXPECT_TRUE(answers_no(printed("campaign answers " + db + " --format csv"))) << belief;
    EXPECT_TRUE(answers_no(printed("campaign export " + db + " answers"))) << belief;
  }
}

TEST_F(Ties, AreAnsweredByTheFirstClassInReplays) {
  for (const std::string belief : {"", " --coins 1", " --refit-by em", " --workers ignore",
                                   " --final majority", " --final dawid-skene"}) {
    const std::string command = "replay --labels " + labels_ +
                                " --budget 100% --runs 3 --format csv --policy uniform" + belief;
    EXPECT_EQ(accuracy(printed(command + " --truth " + truth("no"))), "1") << belief;
    EXPECT_EQ(accuracy(printed(command + " --truth " + truth("yes"))), "0") << belief;
  }
}

TEST_F(Ties, AreAnsweredByTheFirstClassInSimulations) {
  // Every item without a label is a tie.
  const std::string command = "simulate --budget 1 --runs 1 --format csv --policy uniform --truth ";
  EXPECT_EQ(accuracy(printed(command + "0.001,0.001,0.001,0.001")), "1");
  EXPECT_EQ(accuracy(printed(command + "0.999,0.999,0.999,0.999")), "0.25") << "one has a label";
}

}  // namespace
}  // namespace allot::test::ties_test
