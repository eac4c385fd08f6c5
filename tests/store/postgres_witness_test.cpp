// A database that has lost records, or is another one, is noticed.
#include "store/postgres_witness.hpp"

#include "allot/store/postgres_store.hpp"
#include "store/postgres_connection.hpp"
#include "support/postgres.hpp"

namespace allot::store::postgres_witness_test {
namespace {

using Verdict = PostgresWitness::Verdict;

TEST(PostgresWitness, RemembersTheClusterAndItsNewestTimeline) {
  PostgresWitness witness;
  EXPECT_EQ(witness.see({"7", 1}), Verdict::known);
  EXPECT_EQ(witness.see({"7", 3}), Verdict::known);
  EXPECT_EQ(witness.see({"7", 0}), Verdict::known) << "a standby";
  EXPECT_EQ(witness.see({"7", 2}), Verdict::old_primary);
  EXPECT_EQ(witness.see({"8", 4}), Verdict::other_cluster);
  EXPECT_EQ(witness.seen().timeline, 3);
  witness.acknowledge("a", 5);
  witness.acknowledge("a", 4);
  EXPECT_EQ(witness.acknowledged("a"), 5U);
  EXPECT_EQ(witness.acknowledged("b"), 0U);
}

TEST(PostgresWitness, HostsAreTriedOneByOne) {
  const auto hosts = hosts_of("postgresql://u@a:1,b:2/labels");
  ASSERT_EQ(hosts.size(), 2U);
  EXPECT_EQ(hosts[1].host + ":" + hosts[1].port, "b:2");
  const auto sockets = hosts_of("postgresql://u@/labels?host=/x,/y&port=7");
  ASSERT_EQ(sockets.size(), 2U);
  EXPECT_EQ(sockets[1].host + sockets[1].port, "/y7");
  EXPECT_EQ(hosts_of("postgresql://u@a/labels").front().host, "");
}

class PostgresLoss : public test::PostgresTest {};

TEST_F(PostgresLoss, AShorterLedgerIsRefused) {
  const auto witness = std::make_shared<PostgresWitness>();
  const PostgresOptions options{.mode = OpenMode::create, .witness = witness};
  const auto store = open_postgres(location_, options).value();
  const std::vector<Draft> drafts(3, Draft{5, 1, "", "x"});
  ASSERT_TRUE(store->append("a", 0, drafts));
  ASSERT_TRUE(store->append("b", 0, drafts));
  test::PostgresServer::run(location_,
                            "UPDATE allot.campaign SET last = 2 WHERE name = 'a';"
                            "DELETE FROM allot.record WHERE sequence = 3 AND campaign ="
                            " (SELECT id FROM allot.campaign WHERE name = 'a')");
  const auto read = store->read("a", 0, 10);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::store_failure);
  EXPECT_NE(read.error().message.find("ends at record 2, but record 3 was acknowledged"),
            std::string::npos)
      << read.error().message;
  EXPECT_FALSE(store->last("a"));
  EXPECT_FALSE(store->append("a", 2, drafts)) << "nothing is added to it";
  EXPECT_EQ(witness->losses(), 1U);
  EXPECT_EQ(store->read("b", 0, 10)->size(), 3U);
  EXPECT_EQ(open_postgres(location_).value()->last("a"), 2U) << "after a restart";
}

TEST_F(PostgresLoss, AnotherClusterUnderTheSameNameIsRefused) {
  test::PostgresServer other(false);
  const std::string name = location_.substr(location_.find("@/") + 2);
  const std::string database = name.substr(0, name.find('?'));
  other.run("CREATE DATABASE " + database);
  const std::string there = other.location(database);
  ASSERT_TRUE(open_postgres(there, {.mode = OpenMode::create}));
  const auto witness = std::make_shared<PostgresWitness>();
  PostgresOptions options{.mode = OpenMode::create, .witness = witness};
  ASSERT_TRUE(open_postgres(location_, options));
  const auto moved = open_postgres(there, options);
  ASSERT_FALSE(moved);
  EXPECT_NE(moved.error().message.find("another PostgreSQL cluster"), std::string::npos)
      << moved.error().message;
}

}  // namespace
}  // namespace allot::store::postgres_witness_test
