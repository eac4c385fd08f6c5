// The commands of `allot campaign`, each made next to its code. Each opens the file, does one thing
// to a campaign, and reports it.
#pragma once

#include <memory>
#include <string>

#include "allot/base/result.hpp"
#include "cli/campaign_flags.hpp"
#include "cli/command.hpp"

namespace allot::cli {

Command create_command();
Command add_items_command();
Command next_command();
Command leases_command();
Command skip_command();
Command release_command();
Command record_command();
Command import_command();
Command pause_command();
Command resume_command();
Command budget_command();
Command price_command();
Command settle_command();
Command close_command();
Command list_command();
Command status_command();
Command answers_command();
Command workers_command();
Command explain_command();
Command export_command();
Command verify_command();

/// Whether a command only looks at a campaign or changes it.
enum class Access { read, write };

/// Registers FILE, --campaign and, for commands that change a campaign, --now.
void add_campaign_options(Command& command, CampaignFlags& flags, Access access);
/// Registers --format and --output.
void add_row_options(Command& command, RowFlags& flags);
/// Registers --key.
void add_key(Command& command, std::optional<std::string>& key);

/// Makes a command about a campaign; `add` registers the options beside those of every command.
template <typename Flags>
Command campaign_command(const char* name, const char* summary, Access access,
                         Result<Output> (*run)(const CampaignFlags&, const Flags&),
                         void (*add)(Command&, Flags&)) {
  struct AllFlags {
    CampaignFlags where;
    Flags own;
  };
  const auto flags = std::make_shared<AllFlags>();
  Command command{name, summary, [flags, run] { return run(flags->where, flags->own); }};
  add_campaign_options(command, flags->where, access);
  add(command, flags->own);
  return command;
}

}  // namespace allot::cli
