#include "allot/campaign/session.hpp"

#include <algorithm>

#include "campaign/coding.hpp"

namespace allot::campaign {

template <typename Bytes, typename Of>
requires std::same_as<std::remove_const_t<Of>, RecruitingLink>
void code(Bytes& bytes, Of& link) {
  code_all(bytes, link.id, link.terms, link.terms.codes.incomplete, link.created,
           link.participants);
}

template <typename Bytes, typename Of>
requires std::same_as<std::remove_const_t<Of>, Session>
void code(Bytes& bytes, Of& one) {
  code_all(bytes, one.worker, one.link, one.name, one.parameters, one.joined, one.last, one.outcome,
           one.labels, one.tried, one.known, one.skipped, one.earned);
}

const RecruitingLink* SessionTable::find_link(std::string_view id) const {
  const auto known = std::ranges::find(links_, id, &RecruitingLink::id);
  return known == links_.end() ? nullptr : &*known;
}

const std::vector<std::uint32_t>& SessionTable::of(WorkerId worker) const {
  static const std::vector<std::uint32_t> kNone;
  const auto known = participants_.find(position(worker));
  return known == participants_.end() ? kNone : known->second.sessions;
}

const Session* SessionTable::last(WorkerId worker) const {
  const auto& all = of(worker);
  return all.empty() ? nullptr : &sessions_[all.back()];
}

const Session* SessionTable::open(WorkerId worker) const {
  const Session* const session = last(worker);
  return session != nullptr && !session->outcome ? session : nullptr;
}

Session* SessionTable::open_session(WorkerId worker) {
  const auto& all = of(worker);
  if (all.empty() || sessions_[all.back()].outcome) return nullptr;
  return &sessions_[all.back()];
}

Admission SessionTable::standing(WorkerId worker) const {
  const auto known = participants_.find(position(worker));
  return known == participants_.end() ? Admission::qualified : known->second.standing;
}

bool SessionTable::tells_answers(WorkerId worker) const {
  const Session* const session = open(worker);
  return session != nullptr && standing(worker) == Admission::trying &&
         terms(*session).qualification.feedback;
}

bool SessionTable::may_label(WorkerId worker, std::uint32_t leases) const {
  if (of(worker).empty()) return true;
  const Session* const session = open(worker);
  if (session == nullptr) return false;
  const RecruitingTerms& now = terms(*session);
  return standing(worker) == Admission::trying ? session->tried + leases < now.qualification.items
                                               : session->labels + leases < now.labels;
}

void SessionTable::set_link(const RecruitingChanged& event, Time time) {
  const auto known = std::ranges::find(links_, event.link, &RecruitingLink::id);
  if (known == links_.end()) {
    links_.push_back({event.link, event.terms, time});
  } else {
    known->terms = event.terms;
  }
}

void SessionTable::join(const SessionJoined& event, bool is_new, Time time) {
  if (Session* const session = open_session(event.worker)) {
    session->name = event.session;
    session->parameters = event.parameters;
    return;
  }
  const auto link = static_cast<std::uint32_t>(find_link(event.link) - links_.data());
  Participant& participant = participants_[position(event.worker)];
  if (participant.sessions.empty()) {
    ++links_[link].participants;
    // A worker who has labelled before is known already.
    const bool tries = is_new && links_[link].terms.qualification.items > 0;
    participant.standing = tries ? Admission::trying : Admission::qualified;
  }
  participant.sessions.push_back(static_cast<std::uint32_t>(sessions_.size()));
  sessions_.push_back({.worker = event.worker,
                       .link = link,
                       .name = event.session,
                       .parameters = event.parameters,
                       .joined = time,
                       .last = time});
}

void SessionTable::count_label(const Answered& event, bool is_gold, Time time) {
  Session* const session = open_session(event.worker);
  if (session == nullptr || event.origin == AnswerOrigin::imported) return;
  ++(standing(event.worker) == Admission::trying ? session->tried : session->labels);
  if (is_gold) session->known.push_back(event.item);
  session->earned += event.price;
  session->last = time;
}

void SessionTable::count_skip(const Skipped& event) {
  Session* const session = open_session(event.worker);
  if (session == nullptr) return;
  session->skipped.push_back(event.item);
  session->earned += event.paid;
  if (standing(event.worker) == Admission::trying) ++session->tried;
}

void SessionTable::decide(const Qualified& event) {
  participants_[position(event.worker)].standing =
      event.passed ? Admission::qualified : Admission::failed;
}

void SessionTable::end(const SessionEnded& event, Time time) {
  Session* const session = open_session(event.worker);
  session->outcome = event.outcome;
  session->last = time;
}

void SessionTable::cut(Time now) {
  for (Session& session : sessions_) {
    if (session.outcome) continue;
    session.joined = std::min(session.joined, now);
    session.last = std::min(session.last, now);
  }
}

void SessionTable::save(ByteWriter& to) const {
  code_all(to, links_, sessions_);
  to.number(participants_.size());
  for (const auto& [worker, participant] : participants_) {
    code_all(to, worker, participant.sessions, participant.standing);
  }
}

void SessionTable::load(ByteReader& from, std::size_t workers, std::size_t items) {
  code_all(from, links_, sessions_);
  const auto is_item = [&](ItemId item) { return position(item) < items; };
  for (const Session& one : sessions_) {
    if (position(one.worker) >= workers || one.link >= links_.size() ||
        !std::ranges::all_of(one.known, is_item) || !std::ranges::all_of(one.skipped, is_item)) {
      return from.refuse();
    }
  }
  for (std::size_t n = from.count(3); n > 0; --n) {
    std::uint32_t worker = 0;
    code(from, worker);
    Participant& participant = participants_[worker];
    code_all(from, participant.sessions, participant.standing);
    const auto is_session = [&](std::uint32_t one) { return one < sessions_.size(); };
    if (worker >= workers || participant.sessions.empty() ||
        !std::ranges::all_of(participant.sessions, is_session)) {
      return from.refuse();
    }
  }
}

}  // namespace allot::campaign
