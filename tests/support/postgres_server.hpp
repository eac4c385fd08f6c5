// A PostgreSQL server for tests, from Debian's package: one per test program, a database per test.
#pragma once

#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "store/postgres_connection.hpp"
#include "support/folder.hpp"

namespace allot::test {

/// Listens on a Unix socket in a temporary folder only. Runs as `nobody` where the tests run as
/// root, since PostgreSQL refuses to. Ends with the test program, however that ends.
class PostgresServer {
 public:
  /// The server of this program, started by the first call; null where PostgreSQL is not installed.
  static PostgresServer* get() {
    if (!is_installed()) return nullptr;
    static PostgresServer server(false);
    return &server;
  }
  static bool is_installed() { return !find_programs().empty(); }
  /// With `durable`, a commit is on disk before it is acknowledged.
  explicit PostgresServer(bool durable) : fsync_(durable ? "fsync=on" : "fsync=off") {
    give_folder();
    finish(spawn({programs_ + "/initdb", "-D", folder_ / "data", "-U", "allot", "-A", "trust", "-E",
                  "UTF8", "--locale=C", "--no-sync"}));
    // The user `locked` needs a password.
    std::ofstream(folder_ / "data/pg_hba.conf")
        << "local all locked scram-sha-256\nlocal all,replication all trust\n";
    start();
    run("CREATE ROLE locked LOGIN PASSWORD 'right'");
  }
  /// A standby, which calls itself `name`.
  PostgresServer(const PostgresServer& primary, const std::string& name) : fsync_(primary.fsync_) {
    give_folder();
    follow(primary, name);
  }
  ~PostgresServer() { stop(); }

  /// Becomes a standby of the other server, with none of its own data.
  void follow(const PostgresServer& primary, const std::string& name) {
    std::filesystem::remove_all(folder_ / "data");
    finish(spawn({programs_ + "/pg_basebackup", "-d",
                  "host=" + primary.folder_.path() + " user=allot application_name=" + name, "-D",
                  folder_ / "data", "-R", "-X", "stream", "-c", "fast", "--no-sync"}));
    start();
  }
  /// Makes a standby the primary.
  void promote() const { run("SELECT pg_promote(true, 60)"); }
  PostgresServer(const PostgresServer&) = delete;

  /// Location of a database; `user` has all rights.
  std::string location(const std::string& database, const std::string& user = "allot") const {
    return "postgresql://" + user + "@/" + database + "?host=" + folder_.path();
  }
  /// Location of a new, empty database.
  std::string new_database() {
    const std::string name = "test" + std::to_string(++databases_);
    run("CREATE DATABASE " + name);
    return location(name);
  }

  /// Runs a statement on a connection of its own; the first value of its result as text.
  std::string run(const std::string& sql) const { return run(location("postgres"), sql); }
  static std::string run(const std::string& location, const std::string& sql) {
    auto connection = store::PostgresConnection::open(location, store::OpenMode::read);
    if (!connection) throw std::runtime_error(connection.error().message);
    const auto rows =
        (*connection)
            ->script(std::chrono::steady_clock::now() + std::chrono::seconds(90), sql.c_str());
    if (!rows) throw std::runtime_error(rows.error().message);
    return rows->size() > 0 ? rows->text(0, 0) : "";
  }
  /// Waits until the statement has this result; false if it never has.
  bool wait_until(const std::string& sql, const std::string& result) const {
    for (int n = 0; n < 1000; ++n) {
      if (run(sql) == result) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  /// Commits wait for a standby with that name; with no name they do not wait.
  void require_standby(const std::string& name) const {
    run("ALTER SYSTEM SET synchronous_standby_names = '" + name + "'");
    run("SELECT pg_reload_conf()");
    wait_until("SHOW synchronous_standby_names", name);
  }

  /// The process that starts all others of the server.
  pid_t pid() const { return pid_; }
  /// The folder of its socket.
  std::string host() const { return folder_.path(); }

  /// With SIGQUIT it ends as after a crash.
  void stop(int signal = SIGINT) {
    if (pid_ <= 0) return;
    kill(pid_, signal);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  /// Call it from the thread that runs the tests: the server ends with the thread that started it.
  void start() {
    pid_ = spawn({programs_ + "/postgres", "-D", folder_ / "data", "-k", folder_.path(), "-c",
                  "listen_addresses=", "-c", fsync_, "-c", "shared_buffers=16MB", "-c",
                  "max_connections=50", "-c", "autovacuum=off"});
    for (int n = 0; n < 1000; ++n) {
      if (store::PostgresConnection::open(location("postgres"), store::OpenMode::read)) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    throw std::runtime_error("PostgreSQL did not start: " + read_file(folder_ / "log"));
  }

 private:
  static std::string find_programs() {
    std::error_code missing;
    for (const auto& version :
         std::filesystem::directory_iterator("/usr/lib/postgresql", missing)) {
      const auto programs = version.path() / "bin";
      if (std::filesystem::exists(programs / "initdb")) return programs;
    }
    return "";
  }

  /// PostgreSQL does not run as root.
  void give_folder() {
    if (geteuid() != 0) return;
    user_ = getpwnam("nobody");
    if (chown(folder_.path().c_str(), user_->pw_uid, user_->pw_gid) != 0) std::abort();
  }
  void finish(pid_t pid) const {
    int status = 0;
    waitpid(pid, &status, 0);
    if (status != 0) throw std::runtime_error("PostgreSQL: " + read_file(folder_ / "log"));
  }

  /// Starts a program that dies with this one, as an unprivileged user.
  pid_t spawn(const std::vector<std::string>& words) const {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    const int log = open((folder_ / "log").c_str(), O_CREAT | O_WRONLY | O_APPEND, 0644);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    // Other open files, such as a pipe of ctest, are not for the server.
    for (int file = 3; file < 256; ++file) close(file);
    if (user_ && (setgid(user_->pw_gid) != 0 || setuid(user_->pw_uid) != 0)) _exit(126);
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
    if (chdir("/") != 0) _exit(126);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(arguments.front(), arguments.data());
    _exit(127);
  }

  const Folder folder_;
  const std::string programs_ = find_programs();
  const std::string fsync_;
  const passwd* user_ = nullptr;
  pid_t pid_ = 0;
  int databases_ = 0;
};

}  // namespace allot::test
