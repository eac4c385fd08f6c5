#include "allot/campaign/recruiting.hpp"

#include <gtest/gtest.h>

namespace allot::campaign::recruiting_test {
namespace {

TEST(Recruiting, WritesTheAddressesOfThePlatforms) {
  const std::string page = "https://x.org/join/c/l";
  EXPECT_EQ(study_url(usual_terms(Platform::prolific), page),
            page +
                "?PROLIFIC_PID={{%PROLIFIC_PID%}}&SESSION_ID={{%SESSION_ID%}}&"
                "STUDY_ID={{%STUDY_ID%}}");
  EXPECT_EQ(study_url(usual_terms(Platform::connect), page), page);
  EXPECT_EQ(study_url(usual_terms(Platform::sona), page), page + "?id=%SURVEY_CODE%");
  EXPECT_EQ(study_url(usual_terms(Platform::mturk), page), page);
  RecruitingTerms panel = usual_terms(Platform::panel);
  panel.id_parameter = "PID";
  EXPECT_EQ(study_url(panel, page), page + "?PID={PID}&session={session}");
  RecruitingTerms terms = usual_terms(Platform::prolific);
  terms.codes = {"CDONE", "COUT", "CNONE", "CPART"};
  EXPECT_EQ(return_url(terms, SessionOutcome::done, "ann", "s"),
            "https://app.prolific.com/submissions/complete?cc=CDONE");
  terms.return_url = "https://p.org/{id}/{session}?c={code}";
  terms.codes.no_work = "a&b";
  EXPECT_EQ(return_url(terms, SessionOutcome::no_work, "ann", "s1"),
            "https://p.org/ann/s1?c=a%26b");
}

TEST(Recruiting, AShareOfItemsIsNotRoundedUpByNoise) {
  EXPECT_EQ((Qualification{5, 0.6}.needed()), 3U);
  EXPECT_EQ((Qualification{10, 0.7}.needed()), 7U);
  EXPECT_EQ((Qualification{5, 0.61}.needed()), 4U);
  EXPECT_EQ((Qualification{5, 0}.needed()), 0U);
}

}  // namespace
}  // namespace allot::campaign::recruiting_test
