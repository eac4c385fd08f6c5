// Recruiting links: create one, change it, list them.
#include <fmt/format.h>

#include <filesystem>

#include "allot/base/text.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/formats.hpp"
#include "cli/options.hpp"
#include "serve/arrival.hpp"
#include "serve/secret.hpp"

namespace allot::cli {
namespace {

using campaign::Platform;
using campaign::RecruitingLink;
using campaign::RecruitingTerms;
using campaign::State;

constexpr std::size_t kLinkBytes = 12, kSecretBytes = 32, kCodeBytes = 5;

struct RecruitFlags : CampaignFlags, RowFlags {
  std::optional<std::string> platform, link, labels, id_parameter, session_parameter, done,
      screened_out, no_work, incomplete, return_url, consent, tests, least_right, participants,
      sessions, arrivals, server;
  std::vector<std::string> capture;
  bool feedback = false, signed_arrivals = false, close = false, reopen = false;
};

/// Replaces the terms that options name.
Result<RecruitingTerms> changed_terms(const RecruitFlags& flags, RecruitingTerms terms) {
  const auto text = [](const std::optional<std::string>& given, std::string& value) {
    if (given) value = *given;
  };
  const auto number = [](const char* option, const std::optional<std::string>& given,
                         std::uint32_t& value) -> Result<void> {
    if (given) value = TRY(read_whole<std::uint32_t>(option, *given, 0, 1'000'000));
    return {};
  };
  text(flags.id_parameter, terms.id_parameter);
  text(flags.session_parameter, terms.session_parameter);
  if (!flags.capture.empty()) terms.capture = flags.capture;
  text(flags.done, terms.codes.done);
  text(flags.screened_out, terms.codes.screened_out);
  text(flags.no_work, terms.codes.no_work);
  text(flags.incomplete, terms.codes.incomplete);
  text(flags.return_url, terms.return_url);
  if (flags.consent)
    terms.consent = TRY(in_option("--consent", io::read_text_file(*flags.consent)));
  TRY(number("--labels", flags.labels, terms.labels));
  TRY(number("--qualification", flags.tests, terms.qualification.items));
  TRY(number("--participants", flags.participants, terms.most_participants));
  TRY(number("--sessions", flags.sessions, terms.sessions_per_id));
  TRY(number("--arrivals", flags.arrivals, terms.arrivals_per_minute));
  if (flags.least_right)
    terms.qualification.least_right =
        TRY(read_number("--least-right", *flags.least_right, 0, 1, "a share from 0 to 1"));
  if (flags.feedback) terms.qualification.feedback = true;
  if (flags.signed_arrivals) terms.signed_arrivals = true;
  if (flags.close || flags.reopen) terms.open = flags.reopen;
  return terms;
}

/// Terms of a new link, with codes and a secret that nobody can guess.
Result<RecruitingTerms> new_terms(const RecruitFlags& flags) {
  const auto platform = campaign::platform_named(*flags.platform);
  if (!platform) {
    return invalid("--platform {} is unknown; expected prolific, connect, sona, mturk or panel",
                   in_quotes(*flags.platform));
  }
  RecruitingTerms terms = TRY(changed_terms(flags, campaign::usual_terms(*platform)));
  for (std::string* const code : {&terms.codes.done, &terms.codes.screened_out,
                                  &terms.codes.no_work, &terms.codes.incomplete}) {
    if (code->empty()) *code = serve::random_hex(kCodeBytes);
  }
  terms.secret = serve::random_hex(kSecretBytes);
  return terms;
}

/// The address for the platform. A server names a campaign by its file.
std::string address_of(const RecruitingLink& link, const RecruitFlags& flags,
                       const std::string& name) {
  const std::string id =
      store::is_database(flags.file) ? name : std::filesystem::path(flags.file).stem().string();
  return campaign::study_url(link.terms,
                             fmt::format("{}/join/{}/{}", flags.server.value_or(""), id, link.id));
}

std::string links_text(const State& state, const RecruitFlags& flags, const std::string& name,
                       RowFormat format) {
  const std::vector<Column> columns{{"link"},
                                    {"platform"},
                                    {"open"},
                                    {"labels", Kind::exact},
                                    {"qualification", Kind::exact},
                                    {"participants", Kind::exact},
                                    {"code_done"},
                                    {"code_screened_out"},
                                    {"code_no_work"},
                                    {"code_incomplete"},
                                    {"address"}};
  DataTable table(columns);
  for (const RecruitingLink& link : state.sessions().links()) {
    const RecruitingTerms& terms = link.terms;
    table.add({link.id, std::string(campaign::name(terms.platform)), terms.open ? "yes" : "no",
               fmt::format("{}", terms.labels), fmt::format("{}", terms.qualification.items),
               fmt::format("{}", link.participants), terms.codes.done, terms.codes.screened_out,
               terms.codes.no_work, terms.codes.of(campaign::SessionOutcome::incomplete),
               address_of(link, flags, name)});
  }
  return table.text(format);
}

/// What to paste into the platform, and what to enter there.
std::string link_text(const RecruitingLink& link, const RecruitFlags& flags,
                      const std::string& name) {
  const RecruitingTerms& terms = link.terms;
  std::string text = fmt::format(
      "recruiting link {} for {}\n  address       {}\n  done          {}\n  screened out  {}\n"
      "  no work left  {}\n  incomplete    {}\n",
      link.id, campaign::name(terms.platform), address_of(link, flags, name), terms.codes.done,
      terms.codes.screened_out, terms.codes.no_work,
      terms.codes.of(campaign::SessionOutcome::incomplete));
  if (terms.signed_arrivals) text += fmt::format("  signing key   {}\n", serve::signing_key(terms));
  return text;
}

Result<Output> recruit(const RecruitFlags& flags) {
  if (flags.platform && flags.link) {
    return invalid("--platform {} comes with --link; expected one of them",
                   in_quotes(*flags.platform));
  }
  if (!flags.platform && !flags.link) {
    const auto format = TRY(read_rows(flags));
    const auto open = TRY(open_campaign(flags));
    const auto text = TRY(open.read(
        [&](const State& state) { return links_text(state, flags, open->name(), format); }));
    return delivered(text, flags.output);
  }
  return changing(flags, [&](const OpenCampaign& open) -> Result<Output> {
    const std::string id = flags.link ? *flags.link : serve::random_hex(kLinkBytes);
    const auto before = TRY(open.read([&](const State& state) -> std::optional<RecruitingTerms> {
      const RecruitingLink* const link = state.sessions().find_link(id);
      return link == nullptr ? std::nullopt : std::optional(link->terms);
    }));
    if (flags.link && !before) {
      return fail(ErrorCode::not_found, "unknown recruiting link {}; expected one of `recruit {}`",
                  in_quotes(id), flags.file);
    }
    const RecruitingTerms terms =
        before ? TRY(changed_terms(flags, *before)) : TRY(new_terms(flags));
    TRY(open->set_recruiting(id, terms, open.now));
    return open.read([&](const State& state) {
      return Output{link_text(*state.sessions().find_link(id), flags, open->name())};
    });
  });
}

void add_recruit_options(Command& command, RecruitFlags& flags) {
  command.add("--platform", &flags.platform, "P",
              "Create a link for `prolific`, `connect`, `sona`, `mturk` or `panel` (any other)");
  command.add("--link", &flags.link, "ID", "Change that link; its other terms stay");
  command.add("--server", &flags.server, "URL",
              "Address of the server, printed before the path of the link");
  command.add("--labels", &flags.labels, "N", "Labels per session", "20");
  command.add("--consent", &flags.consent, "FILE", "Text that participants agree to (Markdown)");
  command.add("--qualification", &flags.tests, "N",
              "Items with a known answer that come first; 0 for none", "0");
  command.add("--least-right", &flags.least_right, "SHARE", "Share of them that must be right",
              "0.8");
  command.add("--feedback", &flags.feedback, "Show the right answer after each of them");
  command.add("--code-done", &flags.done, "CODE", "Code after a whole session", "a random one");
  command.add("--code-screened-out", &flags.screened_out, "CODE",
              "Code after a failed qualification", "a random one");
  command.add("--code-no-work", &flags.no_work, "CODE",
              "Code if nothing is left to do; it still pays", "a random one");
  command.add("--code-incomplete", &flags.incomplete, "CODE",
              "Code after a session whose rest was skipped", "a random one");
  command.add("--return-url", &flags.return_url, "URL",
              "Address to return to, with {code}, {id} and {session}", "that of Prolific, or none");
  command.add("--id-parameter", &flags.id_parameter, "NAME",
              "Parameter of the address that holds the participant's id", "that of the platform");
  command.add("--session-parameter", &flags.session_parameter, "NAME",
              "Parameter that holds the platform's id of the session", "that of the platform");
  command.add("--capture", &flags.capture, "NAME,...", "More parameters to keep");
  command.add("--participants", &flags.participants, "N",
              "Maximum number of participants; 0 for any number", "0");
  command.add("--sessions", &flags.sessions, "N", "Sessions per participant", "1");
  command.add("--arrivals", &flags.arrivals, "N", "Arrivals per minute from one network address",
              "60");
  command.add("--signed", &flags.signed_arrivals, "Refuse arrivals without a signature");
  command.add("--close", &flags.close, "Take no new participants");
  command.add("--open", &flags.reopen, "Take new participants again");
  add_row_options(command, flags);
}

}  // namespace

std::vector<Command> recruit_commands() {
  return {campaign_command(
      "recruit", "Create a recruiting link for a crowd, change it, or list all links",
      Access::write, recruit, add_recruit_options,
      {"allot campaign recruit data/campaigns/4f1c.db --platform prolific --labels 20 "
       "--server https://label.example.org"},
      {"`allot serve` must serve the file: the link is a page of the server."})};
}

}  // namespace allot::cli
