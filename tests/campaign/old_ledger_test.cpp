// Ledgers that an earlier version wrote. Each file of tests/campaign/ledgers has one record per
// line (time, kind, key, payload in hexadecimal) and then the answers that version exported.
#include <gtest/gtest.h>

#include <sstream>

#include "allot/campaign/campaign.hpp"
#include "allot/campaign/export.hpp"
#include "allot/store/memory_store.hpp"
#include "support/folder.hpp"
#include "support/places.hpp"

namespace allot::campaign::old_ledger_test {
namespace {

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t n = 0; n + 1 < digits.size(); n += 2) {
    bytes.push_back(static_cast<char>(std::stoi(digits.substr(n, 2), nullptr, 16)));
  }
  return bytes;
}

struct OldLedger {
  std::vector<store::Draft> records;
  std::string answers;
};

OldLedger read_ledger(const std::string& name) {
  std::istringstream lines(test::read_file(test::root() + "/tests/campaign/ledgers/" + name));
  OldLedger ledger;
  std::string line;
  while (std::getline(lines, line) && line != "answers") {
    std::istringstream fields(line);
    store::Draft record;
    std::string payload;
    int kind = 0;
    fields >> record.time >> kind >> record.key >> payload;
    record.kind = static_cast<std::uint8_t>(kind);
    if (record.key == "-") record.key.clear();
    record.payload = from_hex(payload);
    ledger.records.push_back(record);
  }
  while (std::getline(lines, line)) ledger.answers += line + "\n";
  return ledger;
}

/// The columns of `table` that `before` has: later versions export more.
std::string columns_of(const std::string& table, const std::string& before) {
  const auto cells = [](const std::string& line) {
    std::vector<std::string> all;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) all.push_back(cell);
    return all;
  };
  std::istringstream lines(table);
  std::string line, kept;
  const auto wanted = cells(before.substr(0, before.find('\n')));
  std::vector<std::string> header;
  while (std::getline(lines, line)) {
    const auto row = cells(line);
    if (header.empty()) header = row;
    std::string text;
    for (std::size_t n = 0; n < row.size(); ++n) {
      if (std::ranges::find(wanted, header[n]) == wanted.end()) continue;
      text += (text.empty() ? "" : ",") + row[n];
    }
    kept += text + "\n";
  }
  return kept;
}

std::string exported_answers(const Campaign& campaign) {
  Export rows(ExportKind::answers, ExportFormat::csv);
  std::string text;
  while (const auto piece = rows.next(campaign.view()).value()) text += *piece;
  return text;
}

class OldLedgers : public testing::TestWithParam<const char*> {
 protected:
  const OldLedger ledger_ = read_ledger(GetParam());
  const std::unique_ptr<store::Store> store_ = store::memory_store();

  std::unique_ptr<Campaign> open() {
    EXPECT_TRUE(store_->append("c", 0, ledger_.records));
    return Campaign::open(*store_, "c").value();
  }
};

TEST_P(OldLedgers, OpenAndEveryDecisionIsMadeAgain) {
  const auto campaign = open();
  const Verification verification = campaign->verify().value();
  EXPECT_EQ(verification.events, ledger_.records.size());
  EXPECT_GT(verification.decisions, 20U);
  EXPECT_EQ(verification.differences, std::vector<std::string>());
}

TEST_P(OldLedgers, GiveTheAnswersThatTheyGave) {
  EXPECT_EQ(columns_of(exported_answers(*open()), ledger_.answers), ledger_.answers);
}

TEST_P(OldLedgers, AreWrittenWithTheSameBytesToday) {
  for (const store::Draft& record : ledger_.records) {
    const auto event = decode(record.kind, record.payload);
    ASSERT_TRUE(event) << event.error().message;
    EXPECT_EQ(encode(*event), record.payload) << name(*event);
  }
}

INSTANTIATE_TEST_SUITE_P(, OldLedgers,
                         testing::Values("binary.txt", "classes.txt", "stop.txt", "features.txt",
                                         "calibrated.txt"),
                         [](const auto& ledger) {
                           const std::string file = ledger.param;
                           return file.substr(0, file.find('.'));
                         });

}  // namespace
}  // namespace allot::campaign::old_ledger_test
