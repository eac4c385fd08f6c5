// The program: runs the command that was given, and turns every kind of trouble into a line on
// standard error and an exit status.
//   0  done
//   1  the machine failed (no memory, output could not be written)
//   2  the request makes no sense
//   3, 4  there is nothing to hand out (cli/campaign_work.cpp)
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <new>
#include <stdexcept>

#include "allot/base/text.hpp"
#include "allot/io/text_file.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/progress_bar.hpp"
#include "cli/version.hpp"

namespace allot::cli {
namespace {

constexpr int kDone = 0, kBroken = 1, kRefused = 2;

/// Writes a line to standard error, if that can be written.
void complain(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

/// Complains on one line, even if values in the message contain line breaks.
void complain(std::string_view where, const std::string& message) {
  complain(fmt::format("{}: {}", where, for_display(message, message.size())));
}

int refuse(std::string_view where, const Error& error) {
  complain(where, error.message);
  const bool broken = error.code == ErrorCode::write_failure ||
                      error.code == ErrorCode::store_failure ||
                      error.code == ErrorCode::outcome_unknown || error.code == ErrorCode::internal;
  return broken ? kBroken : kRefused;
}

int print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return kDone;
  std::perror("allot: the result could not be written");
  return kBroken;
}

/// Prints before it writes files, so that the result is there even if a file cannot be written.
int deliver(std::string_view where, const Output& output) {
  for (const std::string& note : output.notes) complain(where, note);
  int status = print(output.text);
  if (status == kDone) status = output.status;
  for (const File& file : output.files) {
    if (const auto written = io::write_text_file(file.path, file.text); !written)
      status = refuse(where, written.error());
  }
  return status;
}

int act(const CommandCall& call) {
  const auto output = call.command->run();
  return output ? deliver(call.words, *output) : refuse(call.words, output.error());
}
int act(const HelpRequest& request) { return print(help_text(*request.command, request.words)); }
int act(const VersionRequest&) { return print(std::string("allot ") + version() + "\n"); }
int act(const UsageError& error) {
  complain(error.words, error.message);
  return kRefused;
}

int run(int count, char** words) {
  Command program{"allot", "Decide which label to buy next, and turn labels into answers"};
  program.commands = {aggregate_command(), audit_command(),   simulate_command(),
                      replay_command(),    plan_command(),    exact_command(),
                      policies_command(),  formats_command(), reproduce_command(),
                      campaign_command(),  work_command(),    bridge_command(),
                      serve_command(),     backup_command(),  restore_command(),
                      check_command(),     demo_command()};
  program.commands.push_back(completions_command(program));
  program.commands.push_back(help_command(program));
  program.notes = {
      "`allot help COMMAND` explains a command, `allot --version` prints the version."};
  return std::visit([](const auto& request) { return act(request); },
                    parse_command_line(program, count, words));
}

}  // namespace
}  // namespace allot::cli

int main(int count, char** words) {
  // A file that may not grow then fails to be written, with a message, instead of a signal.
  std::signal(SIGXFSZ, SIG_IGN);
  allot::cli::show_progress_bars();
  try {
    return allot::cli::run(count, words);
  } catch (const std::invalid_argument& mistake) {
    allot::cli::complain(std::string("allot: ") + mistake.what());
    return allot::cli::kRefused;
  } catch (const std::bad_alloc&) {
    allot::cli::complain("allot: not enough memory for so many items or runs");
  } catch (const std::exception& trouble) {
    allot::cli::complain(std::string("allot: ") + trouble.what());
  }
  return allot::cli::kBroken;
}
