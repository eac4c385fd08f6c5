// Data folders that earlier releases wrote, in tests/serve/releases: they open, verify, and give
// the answers that the release gave.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "allot/campaign/campaign.hpp"
#include "allot/campaign/export.hpp"
#include "allot/store/sqlite_store.hpp"
#include "serve/backup.hpp"
#include "serve/folder_check.hpp"
#include "serve/hub.hpp"
#include "serve/restore.hpp"
#include "support/folder.hpp"
#include "support/places.hpp"

namespace allot::serve::releases_test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> releases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(test::root() + "/tests/serve/releases"))
    names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

/// The first two columns of a table.
std::string items_and_answers(const std::string& csv) {
  std::istringstream lines(csv);
  std::string line, kept;
  while (std::getline(lines, line)) {
    kept += line.substr(0, line.find(',', line.find(',') + 1)) + "\n";
  }
  return kept;
}

/// A copy of the data folder of a release.
class ReleaseTest : public testing::TestWithParam<std::string> {
 protected:
  ReleaseTest() {
    fs::copy(test::root() + "/tests/serve/releases/" + GetParam(), data_,
             fs::copy_options::recursive);
  }
  std::vector<std::string> campaigns() const {
    std::vector<std::string> paths;
    for (const auto& entry : fs::directory_iterator(data_ + "/campaigns"))
      if (entry.path().extension() == ".db") paths.push_back(entry.path());
    return paths;
  }
  /// Campaigns verify, and one of them has the answers that the release exported.
  void expect_as_it_was(const std::string& folder) const {
    const std::string expected = items_and_answers(test::read_file(data_ + "/answers.csv"));
    bool found = false;
    for (const std::string& path : campaigns()) {
      const std::string file = folder + "/campaigns/" + fs::path(path).filename().string();
      const auto store = store::open_sqlite(file).value();
      const auto campaign =
          campaign::Campaign::open(*store, store->campaigns().value().front()).value();
      EXPECT_EQ(campaign->verify().value().differences, std::vector<std::string>());
      campaign::Export rows(campaign::ExportKind::answers, campaign::ExportFormat::csv);
      std::string answers;
      while (const auto piece = rows.next(campaign->view()).value()) answers += *piece;
      found = found || items_and_answers(answers) == expected;
    }
    EXPECT_TRUE(found);
  }

  test::Folder folder_;
  const std::string data_ = folder_ / "data";
};

TEST_P(ReleaseTest, CheckChangesNothingAndTellsWhatAnUpgradeDoes) {
  const std::string before = test::read_file(campaigns().front());
  const auto check = check_folder(data_).value();
  EXPECT_EQ(check.problems(), 0U);
  EXPECT_EQ(check.files.size(), campaigns().size() + 1);
  for (const FileCheck& file : check.files) EXPECT_LE(file.format, file.newest) << file.file;
  EXPECT_FALSE(check.in_use);
  EXPECT_EQ(test::read_file(campaigns().front()), before);
}

TEST_P(ReleaseTest, OpensVerifiesAndAnswersAsBefore) {
  {
    const auto hub = Hub::open({.folder = data_});
    ASSERT_TRUE(hub) << hub.error().message;
    EXPECT_EQ((*hub)->vault().campaigns().size(), campaigns().size());
    EXPECT_TRUE(check_folder(data_).value().in_use);
    (*hub)->stop();
  }
  expect_as_it_was(data_);
  EXPECT_EQ(check_folder(data_).value().older(), 0U);
}

TEST_P(ReleaseTest, CanBeBackedUpBeforeItIsUpgraded) {
  ASSERT_TRUE(back_up(data_, folder_ / "backups", {}));
  const auto check = check_folder(folder_ / "backups/000001").value();
  EXPECT_EQ(check.files.front().format, check_folder(data_).value().files.front().format)
      << "as the release wrote it";
  ASSERT_TRUE(restore_backup(folder_ / "backups", {}, folder_ / "restored"));
  expect_as_it_was(folder_ / "restored");
}

INSTANTIATE_TEST_SUITE_P(All, ReleaseTest, testing::ValuesIn(releases()), [](const auto& release) {
  std::string name = release.param;
  std::ranges::replace(name, '.', '_');
  return name;
});

TEST(FolderCheckTest, NamesWhatIsWrong) {
  const test::Folder folder;
  EXPECT_FALSE(check_folder(folder.path()));
  const std::string data = folder / "data";
  fs::copy(test::root() + "/tests/serve/releases/" + releases().front(), data,
           fs::copy_options::recursive);
  const std::string file = fs::directory_iterator(data + "/campaigns")->path();
  fs::copy_file(file, data + "/campaigns/other.db");
  auto check = check_folder(data).value();
  EXPECT_EQ(check.problems(), 1U);
  EXPECT_NE(check.files.back().problem.find("not in the list of server.db"), std::string::npos);
  fs::remove(data + "/campaigns/other.db");
  fs::resize_file(file, 20'480);
  check = check_folder(data).value();
  EXPECT_EQ(check.problems(), 1U);
}

}  // namespace
}  // namespace allot::serve::releases_test
