"""The asynchronous client, and a campaign of a server with the verbs of a local one."""

from __future__ import annotations

import asyncio
import unittest

import pandas as pd

import allot
import running
from allot.client import AsyncClient, Client, NewItem, NotFound
from allot.remote import connect


class Remote(unittest.TestCase):
    def setUp(self) -> None:
        self.server = running.Server()
        self.addCleanup(self.server.end)
        with Client(self.server.url, self.server.token) as client:
            self.campaign = client.create_campaign("C", ["no", "yes"], 30).id
            client.add_items(self.campaign, [NewItem(f"i{n}") for n in range(10)])

    def test_many_workers_ask_and_answer_at_once(self) -> None:
        async def work(allot: AsyncClient, worker: str) -> int:
            done = 0
            while assignments := (await allot.ask(self.campaign, worker=worker)).assignments:
                await allot.label(self.campaign, assignments[0].item, "yes", worker=worker)
                done += 1
            return done

        async def everybody() -> int:
            async with AsyncClient(self.server.url, self.server.token) as allot:
                done = sum(await asyncio.gather(*(work(allot, f"w{n}") for n in range(5))))
                answers = [one async for one in allot.answers(self.campaign)]
                self.assertEqual([one.answer for one in answers], ["yes"] * 10)
                with self.assertRaises(NotFound):
                    await allot.status("nowhere")
                return done

        self.assertEqual(asyncio.run(everybody()), 30)

    def test_has_the_verbs_of_a_campaign(self) -> None:
        with connect(self.server.url, self.server.token, self.campaign) as campaign:
            self.assertEqual(campaign.classes, ["no", "yes"])
            while ask := campaign.ask("ann"):
                self.assertEqual(campaign.tell(ask, "no" if ask.item == "i3" else "yes"), "recorded")
            self.assertNotEqual(campaign.shortfall, "")
            self.assertEqual(campaign.tell(campaign.ask("bob"), None), "skipped")
            self.assertIn(campaign.ask().worker, ("ann", "bob"))
            campaign.add_items(["i10"])
            self.assertEqual(campaign.status().items, 11)
            answers = campaign.answers()
            self.assertEqual(list(answers.columns[:3]), ["task", "agg_label", "confidence"])
            self.assertEqual(answers.set_index("task").agg_label["i3"], "no")
            self.assertEqual(set(campaign.workers().worker), {"ann", "bob"})
            self.assertEqual(campaign.explain("i3").item, "i3")
            campaign.review({"i3": "yes"}, "expert")
            campaign.pause()
            self.assertIsNone(campaign.ask("cyd"))

    def test_has_the_reports_and_checks_of_a_campaign(self) -> None:
        with connect(self.server.url, self.server.token, self.campaign) as campaign:
            known = pd.DataFrame({"task": ["i1", "i2", "i2"], "worker": ["w", "w", "v"], "label": ["no", "yes", "yes"]})
            self.assertEqual(campaign.tell(known), 3)
            self.assertEqual(campaign.tell(known), 0)
            labels = campaign.labels()
            self.assertEqual(list(labels.columns[:3]), ["task", "worker", "label"])
            self.assertEqual(len(labels), 3)
            self.assertGreater(len(campaign.events()), 3)
            self.assertEqual(campaign.agreement(resamples=0)["percent_agreement"]["value"], 1)
            campaign.start_audit(checks=2)
            self.assertEqual(sorted(campaign.audit_draws()), ["i1", "i2"])
            campaign.review({"i1": "no"}, "expert")
            self.assertEqual(campaign.audit_draws(), ["i2"])
            campaign.undo_review("i1", "expert")
            campaign.close()

    def test_refuses_as_a_campaign_does(self) -> None:
        with connect(self.server.url, self.server.token, self.campaign) as campaign:
            for call in (
                lambda: campaign.tell("i99", "yes", worker="ann"),
                lambda: campaign.tell([("i99", "ann", "yes")]),
                lambda: campaign.review({"i99": "yes"}, "expert"),
                lambda: campaign.explain("i99"),
            ):
                with self.assertRaisesRegex(allot.Refused, "unknown item 'i99'") as caught:
                    call()
                self.assertIsInstance(caught.exception, ValueError)
            with self.assertRaisesRegex(TypeError, "label is missing"):
                campaign.tell(campaign.ask("ann"))

    def test_a_closed_client_says_so(self) -> None:
        async def late() -> None:
            client = AsyncClient(self.server.url, self.server.token)
            await client.close()
            with self.assertRaisesRegex(ValueError, "the client is closed"):
                await client.status(self.campaign)

        asyncio.run(late())


if __name__ == "__main__":
    unittest.main()
