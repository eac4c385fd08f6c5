// Changes a running campaign: its options, and the standing of its workers.
#include "allot/base/text.hpp"
#include "allot/campaign/option_text.hpp"
#include "allot/io/stop_text.hpp"
#include "base/errors.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

using campaign::Standing;

struct ChangeFlags : CampaignFlags {
  campaign::ChangeTexts texts;
  std::vector<std::string> stop;
};

struct StandingFlags : CampaignFlags {
  std::vector<std::string> workers;
  std::string reason;
};

std::string limit_text(std::uint32_t most) {
  return most > 0 ? fmt::format("{}", most) : std::string("any number");
}

Result<Output> report_options(const OpenCampaign& open) {
  const auto options = TRY(open.options());
  const auto stop = io::stop_texts(options.stop);
  return Output{fmt::format(
      "campaign {} decides by {}: leases of {} s, labels per item: {}, per worker: {}, gold rate "
      "{}, stops {}\n",
      in_quotes(open->name()), options.policy, options.lease.count(),
      limit_text(options.labels_per_item), limit_text(options.labels_per_worker),
      number_text(options.gold_rate),
      stop.empty() ? "when the budget is spent" : fmt::format("at {}", fmt::join(stop, ", ")))};
}

/// Without an option it only reports them.
Result<Output> change_options(const ChangeFlags& flags) {
  campaign::ChangeTexts texts = flags.texts;
  if (!flags.stop.empty()) {
    texts.stop = flags.stop;
    if (flags.stop == std::vector<std::string>{"never"}) texts.stop->clear();
  }
  if (texts.empty()) return open_campaign(flags).and_then(report_options);
  return changing(flags, [&](const OpenCampaign& open) -> Result<Output> {
    const auto options =
        TRY(campaign::parse_changes(TRY(open.options()), texts, [](std::string_view name) {
          return fmt::format("--{}", name);
        }));
    TRY(open->set_options(options, open.now));
    return report_options(open);
  });
}

/// Items whose answers differ.
Result<std::size_t> changed_answers(const OpenCampaign& open,
                                    const std::vector<campaign::AnswerRow>& before) {
  const auto after = TRY(open->view().answers());
  std::size_t changed = 0;
  for (std::size_t n = 0; n < after.size(); ++n) changed += before[n].answer != after[n].answer;
  return changed;
}

/// What a change of standing means for the labels of one worker.
std::string effect_text(const campaign::WorkerFacts& facts) {
  switch (facts.standing) {
    case Standing::blocked:
      return fmt::format("is blocked and gets no more items; labels that still count: {}",
                         facts.labels);
    case Standing::excluded:
      return fmt::format("is excluded and gets no more items; labels that no longer count: {}",
                         facts.labels);
    case Standing::active:
      break;
  }
  return fmt::format("is active; labels that count: {}", facts.labels);
}

template <Standing standing>
Result<Output> set_standing(const StandingFlags& flags) {
  return changing(flags, [&](const OpenCampaign& open) -> Result<Output> {
    const auto before = TRY(open->view().answers());
    std::string text;
    for (const std::string& worker : flags.workers) {
      TRY(open->set_standing(worker, standing, flags.reason, open.now));
      text += TRY(open.read([&](const campaign::State& state) {
        return fmt::format("worker {} {}\n", in_quotes(worker),
                           effect_text(state[*state.find_worker(worker)]));
      }));
    }
    const std::size_t changed = TRY(changed_answers(open, before));
    const Money left =
        TRY(open.read([](const campaign::State& state) { return state.account().left(); }));
    text += fmt::format("{} changed; {} of the budget is left to ask again\n",
                        count_text(changed, "answer"), money_text(left));
    return Output{text};
  });
}

void add_change_options(Command& command, ChangeFlags& flags) {
  command.add("--policy", &flags.texts.policy, "NAME", "Policy that chooses items", "stays");
  command.add("--lease", &flags.texts.lease, "TIME", "Time to answer: `90s`, `10m`, `2h`, `1d`",
              "stays");
  command.add("--labels-per-item", &flags.texts.labels_per_item, "N",
              "Most labels that an item can get, or `any`", "stays");
  command.add("--labels-per-worker", &flags.texts.labels_per_worker, "N",
              "Most labels of one worker, or `any`", "stays");
  command.add("--gold-rate", &flags.texts.gold_rate, "SHARE",
              "Share of items with a known answer among those handed out", "stays");
  command.add("--stop", &flags.stop, "RULE",
              "Stop rules, such as `accuracy:0.95`; `never` for the budget alone", "stay");
}

void add_standing_options(Command& command, StandingFlags& flags) {
  command.require("WORKER", &flags.workers, "Names of workers");
  command.add("--reason", &flags.reason, "TEXT", "Reason, kept in the ledger", "none");
}

}  // namespace

std::vector<Command> change_commands() {
  return {
      campaign_command("change", "Change options of a running campaign, or print them",
                       Access::write, change_options, add_change_options,
                       {"allot campaign change sentiment.db --lease 5m --stop accuracy:0.95"}),
      campaign_command("block", "Give workers no more items; their labels still count",
                       Access::write, set_standing<Standing::blocked>, add_standing_options,
                       {"allot campaign block sentiment.db bob --reason 'too fast'"}),
      campaign_command("exclude",
                       "Give workers no more items, and leave their labels out of the answers",
                       Access::write, set_standing<Standing::excluded>, add_standing_options,
                       {"allot campaign exclude sentiment.db bob --reason 'always says yes'"}),
      campaign_command("restore", "Undo block or exclude: labels count, and items are handed out",
                       Access::write, set_standing<Standing::active>, add_standing_options,
                       {"allot campaign restore sentiment.db bob"})};
}

}  // namespace allot::cli
