// The fuzz targets on their seeds, and on random changes of these. scripts/fuzz runs longer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "fuzz/ledger_bytes.hpp"
#include "fuzz/targets.hpp"
#include "support/folder.hpp"
#include "support/places.hpp"

namespace allot::test::corpus_test {
namespace {

class FuzzCorpus : public testing::TestWithParam<FuzzTarget> {};

/// The seeds of a target, in the order of their names.
std::vector<std::string> seeds_of(std::string_view target) {
  std::vector<std::filesystem::path> paths;
  const auto folder = root() + "/tests/fuzz/corpus/" + std::string(target);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry);
  std::ranges::sort(paths);
  std::vector<std::string> seeds;
  for (const auto& path : paths) seeds.push_back(read_file(path));
  return seeds;
}

/// Overwrites, removes, repeats or takes from another seed a few bytes.
std::string changed(std::string bytes, const std::string& other, std::mt19937_64& random) {
  for (std::uint64_t k = 1 + random() % 4; k > 0 && !bytes.empty(); --k) {
    const std::size_t at = random() % bytes.size(), length = random() % 9;
    switch (random() % 4) {
      case 0:
        bytes[at] = static_cast<char>(random() % 256);
        break;
      case 1:
        bytes.erase(at, length);
        break;
      case 2:
        bytes.insert(at, bytes.substr(at, length));
        break;
      default:
        if (!other.empty()) bytes.insert(at, other.substr(random() % other.size(), 4 * length));
    }
  }
  return bytes;
}

TEST_P(FuzzCorpus, HoldsOnSeedsAndTheirChanges) {
  const std::vector<std::string> seeds = seeds_of(GetParam().name);
  ASSERT_FALSE(seeds.empty());
  std::mt19937_64 random(1);
  for (const std::string& seed : seeds) GetParam().check(seed);
  for (int n = 0; n < 2000; ++n) {
    const std::string& seed = seeds[random() % seeds.size()];
    GetParam().check(changed(seed, seeds[random() % seeds.size()], random));
  }
}

// A seed in an older format is refused at once and leads the fuzzer nowhere. After a change of the
// format, `ALLOT_WRITE_SEEDS=1 fuzz_tests` writes the snapshots of the ledgers' seeds again.
TEST(FuzzSeeds, SnapshotsOfLedgersCanBeLoaded) {
  const std::string corpus = root() + "/tests/fuzz/corpus/";
  for (const char* name : {"binary", "calibrated", "classes", "features", "stop"}) {
    const std::string seed = corpus + "snapshot/" + name;
    if (std::getenv("ALLOT_WRITE_SEEDS") != nullptr)
      std::ofstream(seed, std::ios::binary) << snapshot_bytes(read_file(corpus + "ledger/" + name));
    EXPECT_TRUE(can_be_loaded(read_file(seed))) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzCorpus,
                         testing::ValuesIn(fuzz_targets().begin(), fuzz_targets().end()),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace allot::test::corpus_test
