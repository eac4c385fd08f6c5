"""Campaigns in memory and in files of the program."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import unittest
from decimal import Decimal
from pathlib import Path

import pandas as pd

import allot
import places


class InMemory(unittest.TestCase):
    def test_asks_until_the_budget_is_spent(self) -> None:
        campaign = allot.Campaign(range(10), classes=[0, 1], budget=25)
        asked = []
        while ask := campaign.ask("ann") or campaign.ask("bob") or campaign.ask("cyd"):
            asked.append(ask.item)
            self.assertEqual(campaign.tell(ask, ask.item % 2), "recorded")
        self.assertEqual(len(asked), 25)
        self.assertIsInstance(asked[0], int)
        self.assertIn("budget", campaign.shortfall)
        status = campaign.status()
        self.assertEqual((status.labels, status.spent, status.left), (25, Decimal(25), Decimal(0)))
        self.assertGreater(status.expected_accuracy, 0.8)
        answers = campaign.answers()
        self.assertEqual(list(answers.columns[:3]), ["task", "agg_label", "confidence"])
        self.assertEqual(answers.agg_label.tolist(), [n % 2 for n in range(10)])
        self.assertEqual(len(campaign.labels()), 25)
        self.assertEqual(campaign.verify(), [])
        self.assertEqual(campaign.classes, [0, 1])

    def test_tells_what_is_known_already(self) -> None:
        campaign = allot.Campaign(["a", "b"], classes=["no", "yes"], budget="2x")
        known = pd.DataFrame([("a", "w", "no"), ("b", "w", "yes")], columns=["task", "worker", "label"])
        self.assertEqual(campaign.tell(known), 2)
        self.assertEqual(campaign.status().spent, 0)
        self.assertEqual(campaign.status().budget, 4)
        with self.assertRaisesRegex(ValueError, "row 1: unknown item 'zz'"):
            campaign.tell([("a", "v", "no"), ("zz", "w", "no")])
        self.assertEqual(campaign.status().labels, 2)

    def test_chooses_whom_to_ask(self) -> None:
        campaign = allot.Campaign(["a", "b"], classes=["no", "yes"], budget=3, worker_prices={"cheap": 1, "dear": 2})
        self.assertIn(campaign.ask().worker, ("cheap", "dear"))
        self.assertIsNone(allot.Campaign(["a"], ["x", "y"], 1).ask())

    def test_knows_workers_who_err_together(self) -> None:
        items = [f"i{n}" for n in range(12)]
        campaign = allot.Campaign(items, classes=["no", "yes"], budget=90, groups={"j0": "judges", "j1": "judges", "ann": None})
        labels = [(item, worker, "yes") for item in items for worker in ("j0", "j1")]
        campaign.tell(labels)
        together = campaign.answers()["confidence"].mean()
        (row,) = campaign.groups().to_dict("records")
        self.assertEqual((row["group"], row["members"], row["items"], row["checked"]), ("judges", 2, 12, 0))
        (judges, *others) = campaign.kinds().to_dict("records")
        self.assertEqual((judges["kind"], judges["workers"]), ("judges", 2))
        self.assertEqual([row["workers"] for row in others], [1])
        campaign.set_groups({"j1": None})
        self.assertGreater(campaign.answers()["confidence"].mean(), together)
        self.assertEqual(list(campaign.workers()["group"]), ["judges", None, None])
        with self.assertRaisesRegex(TypeError, "expected a dictionary"):
            campaign.set_groups(["j0"])
        self.assertEqual(campaign.verify(), [])

    def test_lets_a_new_version_follow_the_old_one(self) -> None:
        items = [f"r{n}" for n in range(20)]
        campaign = allot.Campaign(items, classes=["no", "yes"], budget=90, groups={"old": "models"})
        campaign.tell([(item, "old", "yes") for item in items] + [(item, "ann", "yes") for item in items])
        campaign.set_follows({"new": "old"})
        rows = {row["worker"]: row for row in campaign.workers().to_dict("records")}
        self.assertEqual((rows["new"]["follows"], rows["new"]["group"]), ("old", "models"))
        self.assertGreater(rows["new"]["reliability"], 0.8)
        with self.assertRaisesRegex(allot.Refused, "worker 'ann' has 20 labels"):
            campaign.set_follows({"ann": "old"})
        campaign.set_follows({"new": None})
        self.assertEqual(campaign.verify(), [])

    def test_takes_confidences_and_abstentions(self) -> None:
        campaign = allot.Campaign(["r1", "r2", "r3", "r4"], classes=["no", "yes"], budget=20, worker_prices={"gpt": 2})
        self.assertEqual(campaign.tell(campaign.ask("ann"), "yes", confidence=0.75), "recorded")
        self.assertEqual(campaign.tell(campaign.ask("ann"), {"no": 0.875, "yes": 0.125}), "recorded")
        table = {"task": ["r1", "r2"], "worker": ["bob", "bob"], "label": ["no", "yes"], "sure": [0.5, None]}
        self.assertEqual(campaign.tell(table, confidence="sure"), 2)
        rows = campaign.labels().to_dict("records")
        self.assertEqual([row["confidence"] for row in rows if row["worker"] == "ann"], [0.75, 0.875])
        self.assertEqual([row["confidence"] for row in rows if row["worker"] == "bob"][0], 0.5)
        ask = campaign.ask("ann")
        for wrong in (1.5, -1, float("nan")):
            with self.assertRaisesRegex(ValueError, "expected a number from 0 to 1"):
                campaign.tell(ask, "yes", confidence=wrong)
        with self.assertRaisesRegex(ValueError, "expected at most 1"):
            campaign.tell(ask, {"no": 0.9, "yes": 0.9})
        with self.assertRaises(TypeError):
            campaign.tell(ask, {"no": 0.9}, confidence=0.5)
        with self.assertRaisesRegex(ValueError, "no names of columns"):
            campaign.tell([("r1", "cat", "no")], confidence="sure")
        campaign.abstain(ask)
        self.assertEqual(campaign.status().spent, 2)
        campaign.abstain(campaign.ask("gpt"), note="both fit", paid=True)
        self.assertEqual(campaign.status().spent, 4)
        self.assertEqual(campaign.verify(), [])

    def test_skips_releases_and_revises(self) -> None:
        campaign = allot.Campaign(["a", "b"], classes=["no", "yes"], budget=9)
        first = campaign.ask("ann")
        campaign.release(first)
        self.assertEqual(campaign.tell(campaign.ask("ann"), None), "skipped")
        ask = campaign.ask("ann")
        self.assertEqual(campaign.tell(ask, "no"), "recorded")
        self.assertEqual(campaign.tell(ask, "no"), "already")
        with self.assertRaisesRegex(allot.Refused, "already labelled") as caught:
            campaign.tell(ask, "yes")
        self.assertEqual(caught.exception.code, "conflict")
        self.assertEqual(campaign.tell(ask, "yes", revise=True), "revised")
        with self.assertRaisesRegex(ValueError, "unknown label 'maybe'; expected 'no' or 'yes'|'maybe'"):
            campaign.tell(ask.item, "maybe", worker="ann")

    def test_items_of_a_table_have_fields_prices_and_gold(self) -> None:
        frame = pd.DataFrame(
            {"id": [1, 2, 3], "text": ["x", "y", None], "price": [0.5, 0.25, None], "gold": [None, None, "no"]}
        )
        campaign = allot.Campaign(frame, classes=["no", "yes"], budget=5, gold_rate=1)
        asks = campaign.ask_many("ann", 3)
        by_item = {ask.item: ask for ask in asks}
        self.assertEqual(by_item[1].fields, {"text": "x"})
        self.assertEqual(by_item[1].price, Decimal("0.5"))
        self.assertEqual(by_item[3].fields, {})
        self.assertEqual(campaign.status().gold, 1)
        self.assertGreater(by_item[1].expires.year, 2000)
        campaign.add_items([{"id": 4, "text": "z"}])
        self.assertEqual(campaign.status().items, 4)

    def test_explains_and_audits(self) -> None:
        campaign = allot.Campaign(range(20), classes=["no", "yes"], budget=60)
        for worker in "abc":
            while ask := campaign.ask(worker):
                campaign.tell(ask, "yes" if ask.item < 10 else "no")
        told = campaign.explain(3, "a")
        self.assertEqual(set(told["outlook"]), {"no", "yes"})
        self.assertAlmostEqual(sum(told["probabilities"].values()), 1)
        audit = campaign.start_audit(checks=5)
        self.assertEqual((audit.drawn, audit.checked, audit.estimate), (5, 0, None))
        draws = campaign.audit_draws()
        campaign.review({item: "yes" if item < 10 else "no" for item in draws}, reviewer="expert")
        self.assertEqual((campaign.audit().checked, campaign.audit().right), (5, 5))
        self.assertEqual(len(campaign.agreement(resamples=0).rows), 5)
        campaign.end()
        self.assertEqual(campaign.status().phase, "closed")
        self.assertIsNone(campaign.ask("a"))

    def test_refuses_options_by_their_names(self) -> None:
        for options, sentence in (
            ({"policy": "nope"}, "policy .*'nope'"),
            ({"labels_per_item": -1}, "labels_per_item"),
            ({"stop": "accuracy:2"}, "stop"),
            ({"budget": "ten"}, "budget 'ten' is not a budget"),
            ({"classes": ["one"]}, "classes|class"),
        ):
            with self.subTest(options=options), self.assertRaisesRegex(ValueError, sentence):
                allot.Campaign(**{"items": ["a"], "classes": ["x", "y"], "budget": 3, **options})
        with self.assertRaisesRegex(ValueError, "row 1: column 'price': "):
            allot.Campaign([{"id": 1}, {"id": 2, "price": "cheap"}], ["x", "y"], 3)
        with self.assertRaisesRegex(ValueError, "'a'"):
            allot.Campaign(["a", "a"], ["x", "y"], 3)
        for count in (0, -1, 2**40):
            with self.assertRaisesRegex(ValueError, f"{count} items asked for; expected 1 to"):
                allot.Campaign(["a"], ["x", "y"], 0.1 + 0.2).ask_many("w", count)
        with self.assertRaisesRegex(ValueError, "row 0: the item is missing"):
            allot.Campaign([None], ["x", "y"], 3)

    def test_threads_share_one(self) -> None:
        campaign = allot.Campaign(range(40), classes=["no", "yes"], budget=100)

        def work(worker: str) -> None:
            while ask := campaign.ask(worker):
                campaign.tell(ask, "yes")

        threads = [threading.Thread(target=work, args=(f"w{n}",)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(campaign.status().spent, 100)
        self.assertEqual(campaign.verify(), [])


class InFiles(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "reviews.db")

    def program(self, *words: str) -> str:
        return subprocess.run([places.PROGRAM, "campaign", *words], capture_output=True, text=True, check=True).stdout

    def test_the_program_goes_on_with_it(self) -> None:
        with allot.Campaign(["a", "b"], classes=["no", "yes"], budget=4, path=self.path) as campaign:
            campaign.tell(campaign.ask("ann"), "no")
            self.assertEqual(campaign.name, "reviews")
        leased = json.loads(self.program("next", str(self.path), "--worker", "bob"))
        with allot.Campaign.open(self.path) as campaign:
            self.assertEqual(campaign.tell(leased["item"], "yes", worker="bob"), "recorded")
            self.assertEqual(campaign.status().labels, 2)
        self.assertIn("2", self.program("status", str(self.path)))
        self.assertEqual(json.loads(self.program("verify", str(self.path), "--format", "json"))["differences"], [])

    def test_opens_a_file_of_the_program(self) -> None:
        items = self.path.with_name("items.csv")
        items.write_text("id,text\n1,x\n2,y\n")
        self.program("create", str(self.path), "--items", str(items), "--classes", "no,yes", "--budget", "3")
        campaign = allot.Campaign.open(self.path)
        self.assertIn(campaign.ask("ann").item, ("1", "2"))
        campaign.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            campaign.status()

    def test_missing_and_foreign_files(self) -> None:
        with self.assertRaises(FileNotFoundError):
            allot.Campaign.open(self.path)
        self.path.write_text("not a campaign")
        with self.assertRaises(OSError):
            allot.Campaign.open(self.path)
        with self.assertRaises((OSError, ValueError)):
            allot.Campaign(["a"], ["x", "y"], 3, path=self.path.parent / "nowhere" / "c.db")

    def test_a_child_process_must_open_its_own(self) -> None:
        campaign = allot.Campaign(["a", "b"], classes=["no", "yes"], budget=4, path=self.path)
        child = os.fork()
        if child == 0:
            try:
                campaign.ask("ann")
            except allot.Refused as refused:
                os._exit(0 if "fork" in str(refused) else 2)
            os._exit(1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertIsNotNone(campaign.ask("ann"))


if __name__ == "__main__":
    unittest.main()
