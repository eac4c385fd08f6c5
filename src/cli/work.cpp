// `allot work`: language models label the items of a campaign.
#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"
#include "bridge/chat_worker.hpp"
#include "bridge/model_family.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/commands.hpp"
#include "cli/formats.hpp"
#include "cli/options.hpp"
#include "cli/secret_option.hpp"
#include "cli/stop_signals.hpp"

namespace allot::cli {
namespace {

constexpr const char* kKeyVariable = "OPENAI_API_KEY";

struct WorkFlags : CampaignFlags {
  std::string endpoint, prompt;
  std::vector<std::string> models, prices, families, follows;
  std::optional<std::string> key_file, cost_cap, roots, temperature, most_tokens;
  bool no_key = false, log_probabilities = false, one_version = false;
  std::string asks = "1", at_once = "8", timeout = "120", tries = "6";
  std::string seed = "1";
};

void say_work(const std::string& text) {
  const auto now =
      std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
  say(fmt::format("{} {}\n", time_text(std::chrono::floor<std::chrono::seconds>(now)), text));
}

/// Refuses values of an option for workers that are none of the models.
template <typename Value>
Result<void> check_models(std::string_view option,
                          const std::vector<std::pair<std::string, Value>>& values,
                          const std::vector<std::string>& models) {
  for (const auto& [model, value] : values) {
    if (std::ranges::find(models, model) != models.end()) continue;
    return invalid("{} names {}, which is no --model; expected one of {}", option, in_quotes(model),
                   some_in_quotes(models, 8));
  }
  return {};
}

/// Prices of the models: one for all, or MODEL=PRICE.
Result<std::vector<WorkerPrice>> read_model_prices(const WorkFlags& flags,
                                                   const std::vector<std::string>& models) {
  std::vector<WorkerPrice> prices;
  const std::vector<std::string> texts = read_names(flags.prices);
  if (texts.size() == 1 && texts.front().find('=') == std::string::npos) {
    const Money price = TRY(in_option("--price", parse_money(texts.front())));
    for (const std::string& model : models) prices.emplace_back(model, price);
    return prices;
  }
  prices = TRY(read_worker_prices("--price", flags.prices));
  TRY(check_models("--price", prices, models));
  return prices;
}

/// Groups of the models: one for all, or MODEL=GROUP. Without an option, models that are new in the
/// campaign get their families, unless the campaign cannot know groups.
Result<std::vector<WorkerGroup>> read_families(const WorkFlags& flags, const OpenCampaign& open,
                                               const std::vector<std::string>& models) {
  std::vector<WorkerGroup> groups;
  if (flags.families.empty()) {
    TRY(open.read(
        [&](const campaign::State& state) { groups = bridge::families_of_new(state, models); }));
    return groups;
  }
  const std::vector<std::string> texts = read_names(flags.families);
  if (texts.size() == 1 && texts.front().find('=') == std::string::npos) {
    for (const std::string& model : models) groups.emplace_back(model, texts.front());
    return groups;
  }
  groups = TRY(read_worker_groups("--family", flags.families));
  TRY(check_models("--family", groups, models));
  return groups;
}

/// Lets new models follow earlier ones, as NEW=OLD: the last version of OLD that labelled.
Result<void> follow_models(const WorkFlags& flags, const OpenCampaign& open,
                           const std::vector<std::string>& models) {
  const auto pairs = TRY(read_followers("--follows", flags.follows));
  TRY(check_models("--follows", pairs, models));
  for (const auto& [model, before] : pairs) {
    campaign::VersionDraft draft{.worker = model, .follows = before};
    const bool is_done = TRY(open.read([&](const campaign::State& state) {
      const auto worker = state.find_worker(model), old = state.find_worker(before);
      const auto versions = bridge::version_workers(state, before);
      if (!versions.empty()) draft.follows = versions.back();
      return worker && old && state.comes_after(*worker, *old);
    }));
    if (!is_done) TRY(open->set_version(draft, open.now));
  }
  return {};
}

Result<bridge::ChatOptions> read_chat(const WorkFlags& flags) {
  bridge::ChatOptions options;
  options.models = read_names(flags.models);
  const auto text = TRY(in_option("--prompt", io::read_text_file(flags.prompt)));
  options.prompt = TRY(in_file(flags.prompt, bridge::PromptTemplate::parse(text)));
  options.at_once = TRY(read_whole<std::uint32_t>("--at-once", flags.at_once, 1, 256));
  if (flags.temperature) {
    options.temperature =
        TRY(read_number("--temperature", *flags.temperature, 0, 2, "a number from 0 to 2"));
  }
  if (flags.most_tokens) {
    options.most_tokens =
        TRY(read_whole<std::uint32_t>("--max-tokens", *flags.most_tokens, 1, 100'000));
  }
  options.asks = TRY(read_whole<std::uint32_t>("--asks", flags.asks, 1, 100));
  options.log_probabilities = flags.log_probabilities;
  options.one_version = flags.one_version;
  if (options.log_probabilities && options.asks > 1)
    return invalid("--logprobs cannot be combined with --asks {}; expected one of them",
                   options.asks);
  options.seed = TRY(read_whole("--seed", flags.seed, 0, UINT64_MAX));
  if (flags.cost_cap) options.cost_cap = TRY(in_option("--cost-cap", parse_money(*flags.cost_cap)));
  if (!flags.no_key) options.key = TRY(read_secret("--key-file", flags.key_file, kKeyVariable));
  options.say = say_work;
  return options;
}

std::string work_summary(const bridge::ChatReport& report) {
  Table table({"model", "labels", "abstained", "skipped", "given back", "cost"});
  for (const auto& [model, one] : report.models) {
    table.add({model, fmt::format("{}", one.labels), fmt::format("{}", one.abstained),
               fmt::format("{}", one.skipped), fmt::format("{}", one.failed),
               money_text(one.cost)});
  }
  return table.text() + (report.reason.empty() ? "\nstopped; the same command goes on\n"
                                               : fmt::format("\nfinished: {}\n", report.reason));
}

Result<Output> run_work(const WorkFlags& flags) {
  const auto options = TRY(read_chat(flags));
  const auto prices = TRY(read_model_prices(flags, options.models));
  const double timeout =
      TRY(read_number("--timeout", flags.timeout, 0.1, 3600, "seconds, from 0.1 to 3600"));
  const auto tries = TRY(read_whole<int>("--tries", flags.tries, 1, 100));
  std::string base = flags.endpoint;
  if (base.ends_with(options.path)) base.resize(base.size() - options.path.size());
  StopSignals signals;
  const auto open = TRY(open_campaign(flags, store::OpenMode::write));
  const auto web = TRY(
      in_option("--endpoint", bridge::WebApi::open({.base = base,
                                                    .roots = flags.roots.value_or(""),
                                                    .answer_time = std::chrono::milliseconds(
                                                        static_cast<std::int64_t>(timeout * 1000)),
                                                    .largest_answer = bridge::kLargestReply,
                                                    .tries = tries,
                                                    .secret = options.key},
                                                   signals.flag())));
  TRY(TRY(open.read([&](const campaign::State& state) {
    return bridge::check_no_person(state, options.models);
  })));
  TRY(follow_models(flags, open, options.models));
  const auto families = TRY(read_families(flags, open, options.models));
  const auto of_versions = [&](const auto& values) {
    return open.read(
        [&](const campaign::State& state) { return bridge::for_versions(state, values); });
  };
  TRY(open->set_groups(TRY(of_versions(families)), open.now));
  TRY(open->set_prices(TRY(of_versions(prices)), open.now));
  bridge::ChatWorkers workers(*open.campaign, *web, options, signals.flag());
  return workers.run().map(
      [](const bridge::ChatReport& report) { return Output{work_summary(report)}; });
}

void add_work_options(Command& command, WorkFlags& flags) {
  command.require("--endpoint", &flags.endpoint, "URL",
                  "OpenAI-compatible API, such as `https://models.example.org/v1`");
  command.require("--model", &flags.models, "NAME,...",
                  "Models to ask; each is a worker of this name");
  command.require("--prompt", &flags.prompt, "FILE",
                  "Template with `{{classes}}` and fields of items such as `{{text}}`");
  command.add("--price", &flags.prices, "P|MODEL=P,...", "Price of a label, per model",
              "that of the campaign");
  command.add("--family", &flags.families, "NAME|MODEL=NAME,...",
              "Group of models that err together; `MODEL=` for none",
              "by name, for models that are new in the campaign");
  command.add("--follows", &flags.follows, "NEW=OLD,...",
              "Models that are new versions of earlier ones, and start from what is believed of "
              "these");
  command.add("--one-version", &flags.one_version,
              "Ignore the versions that replies name, instead of making each a worker");
  command.add("--key-file", &flags.key_file, "FILE", "File with the API key",
              fmt::format("the variable `{}`", kKeyVariable));
  command.add("--no-key", &flags.no_key, "Send no key, for endpoints that need none");
  command.add("--at-once", &flags.at_once, "N", "Requests at a time, all models together");
  command.add("--cost-cap", &flags.cost_cap, "MONEY", "Most that labels of this run may cost",
              "the budget of the campaign");
  command.add("--tries", &flags.tries, "N", "Times that a request is sent if the endpoint fails");
  command.add("--timeout", &flags.timeout, "SECONDS", "Time for one reply");
  command.add("--logprobs", &flags.log_probabilities,
              "Ask for log-probabilities; the probability of a reply is its confidence");
  command.add("--asks", &flags.asks, "K",
              "Requests per label; the share of replies that name the class is its confidence");
  command.add("--temperature", &flags.temperature, "X", "Temperature to ask for",
              "that of the endpoint");
  command.add("--max-tokens", &flags.most_tokens, "N", "Longest reply to ask for, in tokens",
              "that of the endpoint");
  command.add("--seed", &flags.seed, "N", "Seed of the order in which prompts list the classes");
  command.add("--roots", &flags.roots, "FILE", "Certificates to trust, as PEM",
              "those of the system");
}

}  // namespace

Command work_command() {
  auto command = campaign_command<WorkFlags>(
      "work", "Let language models label a campaign", Access::read, run_work, add_work_options,
      {"allot work reviews.db --endpoint https://models.example.org/v1 --model small,large "
       "--prompt prompt.txt --price small=0.001,large=0.01 --at-once 32"},
      {"Runs until nothing is left to ask, SIGINT or SIGTERM, and waits while the campaign is "
       "paused. The same command goes on where it was. docs/guide/language-models.md explains "
       "it."});
  return command;
}

}  // namespace allot::cli
