// `allot campaign`: the list of its commands, and the options that they share.
#include "cli/campaign_commands.hpp"
#include "cli/commands.hpp"

namespace allot::cli {

void add_campaign_options(Command& command, CampaignFlags& flags, Access access) {
  command.add("FILE", &flags.file, "File of campaigns, an SQLite database").require();
  command.add("--campaign", &flags.campaign, "NAME", "Campaign in the file")
      .by_default("the only one");
  if (access == Access::read) return;
  command.add("--now", &flags.now, "TIME", "Time of this event, such as `2026-03-01T12:00:00Z`")
      .by_default("the clock");
}

void add_row_options(Command& command, RowFlags& flags) {
  command.add("--format", &flags.format, "F", "Output format: `table`, `csv`, `json` or `jsonl`");
  command.add("--output", &flags.output, "FILE", "File to write the output to")
      .by_default("standard output");
}

void add_key(Command& command, std::optional<std::string>& key) {
  command.add("--key", &key, "KEY",
              "Name of the request: repeating it changes nothing and prints the same");
}

Command campaign_command() {
  Command command{"campaign", "Run a campaign: items, workers and a budget, kept in a file"};
  command.commands = {create_command(),  add_items_command(), next_command(),    leases_command(),
                      skip_command(),    release_command(),   record_command(),  import_command(),
                      pause_command(),   resume_command(),    budget_command(),  price_command(),
                      settle_command(),  close_command(),     list_command(),    status_command(),
                      answers_command(), workers_command(),   explain_command(), export_command(),
                      verify_command()};
  command.notes = {
      "A campaign is kept in an SQLite file, which can hold several. docs/guide/campaigns.md walks "
      "through one."};
  command.examples = {
      "allot campaign create sentiment.db --items items.csv --classes no,yes --budget 10x",
      "allot campaign next sentiment.db --worker ann --count 20 --format csv --output ann.csv",
      "allot campaign record sentiment.db ann.csv", "allot campaign status sentiment.db"};
  return command;
}

}  // namespace allot::cli
