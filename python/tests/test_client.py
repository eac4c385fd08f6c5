"""Every method against a real server."""

from __future__ import annotations

import http.server
import io
import itertools
import json
import os
import tempfile
import threading
import unittest
from dataclasses import fields, is_dataclass
from decimal import Decimal

import running
from allot.client import (
    BadRequest,
    Client,
    Conflict,
    Forbidden,
    NewItem,
    NewLabel,
    NotFound,
    ProtocolError,
    Refused,
    Unauthorized,
    models,
)


class ClientTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = running.Server()
        cls.admin = Client(cls.server.url, cls.server.token)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.admin.close()
        cls.server.end()

    def campaign(self, items: int = 3, **options: object) -> str:
        chosen = {"budget": 100, "labels_per_item": 3, **options}
        campaign = self.admin.create_campaign("Reviews", ["no", "yes"], **chosen).id
        self.admin.add_items(campaign, [NewItem(f"i{n}", {"text": f"t{n}"}) for n in range(items)])
        return campaign


class Campaigns(ClientTest):
    def test_are_made_listed_read_changed_and_closed(self) -> None:
        made = self.admin.create_campaign(
            "Cats", ["no", "yes"], Decimal("12.34"), price="0.05", stop=["accuracy:0.99"], lease="5m"
        )
        self.assertEqual(made.name, "Cats")
        self.assertIsNotNone(made.created.tzinfo)
        self.assertIn(made.id, [one.id for one in self.admin.campaigns()])
        campaign = self.admin.campaign(made.id)
        self.assertEqual(campaign.budget, Decimal("12.34"))
        self.assertEqual(campaign.options.price, Decimal("0.05"))
        self.assertEqual(campaign.options.lease, "300s")
        self.assertEqual(campaign.options.stop, ["accuracy:0.99"])
        self.assertEqual(self.admin.change_campaign(made.id, budget="20", name="Dogs").name, "Dogs")
        heir = self.admin.make_token("requester").token.id
        self.assertEqual(self.admin.change_campaign(made.id, owner=heir).owner, heir)
        self.assertEqual(self.admin.pause(made.id).phase, "paused")
        self.assertEqual(self.admin.resume(made.id).phase, "running")
        self.assertEqual(self.admin.close_campaign(made.id, "enough").reason, "enough")
        self.assertEqual(self.admin.close_campaign(made.id, "enough").phase, "closed")
        with self.assertRaises(Forbidden):
            self.admin.close_campaign(made.id, "another reason")

    def test_are_archived_and_deleted(self) -> None:
        campaign = self.admin.create_campaign("Old", ["a", "b"], 1).id
        with self.assertRaises(Conflict):
            self.admin.delete_campaign(campaign)
        self.assertTrue(self.admin.archive_campaign(campaign).archived)
        self.assertTrue(self.admin.status(campaign).archived)
        self.assertFalse(self.admin.unarchive_campaign(campaign).archived)
        self.admin.archive_campaign(campaign)
        self.admin.delete_campaign(campaign)
        with self.assertRaises(NotFound):
            self.admin.campaign(campaign)

    def test_with_the_same_key_are_one(self) -> None:
        first = self.admin.create_campaign("One", ["a", "b"], 1, key="one")
        self.assertEqual(first, self.admin.create_campaign("One", ["a", "b"], 1, key="one"))
        with self.assertRaises(BadRequest) as refused:
            self.admin.create_campaign("Two", ["a", "b"], 1, key="one")
        self.assertEqual(refused.exception.code, "key_reused")

    def test_lists_go_on_beyond_a_page(self) -> None:
        campaign = self.campaign(2500)
        self.assertEqual(
            [one.item for one in self.admin.items(campaign)], [f"i{n}" for n in range(2500)]
        )
        self.assertEqual(len(list(self.admin.answers(campaign))), 2500)

    def test_money_keeps_its_digits(self) -> None:
        campaign = self.campaign(budget="123456789.123457")
        self.assertEqual(self.admin.status(campaign).left, Decimal("123456789.123457"))

    def test_money_may_be_small_or_have_an_exponent(self) -> None:
        for price in (0.00005, Decimal("0.0000001"), Decimal("1E+1"), 3, "0.5"):
            made = self.admin.create_campaign("Small", ["no", "yes"], Decimal("1E+2"), price=price)
            self.admin.set_price(made.id, "model", price)
            campaign = self.admin.campaign(made.id)
            self.assertEqual(campaign.budget, 100)
            self.assertEqual(campaign.options.price, Decimal(str(price)))


class Items(ClientTest):
    def test_of_many_bytes_go_in_several_requests(self) -> None:
        campaign = self.admin.create_campaign("Long", ["no", "yes"], 10).id
        long = [{"id": f"l{n}", "fields": {"text": "x" * 100_000}} for n in range(25)]
        self.assertEqual(self.admin.add_items(campaign, long).added, 25)
        self.assertEqual(self.admin.add_items(campaign, []).added, 0)

    def test_with_the_same_key_are_added_once(self) -> None:
        campaign = self.campaign(0)
        items = [NewItem(f"k{n}") for n in range(1500)]
        self.assertEqual(self.admin.add_items(campaign, items, key="k").added, 1500)
        self.assertEqual(self.admin.add_items(campaign, items, key="k").added, 1500)
        self.assertEqual(self.admin.status(campaign).items, 1500)
        with self.assertRaises(Refused):
            self.admin.add_items(campaign, items)

    def test_have_prices_gold_and_features(self) -> None:
        campaign = self.admin.create_campaign("F", ["no", "yes"], 10, features=["length"]).id
        self.admin.add_items(
            campaign,
            [NewItem("g", {"n": 1}, gold="yes", features=[1.5]), NewItem("p", price="0.5", features=[2])],
        )
        self.assertEqual([one.gold for one in self.admin.items(campaign)], ["yes", None])

    def test_have_a_truth_to_measure_by_and_twins(self) -> None:
        page = {"question": "Which?", "fields": {"note": "hidden"}}
        campaign = self.admin.create_campaign("T", ["no", "yes"], 10, page=page).id
        self.admin.add_items(campaign, [NewItem("a", {"note": 1}, truth="yes"), NewItem("b")])
        self.assertEqual([one.truth for one in self.admin.items(campaign)], ["yes", None])
        self.admin.label(
            campaign, self.admin.ask(campaign, worker="ann").assignments[0].item, "yes", worker="ann"
        )
        self.assertEqual(self.admin.status(campaign).truths, 1)
        curve = self.admin.curve(campaign)
        self.assertEqual([one.labels for one in curve], [0, 1])
        self.assertEqual(curve[-1].accuracy, self.admin.status(campaign).accuracy)
        changed = self.admin.change_campaign(campaign, page={"instructions": "Look."})
        self.assertEqual((changed.page.question, changed.page.instructions), ("Which?", "Look."))
        twin = self.admin.twin(campaign, "least-labelled", budget=3)
        self.assertEqual(twin.twin_of, campaign)
        self.assertEqual(self.admin.campaign(twin.id).options.policy, "least-labelled")
        self.assertEqual([one.truth for one in self.admin.items(twin.id)], ["yes", None])

    def test_without_a_label_have_no_answer(self) -> None:
        campaign = self.campaign(3)
        given = self.admin.ask(campaign, worker="ann").assignments[0].item
        self.admin.label(campaign, given, "yes", worker="ann")
        for one in self.admin.answers(campaign):
            labelled = one.item == given
            self.assertEqual(one.answer, "yes" if labelled else None)
            self.assertEqual(one.status, "labelled" if labelled else "no label yet")
            self.assertEqual([one.probability is None, one.calibrated is None], [not labelled] * 2)
            self.assertAlmostEqual(sum(one.probabilities.values()), 1)
        for listed in self.admin.items(campaign):
            self.assertEqual(listed.answer, "yes" if listed.item == given else None)
        answers = self.admin.status(campaign).answers
        self.assertEqual((answers.count, answers.unlabelled, answers.verified), (1, 2, False))

    def test_are_uploaded_from_files(self) -> None:
        campaign = self.campaign(0)
        with tempfile.TemporaryDirectory() as folder:
            csv, lines = os.path.join(folder, "a.csv"), os.path.join(folder, "b.jsonl")
            with open(csv, "w") as file:
                file.write("name,text,known\n" + "".join(f"c{n},t,\n" for n in range(3000)))
            with open(lines, "w") as file:
                file.write("".join(json.dumps({"id": f"c{n}"}) + "\n" for n in range(2990, 3010)))
            self.assertEqual(self.admin.upload_items(campaign, csv, id="name", gold="known").added, 3000)
            added = self.admin.upload_items(campaign, lines, skip_known=True)
            self.assertEqual((added.added, added.known), (10, 10))
            with self.assertRaises(ValueError):
                self.admin.upload_items(campaign, os.path.join(folder, "a.csv"), kind="xml")
        self.assertEqual(self.admin.upload_items(campaign, io.BytesIO(b"id\nz\n"), kind="csv").added, 1)

    def test_that_are_refused_in_the_middle_of_a_long_upload_say_why(self) -> None:
        campaign = self.campaign(0)
        rows = b"id\na\na\n" + b"".join(b"%d\n" % n for n in range(1_000_000))
        with self.assertRaises(Refused) as refused:
            self.admin.upload_items(campaign, io.BytesIO(rows), kind="csv")
        self.assertIn("'a'", refused.exception.detail)

    def test_show_how_far_workers_agree(self) -> None:
        campaign = self.admin.create_campaign(
            "Agreement", ["no", "yes"], 100, agreement_sample="2:2", gold_rate=0
        ).id
        self.admin.add_items(campaign, [NewItem(f"a{n}") for n in range(5)])
        self.assertEqual(self.admin.campaign(campaign).options.agreement_sample, "2:2")
        for worker in ("ann", "bob"):
            for label in ("no", "yes"):
                item = self.admin.ask(campaign, worker=worker).assignments[0].item
                self.admin.label(campaign, item, label, worker=worker)
        found = self.admin.agreement(campaign, resamples=100)
        self.assertEqual((found.sampled, found.complete, found.labels), (2, 2, 4))
        self.assertEqual(found.coefficients[0].coefficient, "percent_agreement")
        self.assertEqual(found.coefficients[0].value, 1)
        self.assertFalse(found.adaptive)

    def test_are_settled_and_explained(self) -> None:
        campaign = self.campaign()
        self.admin.settle(campaign, "i0", "by hand")
        why = self.admin.explain(campaign, "i0")
        self.assertEqual(why.settled, "by hand")
        self.assertEqual(why.fields, {"text": "t0"})
        self.assertAlmostEqual(sum(why.probabilities.values()), 1)
        self.admin.set_price(campaign, "ann", "0.5")
        self.assertEqual(set(self.admin.explain(campaign, "i1", worker="ann").outlook), {"no", "yes"})


class Work(ClientTest):
    def test_of_a_worker_with_a_link(self) -> None:
        campaign = self.campaign()
        link = self.admin.make_link(campaign, "ann", label="Ann's")
        self.assertNotIn(link.secret, repr(link))
        self.assertTrue(link.link and link.link.endswith(link.secret))
        with Client(self.server.url, link.secret) as ann:
            me = ann.me()
            self.assertEqual((me.role, me.worker), ("worker", "ann"))
            self.assertEqual(me.campaign.classes if me.campaign else [], ["no", "yes"])
            given = ann.ask(campaign).assignments[0]
            self.assertEqual(given.fields["text"], "t" + given.item[1:])
            self.assertEqual(ann.at_hand(campaign).assignments[0], given)
            labelled = ann.label(campaign, given.item, "yes", next=1)
            self.assertEqual([one.outcome for one in labelled.labels], ["recorded"])
            assert labelled.next is not None
            second = labelled.next.assignments[0].item
            back = ann.skip(campaign, second, next=2)
            assert back.next is not None and back.next.shortfall is not None
            third = back.next.assignments[0].item
            self.assertEqual(len({given.item, second, third}), 3)
            self.assertIsNone(ann.release(campaign, third).next)
            with self.assertRaises(Forbidden) as refused:
                ann.status(campaign)
            self.assertEqual(refused.exception.code, "wrong_role")
            self.admin.revoke_token(link.token.id)
            with self.assertRaises(Unauthorized):
                ann.me()

    def test_of_a_reviewer_with_a_link(self) -> None:
        campaign = self.campaign()
        given = self.admin.ask(campaign, worker="ann").assignments[0].item
        self.admin.label(campaign, given, "yes", worker="ann")
        link = self.admin.make_link(campaign, reviewer="eve")
        with Client(self.server.url, link.secret) as eve:
            self.assertEqual((eve.me().role, eve.me().reviewer), ("reviewer", "eve"))
            queue = eve.review_queue(campaign)
            self.assertEqual([one.item for one in queue], [given])
            labels = queue[0].labels or []
            self.assertEqual([(one.worker, one.label) for one in labels], [("ann", "yes")])
            outcomes = eve.review(campaign, {given: "no", "nowhere": "no"}, reason="plain")
            self.assertEqual([one.outcome for one in outcomes], ["recorded", "refused"])
            verdict = next(iter(eve.verdicts(campaign)))
            self.assertEqual((verdict.answer, verdict.believed), ("no", "yes"))
            self.assertEqual(verdict.stated, queue[0].probability)
            eve.undo_review(campaign, given)
            self.assertIsNone(eve.audit(campaign))
            self.assertEqual(self.admin.start_audit(campaign, checks=1, key="a").answers, 1)
            begun = self.admin.start_audit(campaign, checks=1, key="a")
            self.assertEqual((begun.number, begun.next), (1, given))
            self.assertIsNone(begun.shares[0].estimate)
            check = eve.review_queue(campaign)[0]
            self.assertEqual((check.why, check.labels, check.answer), ("audit", None, None))
            eve.review(campaign, {given: "yes"})
            audit = eve.audit(campaign)
            assert audit is not None
            self.assertEqual((audit.checked, audit.right, audit.lower), (1, 1, 1.0))
            eve.undo_review(campaign, given)
            self.assertEqual(list(eve.verdicts(campaign)), [])

    def test_of_many_workers_with_one_token(self) -> None:
        campaign = self.campaign(4)
        names = ["ann", "bob"]
        handed = {name: self.admin.ask(campaign, 4, worker=name).assignments for name in names}
        given = [NewLabel(one.item, "no", name) for name in names for one in handed[name]]
        outcomes = self.admin.labels(campaign, [*given, NewLabel("nothing", "no", "ann")]).labels
        self.assertEqual([one.outcome for one in outcomes], ["recorded"] * 8 + ["refused"])
        self.assertEqual(outcomes[-1].code, "not_found")
        again = self.admin.labels(campaign, given).labels
        self.assertEqual({one.outcome for one in again}, {"already"})
        with self.assertRaises(Conflict):
            self.admin.label(campaign, "i0", "yes", worker="ann")
        revised = self.admin.label(campaign, "i0", "yes", worker="ann", revise=True)
        self.assertEqual(revised.labels[0].outcome, "revised")
        self.assertEqual({one.worker: one.labels for one in self.admin.workers(campaign)},
                         {"ann": 4, "bob": 4})
        status = self.admin.status(campaign)
        self.assertEqual((status.labels, status.spent), (8, 8))

    def test_where_the_campaign_says_whom_to_ask(self) -> None:
        campaign = self.campaign(1, labels_per_item=1)
        self.assertIsNone(self.admin.whom_next(campaign).worker)
        self.admin.set_price(campaign, "model", "0.01")
        self.admin.set_version(campaign, "model", version="1")
        self.assertEqual([one.version for one in self.admin.workers(campaign)], ["1"])
        whom = self.admin.whom_next(campaign)
        self.assertEqual(whom.worker, "model")
        self.assertEqual(whom.assignments[0].price, Decimal("0.01"))

    def test_that_is_nowhere_to_be_had_is_a_shortfall(self) -> None:
        campaign = self.campaign(0)
        asked = self.admin.ask(campaign, worker="ann")
        self.assertEqual(asked.assignments, [])
        self.assertIsNotNone(asked.shortfall)

    def test_of_threads_that_share_a_client(self) -> None:
        campaign = self.campaign(50, labels_per_item=8)
        taken = []

        def loop(name: str) -> None:
            waiting = self.admin.ask(campaign, worker=name).assignments
            while waiting:
                following = self.admin.label(campaign, waiting[0].item, "no", worker=name, next=1)
                taken.append(waiting[0].item)
                waiting = following.next.assignments if following.next else []

        threads = [threading.Thread(target=loop, args=(f"w{n}",)) for n in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        status = self.admin.status(campaign)
        self.assertEqual(status.labels, len(taken))
        self.assertEqual(status.spent, 100)


class Tokens(ClientTest):
    def test_are_made_listed_and_revoked(self) -> None:
        made = self.admin.make_token("requester", label="Rita")
        self.assertIn(made.token.id, [one.id for one in self.admin.tokens()])
        with Client(self.server.url, made.secret) as rita:
            self.assertEqual(rita.me().label, "Rita")
            self.assertEqual(list(rita.campaigns()), [])
            with self.assertRaises(NotFound):
                rita.campaign(self.campaign())
            worker = rita.create_campaign("R", ["no", "yes"], 1).id
            token = rita.make_token("worker", campaign=worker, worker="w")
            self.assertEqual(token.token.worker, "w")
        self.admin.revoke_token(made.token.id)
        revoked = {one.id: one.revoked for one in self.admin.tokens()}
        self.assertIsNotNone(revoked[made.token.id])


class Reports(ClientTest):
    def test_events_go_on_from_a_cursor(self) -> None:
        campaign = self.campaign(2)
        self.admin.ask(campaign, 2, worker="ann")
        events = list(self.admin.events(campaign))
        self.assertEqual([one.sequence for one in events], sorted({one.sequence for one in events}))
        self.assertEqual(list(self.admin.events(campaign, events[1].sequence)), events[2:])
        self.assertEqual(sum(one.items or 0 for one in events), 2)

    def test_live_events_come_as_they_happen(self) -> None:
        campaign = self.campaign(3)
        before = list(self.admin.events(campaign))
        live = self.admin.live_events(campaign)
        self.assertEqual(list(itertools.islice(live, len(before))), before)
        given = self.admin.ask(campaign, worker="ann").assignments[0]
        self.admin.label(campaign, given.item, "yes", worker="ann")
        for event in live:
            if event.label:
                self.assertEqual((event.item, event.worker, event.label), (given.item, "ann", "yes"))
                break
        live.close()

    def test_live_events_end_with_the_token(self) -> None:
        requester = self.admin.make_token("requester")
        with Client(self.server.url, requester.secret) as rita:
            campaign = rita.create_campaign("R", ["no", "yes"], 1).id
            live = rita.live_events(campaign)
            next(live)
            self.admin.revoke_token(requester.token.id)
            self.admin.pause(campaign)
            with self.assertRaises(Unauthorized):
                for _ in live:
                    pass

    def test_exports_are_files(self) -> None:
        campaign = self.campaign(1200, labels_per_item=2, budget=2000)
        for name in ("ann", "bob"):
            given = self.admin.ask(campaign, 100, worker=name).assignments
            self.admin.labels(campaign, [NewLabel(one.item, "no") for one in given], worker=name)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "labels.csv")
            size = self.admin.export(campaign, "labels", path)
            self.assertEqual(size, os.path.getsize(path))
            with open(path) as file:
                self.assertEqual(len(file.readlines()), 201)
            self.admin.export(campaign, "answers", path, format="jsonl")
            with open(path) as file:
                self.assertEqual(len([json.loads(line) for line in file]), 1200)
            with self.assertRaises(NotFound):
                self.admin.export(campaign, "nothing", os.path.join(folder, "none"))
            with self.assertRaises(FileNotFoundError):
                self.admin.export(campaign, "labels", os.path.join(folder, "no/where.csv"))
            self.assertEqual(os.listdir(folder), ["labels.csv"])

    def test_the_server_tells_about_itself(self) -> None:
        self.assertTrue(self.admin.healthy())
        self.assertFalse(Client("http://127.0.0.1:1", attempts=1).healthy())
        self.assertIn("allot_", self.admin.metrics())
        self.assertTrue(self.admin.openapi()["openapi"].startswith("3.1"))


class Webhooks(ClientTest):
    def test_are_made_changed_tried_and_deleted(self) -> None:
        campaign = self.campaign()
        made = self.admin.make_webhook(
            campaign, "https://example.invalid/hook", ["label.created"], description="ours"
        )
        self.assertTrue(made.secret.startswith("whsec_"))
        self.assertNotIn(made.secret, repr(made))
        hook = made.webhook.id
        self.assertEqual([one.id for one in self.admin.webhooks(campaign)], [hook])
        changed = self.admin.change_webhook(campaign, hook, events=["campaign.closed"])
        self.assertEqual((changed.events, changed.description), (["campaign.closed"], "ours"))
        fresh = self.admin.rotate_secret(campaign, hook)
        self.assertNotEqual(fresh.secret, made.secret)
        shown = self.admin.webhooks(campaign)[0]
        self.assertEqual(shown.old_secret_until, fresh.old_secret_until)
        message = self.admin.test_webhook(campaign, hook)
        self.assertEqual([one.id for one in self.admin.deliveries(campaign, hook)], [message])
        self.assertFalse(self.admin.change_webhook(campaign, hook, active=False).active)
        self.admin.delete_webhook(campaign, hook)
        self.assertEqual(self.admin.webhooks(campaign), [])
        with self.assertRaises(NotFound):
            self.admin.rotate_secret(campaign, hook)


class Conventions(ClientTest):
    def test_every_member_of_what_comes_back_has_a_place(self) -> None:
        """The models have the members that the server's OpenAPI description names."""
        schemas = self.admin.openapi()["components"]["schemas"]
        names = {"CampaignEntry", "Campaign", "Status", "Options", "Assignment", "Shortfall",
                 "Assignments", "Outcome", "Answer", "AnswerSummary", "Worker", "Item", "Event",
                 "Token", "Person", "Page", "Point", "Webhook", "Delivery", "RecruitingLink", "Session"}
        for name in names:
            model = getattr(models, name)
            self.assertTrue(is_dataclass(model))
            with self.subTest(name):
                self.assertEqual({one.name for one in fields(model)}, set(schemas[name]["properties"]))

    def test_every_method_has_a_route(self) -> None:
        """Fails when a route is renamed or removed."""
        routes = self.admin.openapi()["paths"]
        names = {one["operationId"] for path in routes.values() for one in path.values()}
        covered = {
            "health", "ready", "openapi", "docs", "docs_style", "metrics", "who_am_i", "list_tokens",
            "make_token", "revoke_token", "make_link", "list_campaigns", "create_campaign",
            "read_campaign", "change_campaign", "pause_campaign", "resume_campaign",
            "close_campaign", "archive_campaign", "unarchive_campaign", "delete_campaign",
            "set_price", "set_version", "settle_item", "add_items", "upload_items", "list_items",
            "ask", "list_at_hand", "ask_whom", "give_labels", "skip", "release", "list_answers",
            "list_workers", "status", "curve", "make_twin", "explain", "list_events", "live_events",
            "export", "list_webhooks", "make_webhook", "change_webhook", "delete_webhook",
            "rotate_secret", "list_deliveries", "test_webhook", "review_queue", "give_verdicts",
            "undo_verdict", "list_verdicts", "read_audit", "start_audit", "make_recruiting",
            "list_recruiting", "change_recruiting", "list_sessions", "list_people", "add_person",
            "remove_person",
        }
        self.assertLessEqual(covered, names)

    def test_names_people_with_accounts(self) -> None:
        flags = ("--proxy-header", "X-Forwarded-Email", "--trusted-proxies", "127.0.0.1",
                 "--sign-in-workers", "@example.org")
        server = running.Server(*flags)
        try:
            with Client(server.url, server.token) as admin:
                campaign = admin.create_campaign("Team", ["no", "yes"], 100).id
                named = admin.add_person(campaign, "Ann@example.org")
                self.assertEqual((named.address, named.role), ("ann@example.org", "worker"))
                self.assertEqual(list(admin.people(campaign)), [named])
                self.assertEqual(admin.add_person(campaign, "ann@example.org", "reviewer").role, "reviewer")
                admin.remove_person(campaign, "ann@example.org")
                self.assertEqual(list(admin.people(campaign)), [])
        finally:
            server.end()

    def test_recruits_through_one_link(self) -> None:
        campaign = self.admin.create_campaign("Crowd", ["no", "yes"], 100).id
        link = self.admin.recruit(campaign, "prolific", labels=3, codes={"done": "C1"})
        self.assertIn("PROLIFIC_PID={{%PROLIFIC_PID%}}", link.study_path)
        self.assertEqual(link.terms["codes"]["done"], "C1")
        changed = self.admin.change_recruiting(campaign, link.id, open=False)
        self.assertFalse(changed.terms["open"])
        self.assertEqual([one.id for one in self.admin.recruiting(campaign)], [link.id])
        self.assertEqual(list(self.admin.sessions(campaign)), [])

    def test_language_models_that_the_server_offers(self) -> None:
        class Endpoint(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                body = json.dumps({"choices": [{"message": {"content": "yes"}}]}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        endpoint = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
        threading.Thread(target=endpoint.serve_forever, daemon=True).start()
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as settings:
            settings.write(
                f'[[endpoint]]\nname = "a"\nurl = "http://127.0.0.1:{endpoint.server_port}/v1"\n'
                'models = { small = "0.25" }\n'
            )
            settings.flush()
            server = running.Server("--models", settings.name)
        try:
            with Client(server.url, server.token) as admin:
                campaign = admin.create_campaign("Models", ["no", "yes"], 10).id
                admin.add_items(campaign, [NewItem(f"i{n}", {"text": str(n)}) for n in range(6)])
                offered = admin.models(campaign)
                self.assertEqual(offered.models, [models.ModelOffer("small", "a", Decimal("0.25"))])
                self.assertIn("{{text}}", offered.prompt)
                self.assertIsNone(offered.run)
                with self.assertRaises(BadRequest):
                    admin.start_models(campaign, ["other"])
                self.assertEqual(admin.start_models(campaign, ["small"], cost_cap=1).cost_cap, 1)
                run = admin.models(campaign).run
                while run is not None and run.state == "running":
                    run = admin.models(campaign).run
                assert run is not None
                self.assertEqual((run.state, run.cost, run.workers[0].labels), ("finished", 1, 4))
                self.assertEqual(admin.stop_models(campaign).state, "finished")
        finally:
            server.end()
            endpoint.shutdown()
            endpoint.server_close()

    def test_refusals_have_code_detail_and_status(self) -> None:
        with self.assertRaises(BadRequest) as refused:
            self.admin.create_campaign("", ["no", "yes"], 1)
        self.assertEqual((refused.exception.status, refused.exception.code), (400, "invalid_argument"))
        self.assertIn("name", refused.exception.detail)
        with self.assertRaises(NotFound):
            self.admin.campaign("no such campaign")
        with self.assertRaises(Unauthorized), Client(self.server.url) as nobody:
            nobody.me()
        with self.assertRaises(ValueError):
            Client("ftp://somewhere")

    def test_answers_that_make_no_sense_are_said_to(self) -> None:
        with self.assertRaises(ProtocolError):
            models.read(models.Added, {"added": "many", "known": 0})
        with self.assertRaises(ProtocolError):
            models.read(models.CampaignEntry, {"id": "x", "name": "y", "owner": "z", "created": "now"})


if __name__ == "__main__":
    unittest.main()
