// The aggregators against plain implementations of the same formulas: dense arrays of long double,
// products instead of sums of logarithms, matrices instead of messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "allot/aggregate/em.hpp"
#include "allot/aggregate/kos.hpp"
#include "allot/aggregate/majority.hpp"
#include "support/label_sets.hpp"

namespace allot::aggregate::aggregate_oracle_test {
namespace {

using model::LabelSet;
using Number = long double;
using Matrix = std::vector<std::vector<Number>>;

constexpr std::uint32_t kIterations = 40;
constexpr Number kSmoothing = 0.01L;

struct PlainResult {
  Matrix classes;                 // item, class
  std::vector<Matrix> confusion;  // worker, true class, given class
  std::vector<Number> prior;
  Number log_likelihood = 0;
};

/// given[i][j][l] = 1 if worker j gave item i the label l.
std::vector<Matrix> dense(const LabelSet& set) {
  std::vector<Matrix> given(set.item_count,
                            Matrix(set.worker_count, std::vector<Number>(set.class_count)));
  for (const auto& [item, worker, label] : set.labels)
    given[position(item)][position(worker)][position(label)] = 1;
  return given;
}

std::vector<Number> scaled(std::vector<Number> row) {
  Number sum = 0;
  for (const Number x : row) sum += x;
  for (Number& x : row) x /= sum;
  return row;
}

Matrix first_classes(const LabelSet& set, const std::vector<Matrix>& given) {
  Matrix classes(set.item_count, std::vector<Number>(set.class_count));
  for (std::size_t i = 0; i < given.size(); ++i) {
    for (const auto& row : given[i])
      for (std::size_t l = 0; l < row.size(); ++l) classes[i][l] += row[l];
    classes[i] = scaled(classes[i]);
  }
  return classes;
}

/// Full tables from the classes.
Matrix full_table(const LabelSet& set, const std::vector<Matrix>& given, const Matrix& classes,
                  std::size_t j) {
  Matrix table(set.class_count, std::vector<Number>(set.class_count, kSmoothing));
  for (std::size_t i = 0; i < given.size(); ++i)
    for (std::size_t k = 0; k < set.class_count; ++k)
      for (std::size_t l = 0; l < set.class_count; ++l)
        table[k][l] += classes[i][k] * given[i][j][l];
  for (auto& row : table) row = scaled(row);
  return table;
}

/// The table of one coin, written out.
Matrix coin_table(const LabelSet& set, const std::vector<Matrix>& given, const Matrix& classes,
                  std::size_t j) {
  Number right = kSmoothing, wrong = kSmoothing;
  for (std::size_t i = 0; i < given.size(); ++i)
    for (std::size_t k = 0; k < set.class_count; ++k)
      for (std::size_t l = 0; l < set.class_count; ++l)
        (k == l ? right : wrong) += classes[i][k] * given[i][j][l];
  const Number q = right / (right + wrong);
  Matrix table(set.class_count,
               std::vector<Number>(set.class_count, (1 - q) / Number(set.class_count - 1)));
  for (std::size_t k = 0; k < set.class_count; ++k) table[k][k] = q;
  return table;
}

template <typename MakeTable>
PlainResult plain_em(const LabelSet& set, MakeTable make_table) {
  const auto given = dense(set);
  PlainResult result{first_classes(set, given), {}, {}};
  for (std::uint32_t iteration = 0; iteration < kIterations; ++iteration) {
    result.confusion.clear();
    for (std::size_t j = 0; j < set.worker_count; ++j)
      result.confusion.push_back(make_table(set, given, result.classes, j));
    result.prior.assign(set.class_count, 0);
    for (const auto& row : result.classes)
      for (std::size_t k = 0; k < row.size(); ++k) result.prior[k] += row[k];
    result.prior = scaled(result.prior);
    result.log_likelihood = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
      std::vector<Number> joint = result.prior;
      Number sum = 0;
      for (std::size_t k = 0; k < joint.size(); ++k) {
        for (std::size_t j = 0; j < set.worker_count; ++j)
          for (std::size_t l = 0; l < set.class_count; ++l)
            joint[k] *= std::pow(result.confusion[j][k][l], given[i][j][l]);
        sum += joint[k];
      }
      result.log_likelihood += std::log(sum);
      result.classes[i] = scaled(joint);
    }
  }
  return result;
}

/// Hand-made and random sets in which every item has a label.
std::vector<LabelSet> cases() {
  std::vector<LabelSet> sets{
      test::label_set({{0, 0, 0}, {0, 1, 0}, {0, 2, 1}, {1, 0, 1}, {1, 1, 1}, {2, 2, 0}}),
      test::label_set(
          {{0, 0, 0}, {1, 0, 1}, {2, 0, 2}, {0, 1, 0}, {1, 1, 1}, {2, 1, 1}, {0, 2, 2}}),
      test::label_set({{0, 0, 0}, {0, 1, 1}}),
  };
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto items = static_cast<std::uint32_t>(5 + seed % 20);
    LabelSet set = test::random_crowd(seed, items, 12, static_cast<std::uint32_t>(2 + seed % 4));
    for (std::uint32_t i = 0; i < items; ++i)  // one more worker, who labels everything
      set.labels.push_back({ItemId{i}, WorkerId{12}, ClassId{i % set.class_count}});
    set.worker_count = 13;
    sets.push_back(set);
  }
  return sets;
}

constexpr EmOptions kOptions{.most_iterations = kIterations, .tolerance = 0, .smoothing = 0.01};

void expect_equal(const Aggregation& found, const PlainResult& plain) {
  for (std::uint32_t i = 0; i < plain.classes.size(); ++i)
    for (std::uint32_t k = 0; k < plain.prior.size(); ++k)
      EXPECT_NEAR(found.answers.of(ItemId{i})[k], static_cast<double>(plain.classes[i][k]), 1e-6);
  EXPECT_NEAR(found.fit->log_likelihood.value(), static_cast<double>(plain.log_likelihood), 1e-6);
}

TEST(AggregateOracle, DawidSkeneMatchesThePlainFormulas) {
  for (const LabelSet& set : cases()) {
    const PlainResult plain = plain_em(set, full_table);
    const Aggregation found = dawid_skene(set, kOptions).value();
    expect_equal(found, plain);
    for (std::uint32_t j = 0; j < set.worker_count; ++j) {
      Number reliability = 0;
      for (std::uint32_t k = 0; k < set.class_count; ++k) {
        reliability += plain.prior[k] * plain.confusion[j][k][k];
        for (std::uint32_t l = 0; l < set.class_count; ++l)
          EXPECT_NEAR(found.workers.given(WorkerId{j}, ClassId{k}, ClassId{l}, set.class_count),
                      static_cast<double>(plain.confusion[j][k][l]), 1e-6);
      }
      if (!std::isnan(found.workers.reliability[j])) {
        EXPECT_NEAR(found.workers.reliability[j], static_cast<double>(reliability), 1e-6);
      }
    }
  }
}

TEST(AggregateOracle, OneCoinMatchesThePlainFormulas) {
  for (const LabelSet& set : cases()) {
    const PlainResult plain = plain_em(set, coin_table);
    const Aggregation found = one_coin(set, kOptions).value();
    expect_equal(found, plain);
    for (std::uint32_t j = 0; j < set.worker_count; ++j) {
      if (std::isnan(found.workers.reliability[j])) continue;
      EXPECT_NEAR(found.workers.reliability[j], static_cast<double>(plain.confusion[j][0][0]),
                  1e-6);
    }
  }
}

TEST(AggregateOracle, MajorityCountsLabels) {
  for (const LabelSet& set : cases()) {
    const Matrix shares = first_classes(set, dense(set));
    const Aggregation found = majority(set).value();
    for (std::uint32_t i = 0; i < set.item_count; ++i)
      for (std::uint32_t k = 0; k < set.class_count; ++k)
        EXPECT_NEAR(found.answers.of(ItemId{i})[k], static_cast<double>(shares[i][k]), 1e-15);
  }
}

/// Sums of A y with matrices of items and workers, never scaled: long double has the room.
std::vector<Number> plain_kos(const LabelSet& set, const KosOptions& options) {
  Matrix a(set.item_count, std::vector<Number>(set.worker_count)), y = a;
  Rng rng(options.seed);
  for (const auto& [item, worker, label] : set.labels) {
    a[position(item)][position(worker)] = position(label) == 1 ? 1 : -1;
    y[position(item)][position(worker)] = 1 + normal(rng);
  }
  for (std::uint32_t round = 0; round < options.rounds; ++round) {
    Matrix x = y;
    for (std::size_t i = 0; i < set.item_count; ++i)
      for (std::size_t j = 0; j < set.worker_count; ++j) {
        x[i][j] = 0;
        for (std::size_t other = 0; other < set.worker_count; ++other)
          if (other != j) x[i][j] += a[i][other] * y[i][other];
      }
    for (std::size_t i = 0; i < set.item_count; ++i)
      for (std::size_t j = 0; j < set.worker_count; ++j) {
        y[i][j] = 0;
        for (std::size_t other = 0; other < set.item_count; ++other)
          if (other != i) y[i][j] += a[other][j] * x[other][j];
      }
  }
  std::vector<Number> sums(set.item_count);
  for (std::size_t i = 0; i < set.item_count; ++i)
    for (std::size_t j = 0; j < set.worker_count; ++j) sums[i] += a[i][j] * y[i][j];
  Number agreeing = 0;
  for (std::size_t i = 0; i < set.item_count; ++i)
    for (std::size_t j = 0; j < set.worker_count; ++j) agreeing += a[i][j] * (sums[i] > 0 ? 1 : -1);
  if (agreeing < 0)
    for (Number& sum : sums) sum = -sum;
  if (agreeing == 0) std::ranges::fill(sums, 0);  // left to the majority
  return sums;
}

TEST(AggregateOracle, KosTakesTheSignOfThePlainSums) {
  int decided = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const LabelSet set = test::random_crowd(seed, 20, 10, 2);
    const KosOptions options{.rounds = static_cast<std::uint32_t>(1 + seed % 12), .seed = seed};
    const auto sums = plain_kos(set, options);
    const Aggregation found = kos(set, options).value();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (sums[i] == 0) continue;  // an item without labels
      EXPECT_EQ(found.answers.answers[i], ClassId{sums[i] > 0 ? 1U : 0U}) << seed << " " << i;
      ++decided;
    }
  }
  EXPECT_GT(decided, 700);
}

}  // namespace
}  // namespace allot::aggregate::aggregate_oracle_test
