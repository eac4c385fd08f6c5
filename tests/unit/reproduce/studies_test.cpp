// All studies at once: labels, figures, tables and claims of a run of two.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "allot/figure/series_style.hpp"
#include "reproduce/workshop.hpp"
#include "support/folder.hpp"
#include "support/places.hpp"
#include "support/xml.hpp"

namespace allot::reproduce::studies_test {
namespace {

/// Fast studies: no comparison of policies over pairs, no far Gittins states.
std::vector<const Study*> quick_studies() {
  std::vector<const Study*> quick;
  for (const Study& study : studies()) {
    const std::set<std::string> kSlow{"fig:comp_task", "fig:comp_worker", "fig:prior_worker",
                                      "tab:comp_time"};
    if (!study.needs_rte && !kSlow.contains(study.label)) quick.push_back(&study);
  }
  return quick;
}

Order order_of(std::uint32_t runs, std::vector<const Study*> wanted, const std::string& folder) {
  Order order;
  order.settings.runs = runs;
  order.wanted = std::move(wanted);
  order.folder = folder;
  order.version = "test";
  return order;
}

struct Made {
  test::Folder folder;
  Order order;
  std::vector<Outcome> outcomes;
};

const Made& quickly_made() {
  static const Made& kMade = *[] {
    auto* made = new Made;
    made->order = order_of(2, quick_studies(), made->folder.path());
    Progress progress;
    made->outcomes = make(made->order, progress).value();
    return made;
  }();
  return kMade;
}

TEST(Studies, HaveDistinctLabels) {
  std::set<std::string> labels;
  for (const Study& study : studies()) EXPECT_TRUE(labels.insert(study.label).second);
  for (const char* label :
       {"tab:example", "tab:acc", "fig:dec", "tab:toy", "fig:cvar_right", "fig:cvar",
        "fig:cvar_left", "fig:task_cnt", "fig:worker_cnt", "fig:beta_task_pdf", "fig:prior_task",
        "fig:beta_worker_pdf", "fig:prior_worker", "fig:comp_task", "fig:comp_worker", "fig:rte",
        "fig:rte_worker", "tab:comp_time"})
    EXPECT_TRUE(labels.contains(label)) << label;
  EXPECT_EQ(studies_named("fig:rte_full").size(), 2U);
  EXPECT_EQ(studies_named("fig:task_cnt_315").front()->label, "fig:task_cnt");
  EXPECT_TRUE(studies_named("fig:nothing").empty());
}

TEST(Studies, NameEveryFigureAndTableOfThePaper) {
  const std::filesystem::path folder =
      std::filesystem::path(test::root()).parent_path() / "shared" / "paper";
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "the paper's source is not beside the repository (../shared/paper)";
  static const std::regex label("\\\\label\\{((fig|tab):[^}]+)\\}");
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string text = test::read_file(file.path());
    for (std::sregex_iterator match(text.begin(), text.end(), label), end; match != end; ++match)
      EXPECT_FALSE(studies_named((*match)[1].str()).empty()) << (*match)[1];
  }
}

TEST(Studies, WriteFiguresAndDataThatCanBeRead) {
  const Made& made = quickly_made();
  for (const Outcome& outcome : made.outcomes) {
    for (const std::string& name : picture_files(outcome)) {
      const std::string svg = test::read_file(made.folder / name);
      ASSERT_NO_THROW(test::parse_xml(svg)) << name;
      EXPECT_EQ(svg.find("nan"), std::string::npos) << name;
    }
    for (const std::string& name : data_files(outcome)) {
      const auto data = Data::from_csv(test::read_file(made.folder / name));
      ASSERT_TRUE(data.has_value()) << name;
      EXPECT_GT(data->size(), 0U) << name;
    }
  }
}

TEST(Studies, DeterministicClaimsHold) {
  for (const Outcome& outcome : quickly_made().outcomes) {
    if (outcome.study->random) continue;
    for (const Claim& claim : outcome.claims)
      EXPECT_EQ(claim.verdict, Verdict::holds) << outcome.study->label << ": " << claim.text;
  }
}

TEST(Studies, CurvesOfAFigureDifferWithoutColour) {
  for (const Outcome& outcome : quickly_made().outcomes) {
    if (outcome.tables.empty() || !outcome.study->pictures) continue;
    for (const Picture& picture : outcome.study->pictures(outcome.tables)) {
      std::vector<std::string> names;
      for (const figure::Panel& panel : picture.figure.panels) {
        const auto* curves = std::get_if<figure::CurvePanel>(&panel);
        if (!curves) continue;
        for (const figure::Curve& curve : curves->curves) {
          if (std::ranges::find(names, curve.style) == names.end()) names.push_back(curve.style);
        }
      }
      std::set<std::pair<std::size_t, std::size_t>> shapes;
      for (const figure::SeriesStyle& style : figure::series_styles(names))
        shapes.insert({style.dashes, style.marker});
      EXPECT_EQ(shapes.size(), names.size()) << outcome.study->label;
    }
  }
}

TEST(Report, HasEveryStudyWithItsClaimsAndParameters) {
  const Made& made = quickly_made();
  const std::string page = test::read_file(made.folder / "index.html"),
                    document = test::read_file(made.folder / "report.md"),
                    list = test::read_file(made.folder / "manifest.csv");
  for (const Outcome& outcome : made.outcomes) {
    const std::string& label = outcome.study->label;
    EXPECT_NE(page.find("<section id=\"" + label + "\">"), std::string::npos) << label;
    EXPECT_NE(page.find("href=\"#" + label + "\""), std::string::npos) << label;
    EXPECT_NE(document.find("(`" + label + "`)"), std::string::npos) << label;
    EXPECT_NE(list.find(label + ","), std::string::npos) << label;
    for (const std::string& name : data_files(outcome))
      EXPECT_NE(page.find("href=\"" + name + "\""), std::string::npos) << name;
  }
  EXPECT_EQ(page.find("http"), page.find("http://www.w3.org/2000/svg")) << "nothing from elsewhere";
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_NE(page.find("needs the RTE labels"), std::string::npos);
  EXPECT_NE(page.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_NE(page.find("@media print"), std::string::npos);
}

TEST(Workshop, ReusesFinishedPartsAndRecomputesChangedOnes) {
  const test::Folder folder;
  const auto wanted = studies_named("fig:prior_task");
  Progress progress;
  const auto state = [&](std::uint32_t runs, std::uint64_t seed) {
    Order order = order_of(runs, wanted, folder.path());
    order.settings.seed = seed;
    const std::vector<Outcome> outcomes = make(order, progress).value();
    for (const Outcome& outcome : outcomes) {
      if (outcome.study == wanted.front()) return outcome.state;
    }
    return State::absent;
  };
  EXPECT_EQ(state(2, 1), State::made);
  const std::string first = test::read_file(folder / "fig_prior_task.csv");
  EXPECT_EQ(state(2, 1), State::kept);
  EXPECT_EQ(state(2, 2), State::made);
  EXPECT_NE(test::read_file(folder / "fig_prior_task.csv"), first);
  EXPECT_EQ(state(2, 1), State::made) << "another seed took its place";
  // Interrupted after the first panels: those are not computed again.
  const std::string part = folder / "parts/fig_prior_task-a.txt";
  const auto when = std::filesystem::last_write_time(part);
  std::filesystem::remove(folder / "parts/fig_prior_task-d.txt");
  std::filesystem::remove(folder / "fig_prior_task.csv");
  EXPECT_EQ(state(2, 1), State::made);
  EXPECT_EQ(std::filesystem::last_write_time(part), when);
  EXPECT_EQ(test::read_file(folder / "fig_prior_task.csv"), first);
  // A damaged part is computed again.
  folder.file("parts/fig_prior_task-b.txt", "# something else\n");
  EXPECT_EQ(state(2, 1), State::made);
  EXPECT_EQ(test::read_file(folder / "fig_prior_task.csv"), first);
}

TEST(Workshop, GivesTheSameNumbersOnAnyNumberOfThreads) {
  const auto numbers = [](std::uint32_t threads) {
    const test::Folder folder;
    std::vector<const Study*> wanted = studies_named("fig:task_cnt");
    wanted.push_back(studies_named("fig:worker_cnt").front());
    Progress progress;
    Order order = order_of(3, wanted, folder.path());
    order.settings.threads = threads;
    EXPECT_TRUE(make(order, progress).has_value());
    EXPECT_EQ(progress.done, progress.total);
    return test::read_file(folder / "fig_task_cnt.csv") +
           test::read_file(folder / "fig_worker_cnt.csv");
  };
  EXPECT_EQ(numbers(1), numbers(3));
}

}  // namespace
}  // namespace allot::reproduce::studies_test
