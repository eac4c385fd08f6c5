// A campaign with four items, driven by the commands of the program.
#pragma once

#include <gtest/gtest.h>

#include "support/program.hpp"

namespace allot::test {

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class CampaignCommand : public testing::Test {
 protected:
  Folder folder_;
  const std::string db_ = folder_ / "reviews.db";
  const std::string items_ = folder_.file("items.csv",
                                          "id,text,gold\n"
                                          "r1,\"Good, really\",\n"
                                          "r2,Bad,\n"
                                          "r3,So so,\n"
                                          "r4,Great,yes\n");

  /// `allot campaign COMMAND FILE REST`.
  Outcome run(const std::string& command, const std::string& rest = "") const {
    return allot("campaign " + command + " " + db_ + " " + rest);
  }
  std::string done(const std::string& command, const std::string& rest = "") const {
    const Outcome outcome = run(command, rest);
    EXPECT_EQ(outcome.status, 0) << command << " " << rest << ": " << outcome.errors;
    return outcome.output;
  }
  void refuses(const std::string& command, const std::string& rest, const std::string& wrong,
               const std::string& accepted) const {
    expect_refusal("campaign " + command + " " + db_ + " " + rest, wrong, accepted);
  }
  /// Expects that nothing is handed out, which is not an error.
  void nothing(const std::string& worker, int status, const std::string& why) const {
    const Outcome outcome = run("next", "--worker " + worker);
    EXPECT_EQ(outcome.status, status) << outcome.errors;
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << outcome.errors;
    EXPECT_TRUE(has(outcome.errors, why)) << outcome.errors;
  }
  void create(const std::string& more = "--budget 100") const {
    done("create", "--items " + items_ + " --classes no,yes --gold-rate 0 --ties first " + more);
  }
  /// Hands out one item to the worker; returns its id.
  std::string next(const std::string& worker, const std::string& more = "") const {
    const std::string line = done("next", "--worker " + worker + " " + more);
    EXPECT_TRUE(line.starts_with("{\"item\": \"")) << line;
    return line.substr(10, 2);
  }
  std::string number(const std::string& name) const {
    const std::string json = done("status", "--format json");
    const std::size_t at = json.find("\"" + name + "\": ") + name.size() + 4;
    return json.substr(at, json.find_first_of(",}", at) - at);
  }
};

}  // namespace allot::test
