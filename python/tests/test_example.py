"""The example runs, stays within its budget, and tells models apart."""

from __future__ import annotations

import contextlib
import io
import unittest

import running
import llm_worker
from allot.client import Client, NewItem


class LlmWorker(unittest.TestCase):
    def setUp(self) -> None:
        server = running.Server()
        self.addCleanup(server.end)
        self.client = Client(server.url, server.token)
        self.addCleanup(self.client.close)

    def demonstrate(self, push: bool) -> str:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            # Mean 0.94, standard deviation 0.025 over seeds: a correct program fails once in a million runs.
            self.assertGreater(llm_worker.demonstrate(self.client, 100, "1.5", 7, push), 0.8)
        return said.getvalue()

    def test_demonstration(self) -> None:
        said = self.demonstrate(push=False)
        self.assertIn("small-model", said)
        self.assertIn("large-model", said)
        self.assertIn("right", said)

    def test_demonstration_where_the_campaign_chooses(self) -> None:
        self.assertIn("labels of 100 items", self.demonstrate(push=True))

    def test_a_model_that_fails_gives_its_item_back(self) -> None:
        campaign = self.client.create_campaign("C", ["no", "yes"], 5).id
        self.client.add_items(campaign, [NewItem("a"), NewItem("b")])

        def broken(_: object) -> str:
            raise RuntimeError("no credit")

        with self.assertRaises(RuntimeError):
            llm_worker.work(self.client, campaign, "m", broken, "0.1")
        self.assertEqual(self.client.status(campaign).leases, 0)
        self.assertEqual(llm_worker.work(self.client, campaign, "m", lambda _: None, "0.1"), 0)
        self.assertEqual([one.skips for one in self.client.workers(campaign)], [2])


if __name__ == "__main__":
    unittest.main()
