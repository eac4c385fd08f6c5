// The sessions of a campaign's participants (campaign/recruiting.hpp), as its events add up.
//
// A participant is a worker who came through a recruiting link. Such a worker gets items only in an
// open session, and has at most one. Memory: about 200 bytes per session.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/base/ids.hpp"
#include "allot/base/money.hpp"
#include "allot/campaign/event.hpp"

namespace allot::campaign {

/// A recruiting link of a campaign.
struct RecruitingLink {
  std::string id;                  ///< part of its address; cannot be guessed
  RecruitingTerms terms;           ///< as last changed
  Time created;                    ///< when it was made
  std::uint32_t participants = 0;  ///< workers whose first session came through it
};

/// One visit of a participant.
struct Session {
  WorkerId worker;                             ///< the participant
  std::uint32_t link;                          ///< place of the link
  std::string name;                            ///< the platform's id of the session; may be empty
  SessionParameters parameters;                ///< that the link captures
  Time joined,                                 ///< when it began
      last;                                    ///< time of its last label, or of its end
  std::optional<SessionOutcome> outcome = {};  ///< not set while it is open
  std::uint32_t labels = 0;                    ///< labels, without the qualification
  std::uint32_t tried = 0;                     ///< items of the qualification, skipped ones too
  std::vector<ItemId> known = {};              ///< gold items that were labelled in it
  std::vector<ItemId> skipped = {};            ///< items that were skipped in it
  Money earned = {};                           ///< price of all its labels
};

/// Whether a participant has passed the qualification.
enum class Admission : std::uint8_t {
  trying,     ///< has still to answer some of its items
  qualified,  ///< passed it, or there was none
  failed      ///< gets no more items
};

/// Links, sessions, and how each participant stands.
class SessionTable {
 public:
  /// All links, in the order in which they were made.
  const std::vector<RecruitingLink>& links() const { return links_; }
  /// The link with that id; null if there is none.
  const RecruitingLink* find_link(std::string_view id) const;
  /// All sessions, in the order in which they began.
  const std::vector<Session>& sessions() const { return sessions_; }
  /// Terms of the session's link.
  const RecruitingTerms& terms(const Session& session) const { return links_[session.link].terms; }

  /// The worker's sessions, by place; empty for a worker who is no participant.
  const std::vector<std::uint32_t>& of(WorkerId worker) const;
  /// The latest session of the worker; null for a worker who is no participant.
  const Session* last(WorkerId worker) const;
  /// The session in which the worker is; null if there is none.
  const Session* open(WorkerId worker) const;
  /// How the participant stands; workers who are none are qualified.
  Admission standing(WorkerId worker) const;
  /// Whether the campaign learns from the worker's labels.
  bool counts(WorkerId worker) const { return standing(worker) == Admission::qualified; }
  /// Whether the worker learns the right answer after each label, in the qualification.
  bool tells_answers(WorkerId worker) const;
  /// Whether the worker can get one more item beside that many leases.
  bool may_label(WorkerId worker, std::uint32_t leases) const;

  // For the state alone, which checks events first.

  /// Adds the link, or changes its terms.
  void set_link(const RecruitingChanged& event, Time time);
  /// Begins a session, or continues the open one under another name.
  void join(const SessionJoined& event, bool is_new, Time time);
  /// Counts a label of a participant.
  void count_label(const Answered& event, bool is_gold, Time time);
  /// Counts a skipped item, and what it paid.
  void count_skip(const Skipped& event);
  /// Decides the qualification.
  void decide(const Qualified& event);
  /// Ends the open session.
  void end(const SessionEnded& event, Time time);
  /// The clock was ahead: no open session began after `now`.
  void cut(Time now);

  /// Writes everything as `load` reads it.
  void save(ByteWriter& to) const;
  /// Reads the bytes of `save`. Numbers beyond `workers` or `items` make the reader fail.
  void load(ByteReader& from, std::size_t workers, std::size_t items);

 private:
  struct Participant {
    std::vector<std::uint32_t> sessions = {};
    Admission standing = Admission::qualified;
  };
  Session* open_session(WorkerId worker);

  std::vector<RecruitingLink> links_;
  std::vector<Session> sessions_;
  std::map<std::uint32_t, Participant> participants_;  // by worker
};

}  // namespace allot::campaign
