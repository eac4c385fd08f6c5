#include "serve/open_campaign.hpp"

#include "base/try.hpp"

namespace allot::serve {

OpenCampaign::OpenCampaign(std::string id, std::unique_ptr<store::Store> store,
                           std::unique_ptr<campaign::Campaign> campaign, AccuracyStore& accuracy)
    : id_(std::move(id)),
      store_(std::move(store)),
      campaign_(std::move(campaign)),
      accuracy_history_(accuracy, id_) {}

OpenCampaign::~OpenCampaign() = default;

Result<std::uint64_t> OpenCampaign::sequence() const {
  return read([](const campaign::State& state) { return state.sequence(); });
}

Result<OpenCampaign::Answers> OpenCampaign::answers() {
  const auto now = TRY(sequence());
  if (answers_ && answers_at_ == now) return answers_;
  answers_ = std::make_shared<const std::vector<campaign::AnswerRow>>(TRY(view().answers()));
  answers_at_ = now;
  return answers_;
}

Result<OpenCampaign::Workers> OpenCampaign::workers() {
  const auto now = TRY(sequence());
  if (workers_ && workers_at_ == now) return workers_;
  workers_ = std::make_shared<const std::vector<campaign::WorkerRow>>(TRY(view().workers()));
  workers_at_ = now;
  return workers_;
}

Result<OpenCampaign::Boards> OpenCampaign::board() {
  const auto now = TRY(sequence());
  if (board_ && board_->sequence == now) return board_;
  board_ = std::make_shared<const campaign::Board>(TRY(view().board()));
  return board_;
}

std::uint32_t OpenCampaign::count_revision(const std::string& worker, const std::string& item) {
  auto& [last, count] = revised_[worker];
  if (last != item) count = 0;
  last = item;
  return ++count;
}

}  // namespace allot::serve
