// Messages to a service manager, read from its socket.
#include "cli/service_manager.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <string>

#include "support/folder.hpp"
#include "support/notify_socket.hpp"

namespace allot::test::service_manager_test {
namespace {

/// Sets $NOTIFY_SOCKET while it lives.
class Named {
 public:
  explicit Named(const std::string& name) { ::setenv("NOTIFY_SOCKET", name.c_str(), 1); }
  ~Named() { ::unsetenv("NOTIFY_SOCKET"); }
  Named(const Named&) = delete;
};

void expect_messages(const NotifySocket& manager) {
  ASSERT_TRUE(manager.is_open());
  EXPECT_TRUE(cli::notify_ready());
  EXPECT_TRUE(cli::notify_stopping());
  EXPECT_EQ(manager.next(), "READY=1");
  EXPECT_EQ(manager.next(), "STOPPING=1");
  EXPECT_EQ(manager.next(0), "");
}

TEST(ServiceManager, GetsMessagesAtAPath) {
  const Folder folder;
  const NotifySocket manager(folder / "notify");
  const Named named(folder / "notify");
  expect_messages(manager);
}

TEST(ServiceManager, GetsMessagesAtAnAbstractName) {
  const std::string name = "@allot-test-" + std::to_string(::getpid());
  const NotifySocket manager(name);
  const Named named(name);
  expect_messages(manager);
}

TEST(ServiceManager, ReadsWhenAReloadBegan) {
  const Folder folder;
  const NotifySocket manager(folder / "notify");
  const Named named(folder / "notify");
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1000;
  };
  const std::int64_t before = now();
  ASSERT_TRUE(cli::notify_reloading());
  const std::string begin = "RELOADING=1\nMONOTONIC_USEC=", message = manager.next();
  ASSERT_TRUE(message.starts_with(begin)) << message;
  const std::int64_t began = std::stoll(message.substr(begin.size()));
  EXPECT_LE(before, began);
  EXPECT_LE(began, now());
}

TEST(ServiceManager, MayBeMissing) {
  ::unsetenv("NOTIFY_SOCKET");
  EXPECT_TRUE(cli::notify_ready());
  const Named named("");
  EXPECT_TRUE(cli::notify_ready());
}

TEST(ServiceManager, MustBeReachable) {
  const Folder folder;
  for (const std::string& name :
       {folder / "missing", std::string("vsock:2:1"), "/" + std::string(200, 'x')}) {
    const Named named(name);
    const auto told = cli::notify_ready();
    ASSERT_FALSE(told) << name;
    EXPECT_NE(told.error().message.find("$NOTIFY_SOCKET '"), std::string::npos);
    EXPECT_NE(told.error().message.find("; expected the socket of a service manager"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace allot::test::service_manager_test
