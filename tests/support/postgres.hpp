// Tests that need PostgreSQL.
#pragma once

#include <gtest/gtest.h>

#include "support/postgres_server.hpp"

namespace allot::test {

/// A test with an empty database; skipped where PostgreSQL is not installed.
class PostgresTest : public testing::Test {
 protected:
  void SetUp() override {
    server_ = PostgresServer::get();
    if (!server_) GTEST_SKIP() << "PostgreSQL is not installed (Debian package postgresql)";
    location_ = server_->new_database();
  }

  PostgresServer* server_ = nullptr;
  std::string location_;
};

}  // namespace allot::test
