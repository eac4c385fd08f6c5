#include "campaign/session_decisions.hpp"

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::campaign {
namespace {

constexpr std::size_t kLongestId = 64, kLongestValue = 200;

/// Ids become names of workers and parts of addresses.
Result<void> check_id(std::string_view what, const std::string& id) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  if (!id.empty() && id.size() <= kLongestId && std::ranges::all_of(id, is_letter)) return {};
  return invalid("{} {} is not an id; expected 1 to {} of A-Z, a-z, 0-9, '_' and '-'", what,
                 in_quotes(for_display(id, kLongestId)), kLongestId);
}

Result<void> check_arrival(const RecruitingTerms& terms, const Arrival& arrival) {
  TRY(check_id(terms.id_parameter, arrival.id));
  if (!arrival.session.empty()) TRY(check_id(terms.session_parameter, arrival.session));
  for (const auto& [name, value] : arrival.parameters) {
    if (std::ranges::find(terms.capture, name) == terms.capture.end()) {
      return invalid("the parameter {} is not kept; expected one that the link names",
                     in_quotes(name));
    }
    if (value.size() > kLongestValue) {
      return invalid("the parameter {} has {} bytes; expected at most {}", in_quotes(name),
                     value.size(), kLongestValue);
    }
  }
  return {};
}

/// Whether the platform says that the arrival belongs to another session than the open one.
bool is_another(const Session& open, const Arrival& arrival) {
  return !arrival.session.empty() && !open.name.empty() && open.name != arrival.session;
}

/// The session to which the arrival leads back; nothing if it begins one.
std::optional<std::uint32_t> session_of(const SessionTable& table, WorkerId worker,
                                        const Arrival& arrival) {
  const auto& all = table.of(worker);
  if (all.empty()) return {};
  if (!arrival.session.empty()) {
    const auto known = std::ranges::find(
        all, arrival.session, [&](std::uint32_t one) { return table.sessions()[one].name; });
    if (known != all.end()) return *known;
  }
  if (const Session* const open = table.open(worker)) {
    return is_another(*open, arrival) ? std::nullopt : std::optional(all.back());
  }
  // Without names, nothing tells a reload from another visit: only the limit does.
  const RecruitingTerms& terms = table.find_link(arrival.link)->terms;
  const bool may_begin =
      all.size() < terms.sessions_per_id && table.standing(worker) != Admission::failed;
  return arrival.session.empty() && !may_begin ? std::optional(all.back()) : std::nullopt;
}

Result<void> check_room(const SessionTable& table, const RecruitingLink& link,
                        std::optional<WorkerId> worker) {
  const std::size_t before = worker ? table.of(*worker).size() : 0;
  if (before > 0 &&
      (before >= link.terms.sessions_per_id || table.standing(*worker) == Admission::failed)) {
    return fail(ErrorCode::conflict, "this participant has taken part already");
  }
  const std::uint32_t most = link.terms.most_participants;
  if (before > 0 || (link.terms.open && (most == 0 || link.participants < most))) return {};
  return fail(ErrorCode::forbidden, "the recruiting link takes no more participants");
}

/// Ends the session that the participant leaves for another one.
Result<void> leave_session(Work& work, WorkerId worker) {
  if (work.state().sessions().open(worker) == nullptr) return {};
  for (const Lease& lease : work.state().leases().of(worker)) {
    TRY(work.emit(Released{lease.item, worker}));
  }
  return work.emit(SessionEnded{worker, SessionOutcome::incomplete});
}

Result<JoinedSession> begin_session(Work& work, const std::string& name, const Arrival& arrival) {
  const WorkerId worker = TRY(work.joined(name));
  TRY(leave_session(work, worker));
  TRY(work.emit(SessionJoined{worker, arrival.link, arrival.session, arrival.parameters}));
  const auto place = static_cast<std::uint32_t>(work.state().sessions().sessions().size() - 1);
  return JoinedSession{name, place, false};
}

}  // namespace

Result<void> set_recruiting(Work& work, const std::string& link, const RecruitingTerms& terms) {
  TRY(check(terms));
  const RecruitingLink* const known = work.state().sessions().find_link(link);
  if (known != nullptr && known->terms == terms) return {};
  return work.emit(RecruitingChanged{link, terms});
}

Result<JoinedSession> join(Work& work, const Arrival& arrival) {
  const SessionTable& table = work.state().sessions();
  const RecruitingLink* const link = table.find_link(arrival.link);
  if (link == nullptr) return fail(ErrorCode::not_found, "there is no such recruiting link");
  TRY(check_arrival(link->terms, arrival));
  const std::string name = participant_name(link->terms.platform, arrival.id);
  const auto known = work.state().find_worker(name);
  if (known) {
    if (const auto back = session_of(table, *known, arrival)) {
      const Session& session = table.sessions()[*back];
      const bool renamed = !session.outcome && session.name != arrival.session &&
                           table.links()[session.link].id == arrival.link;
      if (renamed && !arrival.session.empty()) {
        TRY(work.emit(SessionJoined{*known, arrival.link, arrival.session, arrival.parameters}));
      }
      return JoinedSession{name, *back, true};
    }
  }
  if (work.state().archived()) {
    return fail(ErrorCode::forbidden, "the recruiting link takes no more participants");
  }
  return check_room(table, *link, known).and_then([&] {
    return begin_session(work, name, arrival);
  });
}

Result<void> follow_session(Work& work, WorkerId worker) {
  const State& state = work.state();
  const Session* const session = state.sessions().open(worker);
  if (session == nullptr) return {};
  const RecruitingTerms& terms = state.sessions().terms(*session);
  const Qualification& qualification = terms.qualification;
  if (state.sessions().standing(worker) == Admission::trying) {
    if (session->tried < qualification.items) return {};
    const bool passed = state.known_right(*session) >= qualification.needed();
    TRY(work.emit(Qualified{worker, passed}));
    return passed ? Result<void>() : work.emit(SessionEnded{worker, SessionOutcome::screened_out});
  }
  if (session->labels < terms.labels || state[worker].leases > 0) return {};
  return work.emit(SessionEnded{worker, SessionOutcome::done});
}

Result<void> end_idle_session(Work& work, std::string_view name) {
  const State& state = work.state();
  const auto worker = state.find_worker(name);
  if (!worker || state.sessions().open(*worker) == nullptr || state[*worker].leases > 0) return {};
  TRY(follow_session(work, *worker));
  if (state.sessions().open(*worker) == nullptr) return {};
  const bool left = state.left_work(*state.sessions().open(*worker));
  return work.emit(
      SessionEnded{*worker, left ? SessionOutcome::incomplete : SessionOutcome::no_work});
}

}  // namespace allot::campaign
