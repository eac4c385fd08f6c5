// A campaign in memory or in a file of the command line (allot/campaign/campaign.hpp).
//
// Rows of answers, workers, labels and events come as JSON lines, with the columns that the command
// line and the HTTP API have.
#include "allot/campaign/campaign.hpp"

#include <pybind11/stl.h>

#include <memory>

#include "allot/aggregate/group_errors.hpp"
#include "allot/base/text.hpp"
#include "allot/campaign/audit.hpp"
#include "allot/campaign/export.hpp"
#include "base/errors.hpp"
#include "bindings/calls.hpp"
#include "bindings/campaign_handle.hpp"
#include "bindings/errors.hpp"
#include "bindings/labels.hpp"
#include "bindings/module.hpp"

namespace allot::python {
namespace {

namespace py = pybind11;
using campaign::CampaignView;
using Texts = std::vector<std::string>;

bool has_no_work(ErrorCode code) {
  return code == ErrorCode::forbidden || code == ErrorCode::not_found ||
         code == ErrorCode::budget_exhausted;
}

/// Leased items as (item, fields, price, end in microseconds since 1970, reason), and why there are
/// fewer than asked for.
py::tuple next(const CampaignHandle& handle, const std::string& worker, std::uint32_t count) {
  const auto campaign = handle.get();
  const auto handed = without_lock([&] { return campaign->next(worker, count, campaign::now()); });
  if (!handed && !has_no_work(handed.error().code)) throw Refusal(handed.error());
  if (!handed) return py::make_tuple(py::list(), handed.error().message);
  py::list assignments;
  for (const campaign::Assignment& one : handed->assignments) {
    assignments.append(py::make_tuple(one.item, one.fields, money_text(one.price),
                                      one.expires.time_since_epoch().count(),
                                      campaign::name(one.reason)));
  }
  return py::make_tuple(assignments, handed->shortfall);
}

const char* outcome_name(campaign::Outcome outcome) {
  switch (outcome) {
    case campaign::Outcome::recorded:
      return "recorded";
    case campaign::Outcome::already:
      return "already";
    default:
      return "revised";
  }
}

std::string record(const CampaignHandle& handle, std::string item, std::string worker,
                   std::string label, bool revise, std::optional<float> confidence) {
  const auto campaign = handle.get();
  const campaign::Answer answer{
      std::move(item), std::move(worker), std::move(label), {}, confidence};
  return outcome_name(
      without_lock([&] { return checked(campaign->record(answer, campaign::now(), revise)); }));
}

/// The label that stands for a probability per class, and its confidence.
py::tuple most_probable(const CampaignHandle& handle,
                        const std::vector<std::pair<std::string, double>>& probabilities) {
  const auto campaign = handle.get();
  const auto best = without_lock([&] {
    return checked(checked(campaign->view().read([&](const campaign::State& state) {
      return campaign::most_probable(state.options(), probabilities);
    })));
  });
  return py::make_tuple(best.label, best.confidence);
}

/// Imports labels in one commit, all or none. Errors name the row.
std::size_t import_labels(const CampaignHandle& handle, const Labels& labels) {
  const auto campaign = handle.get();
  return without_lock([&] {
    const io::LabelFile& file = labels.files.labels;
    std::vector<campaign::Answer> answers;
    for (std::size_t n = 0; n < file.set.labels.size(); ++n) {
      const auto& [item, worker, label] = file.set.labels[n];
      const float confidence = file.set.confidence(n);
      answers.push_back(
          {file.items[position(item)],
           file.workers[position(worker)],
           file.classes[position(label)],
           {},
           model::has_confidence(confidence) ? std::optional(confidence) : std::nullopt});
    }
    std::optional<Error> refused;
    std::size_t recorded = 0;
    const auto request = [&](campaign::Batch& batch) {
      const auto outcomes = batch.import(answers, campaign::now());
      recorded = 0;
      for (std::size_t n = 0; n < outcomes.size(); ++n) {
        if (outcomes[n]) recorded += *outcomes[n] == campaign::Outcome::recorded;
        if (!outcomes[n] && !refused) {
          refused = outcomes[n].error();
          refused->message = fmt::format("label {}: {}", n, refused->message);
        }
      }
      if (refused) throw Refusal(*refused);
    };
    const auto done = campaign->commit(request);
    if (refused) throw Refusal(*refused);
    checked(done);
    return recorded;
  });
}

/// A whole export as text.
std::string export_text(const CampaignHandle& handle, const std::string& kind) {
  const auto what = campaign::export_kind_named(kind);
  if (!what) throw py::value_error("unknown table '" + kind + "'");
  const auto campaign = handle.get();
  const CampaignView view = campaign->view();
  return without_lock([&] {
    campaign::Export rows(*what, campaign::ExportFormat::jsonl);
    std::string text;
    while (auto piece = checked(rows.next(view))) text += *piece;
    return text;
  });
}

py::dict summary(const campaign::Status& status) {
  py::dict result;
  result["phase"] = campaign::name(status.phase);
  result["reason"] = status.reason;
  for (const auto& [name, amount] :
       {std::pair("budget", status.budget), std::pair("spent", status.spent),
        std::pair("reserved", status.reserved), std::pair("left", status.left)}) {
    result[name] = money_text(amount);
  }
  result["events"] = status.events;
  result["items"] = status.items;
  result["gold"] = status.gold;
  result["workers"] = status.workers;
  result["leases"] = status.leases;
  result["labels"] = status.labels;
  result["imported"] = status.imported;
  result["answers"] = status.answers.count;
  result["unlabelled"] = status.answers.unlabelled;
  result["expected_accuracy"] = status.answers.expected_accuracy;
  result["accuracy"] = status.answers.accuracy;
  result["verified"] = status.answers.verified;
  result["calibrated"] = py::none();
  if (status.calibrated)
    result["calibrated"] =
        py::make_tuple(status.calibrated->mean, status.calibrated->low, status.calibrated->high);
  result["known_answers"] = status.known_answers;
  result["reviewed"] = status.reviewed;
  result["bound"] = status.bound;
  result["finished"] = py::dict(py::cast(status.finished));
  return result;
}

/// Groups of workers who err together, one dictionary each.
py::list groups(const CampaignHandle& handle) {
  const auto campaign = handle.get();
  std::vector<std::string> names;
  const auto errors = without_lock([&] {
    const auto found = checked(campaign->view().group_labels());
    names = found.groups.names;
    const aggregate::ClassAnswers answers{found.labels.class_count, {}, found.probabilities};
    return aggregate::group_errors(found.labels, found.groups.of_worker, answers, found.known);
  });
  py::list rows;
  for (std::size_t g = 0; g < names.size(); ++g) {
    const aggregate::GroupErrors& one = errors[g];
    py::dict row;
    row["group"] = names[g];
    row["members"] = one.members;
    row["items"] = one.items;
    row["checked"] = one.outside;
    row["error_correlation"] = one.correlation;
    row["low"] = one.bounds ? std::optional(one.bounds->low) : std::nullopt;
    row["high"] = one.bounds ? std::optional(one.bounds->high) : std::nullopt;
    row["effective_votes"] = one.effective_votes;
    rows.append(row);
  }
  return rows;
}

py::dict explain(const CampaignHandle& handle, const std::string& item, const std::string& worker) {
  const auto campaign = handle.get();
  const CampaignView view = campaign->view();
  Texts classes;
  std::vector<std::pair<std::string, std::string>> given;
  const auto found = without_lock([&] {
    auto explanation = checked(view.explain(item, worker));
    checked(view.read([&](const campaign::State& state) {
      classes = state.options().classes;
      for (const campaign::Share& share : explanation.shares) {
        if (share.status != campaign::PairStatus::labelled) continue;
        given.emplace_back(state.name(share.worker), classes[position(share.label)]);
      }
    }));
    return explanation;
  });
  const auto by_class = [&](const std::vector<double>& numbers) {
    py::dict result;
    for (std::size_t c = 0; c < numbers.size(); ++c) result[py::cast(classes[c])] = numbers[c];
    return result;
  };
  py::dict result;
  result["item"] = found.item;
  result["probabilities"] = by_class(found.probabilities);
  result["labels"] = py::dict(py::cast(given));
  result["pending"] = found.pending;
  result["finished"] = found.finish_reason;
  result["gold"] = found.gold ? py::cast(classes[position(*found.gold)]) : py::none();
  result["answered"] = found.answered;
  result["value"] = found.value;
  py::dict outlook;
  for (std::size_t c = 0; c < found.outlook.size(); ++c) {
    outlook[py::cast(classes[c])] =
        py::make_tuple(found.outlook[c].chance, by_class(found.outlook[c].probabilities));
  }
  result["outlook"] = outlook;
  return result;
}

py::dict report(const campaign::AuditReport& audit, const Texts& items) {
  py::dict result;
  result["number"] = audit.number;
  result["answers"] = audit.answers;
  result["confidence"] = audit.plan.confidence;
  result["target"] = audit.plan.target > 0 ? py::cast(audit.plan.target) : py::none();
  result["drawn"] = audit.drawn;
  result["checked"] = audit.checked;
  result["right"] = audit.right;
  result["waiting"] = audit.waiting;
  result["missing"] = audit.missing();
  result["next"] = audit.next ? py::cast(items[position(*audit.next)]) : py::none();
  const bool any = audit.checked > 0;
  result["estimate"] = any ? py::cast(audit.accuracy.estimate) : py::none();
  result["lower"] = any ? py::cast(audit.accuracy.lower) : py::none();
  result["low"] = any ? py::cast(audit.accuracy.low) : py::none();
  result["high"] = any ? py::cast(audit.accuracy.high) : py::none();
  result["certified"] = audit.certified_after.has_value();
  result["checks_to_prove"] = audit.checks_to_prove;
  return result;
}

Texts item_ids(const CampaignView& view) {
  return checked(view.read([](const campaign::State& state) {
    Texts ids;
    for (std::uint32_t i = 0; i < state.items().count(); ++i) ids.push_back(state.id(ItemId{i}));
    return ids;
  }));
}

py::object audit(const CampaignHandle& handle) {
  const auto campaign = handle.get();
  const CampaignView view = campaign->view();
  Texts ids;
  const auto found = without_lock([&] {
    ids = item_ids(view);
    return checked(view.audit());
  });
  return found ? py::object(report(*found, ids)) : py::none();
}

py::dict start_audit(const CampaignHandle& handle, std::optional<std::uint32_t> checks,
                     std::optional<double> until, double confidence, bool replace) {
  const auto campaign = handle.get();
  Texts ids;
  const auto started = without_lock([&] {
    ids = item_ids(campaign->view());
    return checked(campaign->start_audit({checks, until, confidence, replace}, campaign::now()));
  });
  return report(started, ids);
}

/// Records verdicts, all or none.
void review(const CampaignHandle& handle, const std::string& reviewer,
            const std::vector<std::pair<std::string, std::string>>& verdicts,
            const std::string& reason) {
  const auto campaign = handle.get();
  without_lock([&] {
    std::vector<campaign::VerdictDraft> drafts;
    for (const auto& [item, answer] : verdicts) drafts.push_back({item, answer, reason});
    std::optional<Error> refused;
    const auto done = campaign->commit([&](campaign::Batch& batch) {
      for (const auto& one : batch.review(reviewer, drafts, campaign::now())) {
        if (!one && !refused) refused = one.error();
      }
      if (refused) throw Refusal(*refused);
    });
    if (refused) throw Refusal(*refused);
    checked(done);
  });
}

/// A command without a result, given to the campaign without the interpreter lock.
template <typename... Arguments, typename Command>
auto command(Command run) {
  return [run](const CampaignHandle& handle, Arguments... arguments) {
    const auto campaign = handle.get();
    without_lock([&] { checked(run(*campaign, arguments...)); });
  };
}

}  // namespace

void bind_campaign(py::module_& module) {
  py::class_<ItemArguments>(module, "Items")
      .def(py::init<>())
      .def_readwrite("ids", &ItemArguments::ids)
      .def_readwrite("fields", &ItemArguments::fields)
      .def_readwrite("prices", &ItemArguments::prices)
      .def_readwrite("gold", &ItemArguments::gold)
      .def_readwrite("truth", &ItemArguments::truth)
      .def_readwrite("features", &ItemArguments::features);
  using campaign::Campaign;
  py::class_<CampaignHandle, Handle>(module, "Campaign")
      .def_static("create", &create_campaign, py::arg("path"), py::arg("name"), py::arg("budget"),
                  py::arg("options"), py::arg("items"), py::arg("prices"), py::arg("groups"))
      .def_static("open", &open_campaign, py::arg("path"), py::arg("name"), py::arg("read_only"))
      .def_property_readonly("name", [](const CampaignHandle& one) { return one.get()->name(); })
      .def_property_readonly(
          "classes",
          [](const CampaignHandle& one) {
            return without_lock([campaign = one.get()] {
              return checked(campaign->view().read(
                  [](const campaign::State& state) { return state.options().classes; }));
            });
          })
      .def("next", &next, py::arg("worker"), py::arg("count"))
      .def("whom_next",
           [](const CampaignHandle& one) {
             return without_lock(
                 [campaign = one.get()] { return checked(campaign->view().whom_next()); });
           })
      .def("record", &record, py::arg("item"), py::arg("worker"), py::arg("label"),
           py::arg("revise"), py::arg("confidence"))
      .def("most_probable", &most_probable, py::arg("probabilities"))
      .def("import_labels", &import_labels, py::arg("labels"))
      .def("add_items",
           command<const ItemArguments&>([](Campaign& campaign, const ItemArguments& items) {
             return items.drafts().and_then(
                 [&](const auto& drafts) { return campaign.add_items(drafts, campaign::now()); });
           }))
      .def("skip",
           command<const std::string&, const std::string&, const std::string&, const std::string&,
                   bool>([](Campaign& campaign, const std::string& item, const std::string& worker,
                            const std::string& reason, const std::string& note, bool paid) {
             return campaign.skip(item, worker, campaign::now(), {}, {0, reason, note}, paid);
           }))
      .def("release",
           command<const std::string&, const std::string&>(
               [](Campaign& campaign, const std::string& item, const std::string& worker) {
                 return campaign.release(item, worker, campaign::now());
               }))
      .def("pause", command<>([](Campaign& campaign) { return campaign.pause(campaign::now()); }))
      .def("resume", command<>([](Campaign& campaign) { return campaign.resume(campaign::now()); }))
      .def("end", command<const std::string&>([](Campaign& campaign, const std::string& reason) {
             return campaign.close(reason, campaign::now());
           }))
      .def("set_budget",
           command<const std::string&>([](Campaign& campaign, const std::string& text) {
             return parse_money(text).and_then(
                 [&](Money amount) { return campaign.set_budget(amount, campaign::now()); });
           }))
      .def("set_prices", command<const PriceList&>([](Campaign& campaign, const PriceList& texts) {
             return read_prices(texts).and_then(
                 [&](const auto& prices) { return campaign.set_prices(prices, campaign::now()); });
           }))
      .def("set_groups", command<const GroupList&>([](Campaign& campaign, const GroupList& groups) {
             return campaign.set_groups(groups, campaign::now());
           }))
      .def("set_follows", command<const GroupList&>([](Campaign& campaign, const GroupList& pairs) {
             Result<void> done;
             for (const auto& [worker, before] : pairs) {
               done = campaign.set_version({.worker = worker, .follows = before}, campaign::now());
               if (!done) break;
             }
             return done;
           }))
      .def("groups", &groups)
      .def("undo_review",
           command<const std::string&, const std::string&>(
               [](Campaign& campaign, const std::string& item, const std::string& reviewer) {
                 return campaign.undo_review(item, reviewer, campaign::now());
               }))
      .def("review", &review, py::arg("reviewer"), py::arg("verdicts"), py::arg("reason"))
      .def("rows", &export_text, py::arg("kind"))
      .def("status",
           [](const CampaignHandle& one) {
             return summary(without_lock(
                 [campaign = one.get()] { return checked(campaign->view().status()); }));
           })
      .def("explain", &explain, py::arg("item"), py::arg("worker"))
      .def("start_audit", &start_audit, py::arg("checks"), py::arg("until"), py::arg("confidence"),
           py::arg("replace"))
      .def("audit", &audit)
      .def("audit_draws",
           [](const CampaignHandle& one, std::size_t count) {
             return without_lock([&, campaign = one.get()] {
               return checked(campaign->view().audit_draws(count));
             });
           })
      .def("verify",
           [](const CampaignHandle& one) {
             const auto campaign = one.get();
             const auto found = without_lock([&] { return checked(campaign->verify()); });
             return py::make_tuple(found.events, found.decisions, found.differences);
           })
      .def("close", &CampaignHandle::close);
}

}  // namespace allot::python
