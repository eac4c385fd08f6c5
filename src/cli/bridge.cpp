// `allot bridge`: joins a campaign to other labelling tools.
#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "base/errors.hpp"
#include "bridge/bridge_lock.hpp"
#include "bridge/label_studio.hpp"
#include "bridge/webhook_receiver.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/commands.hpp"
#include "cli/formats.hpp"
#include "cli/options.hpp"
#include "cli/secret_option.hpp"
#include "cli/stop_signals.hpp"
#include "http/server.hpp"

namespace allot::cli {
namespace {

using bridge::LabelStudioReport;
using bridge::SendPredictions;

constexpr const char* kTokenVariable = "LABEL_STUDIO_API_KEY";

struct LabelStudioFlags : CampaignFlags {
  std::string url, project;
  std::optional<std::string> token_file, control, listen, webhook_url, roots;
  std::string window = "10", poll = "15", sweep = "600", item_field = "allot_item";
  std::string predictions = "end", holder = "label-studio";
};

/// A line with the time of the day.
void say_line(const std::string& text) {
  const auto now =
      std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
  say(fmt::format("{} {}\n", time_text(std::chrono::floor<std::chrono::seconds>(now)), text));
}

Result<bridge::LabelStudioOptions> read_bridge(const LabelStudioFlags& flags) {
  bridge::LabelStudioOptions options;
  options.window = TRY(read_whole<std::uint32_t>("--window", flags.window, 1, 1000));
  constexpr double kMost = 86'400;
  const auto seconds = [&](const char* name,
                           const std::string& text) -> Result<std::chrono::milliseconds> {
    const double value = TRY(read_number(name, text, 0.05, kMost, "seconds, from 0.05 to 86400"));
    return std::chrono::milliseconds(static_cast<std::int64_t>(value * 1000));
  };
  options.poll = TRY(seconds("--poll", flags.poll));
  options.sweep = TRY(seconds("--sweep", flags.sweep));
  options.predictions = TRY(read_choice<SendPredictions>("--predictions", flags.predictions,
                                                         {{"end", SendPredictions::at_end},
                                                          {"always", SendPredictions::always},
                                                          {"never", SendPredictions::never}}));
  options.item_field = flags.item_field;
  options.control = flags.control;
  options.holder = flags.holder;
  options.say = say_line;
  if (options.item_field.empty()) return invalid("--item-field '' is empty; expected a name");
  if (options.holder.empty()) return invalid("--holder '' is empty; expected a name");
  if (flags.webhook_url && !flags.listen) {
    return invalid("--webhook-url {} needs a server here; expected --listen too",
                   in_quotes(*flags.webhook_url));
  }
  return options;
}

std::string summary(const LabelStudioReport& report) {
  std::string text =
      fmt::format("{}, {} revised\n",
                  count_text(report.labels, "label recorded", "labels recorded"), report.revised);
  const auto add = [&](std::uint64_t count, const std::string& line) {
    if (count > 0) text += line + "\n";
  };
  add(report.extra + report.refused,
      fmt::format(
          "{} more than the window wanted: {} recorded, {} refused for the budget or the item",
          count_text(report.extra + report.refused, "label"), report.extra, report.refused));
  add(report.unreadable, fmt::format("{} left out: not exactly one class",
                                     count_text(report.unreadable, "annotation")));
  add(report.deleted_annotations,
      fmt::format("{} deleted in Label Studio: the labels stay",
                  count_text(report.deleted_annotations, "annotation")));
  add(report.deleted_tasks, fmt::format("{} deleted in Label Studio: the items are settled",
                                        count_text(report.deleted_tasks, "task")));
  add(report.predictions, fmt::format("{} sent back", count_text(report.predictions, "answer")));
  add(report.failures, fmt::format("{} failed at the server and were made again",
                                   count_text(report.failures, "round")));
  return text + (report.reason.empty() ? "stopped; the same command goes on\n"
                                       : fmt::format("finished: {}\n", report.reason));
}

Result<Output> run_label_studio(const LabelStudioFlags& flags) {
  const auto options = TRY(read_bridge(flags));
  const auto project = TRY(read_whole("--project", flags.project, 1, UINT64_MAX));
  const std::string token = TRY(read_secret("--token-file", flags.token_file, kTokenVariable));
  bridge::LabelStudioBridge* running = nullptr;
  std::mutex mutex;
  StopSignals signals([&] {
    const std::scoped_lock held(mutex);
    if (running) running->wake();
  });
  const auto open = TRY(open_campaign(flags, store::OpenMode::write));
  std::optional<bridge::BridgeLock> lock;
  if (!store::is_database(flags.file))
    lock.emplace(TRY(bridge::BridgeLock::take(flags.file, open.campaign->name())));
  const auto web = TRY(in_option(
      "--url", bridge::WebApi::open({.base = flags.url, .roots = flags.roots.value_or("")},
                                    signals.flag())));
  bridge::LabelStudioApi api(*web, token, project);
  bridge::LabelStudioBridge joined(*open.campaign, api, options, signals.flag());
  bridge::WebhookReceiver receiver([&](std::uint64_t task) { joined.look_at(task); });
  std::unique_ptr<http::Server> server;
  if (flags.listen) {
    http::ServerOptions listen;
    listen.listen = {*flags.listen};
    server = TRY(in_option("--listen", http::Server::start(listen, receiver)));
    for (const std::string& address : server->addresses())
      say_line(fmt::format("webhooks are taken at http://{}", address));
  }
  TRY(joined.start());
  if (flags.webhook_url) TRY(api.add_webhook(*flags.webhook_url));
  {
    const std::scoped_lock held(mutex);
    running = &joined;
  }
  const auto report = joined.run();
  {
    const std::scoped_lock held(mutex);
    running = nullptr;
  }
  if (server) server->stop();
  return report.map([](const LabelStudioReport& done) { return Output{summary(done)}; });
}

void add_label_studio(Command& command, LabelStudioFlags& flags) {
  command.require("--url", &flags.url, "URL", "Label Studio, such as `https://labels.example.org`");
  command.require("--project", &flags.project, "N", "Number of the project");
  command.add("--token-file", &flags.token_file, "FILE", "File with the access token",
              fmt::format("the variable `{}`", kTokenVariable));
  command.add("--window", &flags.window, "N",
              "Tasks that are open at a time; twice the number of people keeps all busy");
  command.add("--poll", &flags.poll, "SECONDS", "Time between two looks at the open tasks");
  command.add("--sweep", &flags.sweep, "SECONDS", "Time between two looks at all tasks");
  command.add("--listen", &flags.listen, "ADDRESS", "Address to take webhooks at",
              "none: polling alone");
  command.add("--webhook-url", &flags.webhook_url, "URL",
              "Register a webhook with this URL, which must lead to `--listen`");
  command.add("--control", &flags.control, "NAME", "Choices of the labelling interface",
              "the only ones");
  command.add("--item-field", &flags.item_field, "NAME",
              "Field of a task's data with the item; tasks without it have their number as item");
  command.add("--predictions", &flags.predictions, "WHEN",
              "Send answers back as predictions: at the `end`, `always` (each sweep) or `never`");
  command.add("--holder", &flags.holder, "NAME",
              "Worker in whose name the items of open tasks are leased");
  command.add("--roots", &flags.roots, "FILE", "Certificates to trust, as PEM",
              "those of the system");
}

}  // namespace

Command bridge_command() {
  Command command{
      "bridge",
      "Let people of another labelling tool label a campaign",
      {},
      {},
      {"allot bridge label-studio reviews.db --url https://labels.example.org --project 7"}};
  command.commands.push_back(campaign_command<LabelStudioFlags>(
      "label-studio", "Keep the best items open in a project of Label Studio, and take its labels",
      Access::read, run_label_studio, add_label_studio,
      {"allot bridge label-studio reviews.db --url https://labels.example.org --project 7 --window "
       "6"},
      {"Runs until nothing is left to ask, SIGINT or SIGTERM; then no task is open. The same "
       "command goes on where it was. docs/guide/label-studio.md explains it."}));
  return command;
}

}  // namespace allot::cli
