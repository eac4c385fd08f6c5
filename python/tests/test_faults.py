"""Lost answers, refusals with Retry-After, and a killed server."""

from __future__ import annotations

import io
import itertools
import os
import socket
import tempfile
import threading
import time
import unittest
from typing import Dict, List

import running
from allot.client import Client, NewItem, Unavailable


def give_all(client: Client, campaign: str, worker: str, given: Dict[str, str]) -> None:
    """Labels until no item is left; ``given`` holds the acknowledged labels."""
    waiting = client.ask(campaign, worker=worker).assignments
    while waiting:
        label = "yes" if hash(waiting[0].item) % 2 else "no"
        following = client.label(campaign, waiting[0].item, label, worker=worker, next=1)
        # A killed server forgets its answer but knows the label.
        assert following.labels[0].outcome in ("recorded", "already"), following
        given[waiting[0].item] = label
        waiting = following.next.assignments if following.next else []


def kept(client: Client, campaign: str) -> Dict[str, Dict[str, str]]:
    """Returns the labels of the ledger by worker. Fails if a worker labelled an item twice."""
    labels: Dict[str, Dict[str, str]] = {}
    for event in client.events(campaign):
        if event.label:
            assert event.item is not None and event.worker is not None
            mine = labels.setdefault(event.worker, {})
            assert event.item not in mine, f"{event.worker} labelled {event.item} twice"
            mine[event.item] = event.label
    return labels


class LostAnswers(unittest.TestCase):
    def setUp(self) -> None:
        self.server = running.Server()
        self.admin = Client(self.server.url, self.server.token)
        self.campaign = self.admin.create_campaign("Lossy", ["no", "yes"], 1000).id
        self.admin.add_items(self.campaign, [NewItem(f"i{n}") for n in range(40)])

    def tearDown(self) -> None:
        self.admin.close()
        self.server.end()

    def through(self, drop: List[bool], **options: object) -> Client:
        self.proxy = running.Proxy(self.server, drop)
        self.addCleanup(self.proxy.end)
        client = Client(self.proxy.url, self.server.token, **options)
        self.addCleanup(client.close)
        return client

    def test_do_not_count_twice(self) -> None:
        client = self.through([False, True] * 200)
        given: Dict[str, str] = {}
        give_all(client, self.campaign, "ann", given)
        self.assertGreater(self.proxy.lost, 30)
        self.assertEqual(kept(self.admin, self.campaign), {"ann": given})
        status = self.admin.status(self.campaign)
        self.assertEqual((status.labels, status.spent, status.leases), (40, 40, 0))

    def test_of_requests_for_work_hand_out_nothing_more(self) -> None:
        asked = self.through([True, True, False]).ask(self.campaign, 3, worker="ann")
        self.assertEqual(self.proxy.lost, 2)
        at_hand = self.admin.at_hand(self.campaign, worker="ann").assignments
        self.assertEqual({one.item for one in at_hand}, {one.item for one in asked.assignments})

    def test_of_items_skips_and_campaigns_repeat_nothing(self) -> None:
        client = self.through([True, False])
        self.assertEqual(client.add_items(self.campaign, [NewItem("x")]).added, 1)
        self.proxy.answers = 0
        self.assertEqual(client.upload_items(self.campaign, io.BytesIO(b"id\ny\n"), kind="csv").added, 1)
        given = self.admin.ask(self.campaign, 2, worker="ann").assignments
        self.proxy.answers = 0
        self.assertEqual(client.skip(self.campaign, given[0].item, worker="ann").item, given[0].item)
        self.proxy.answers = 0
        self.assertEqual(client.release(self.campaign, given[1].item, worker="ann").item, given[1].item)
        self.proxy.answers = 0
        made = client.create_campaign("Once", ["no", "yes"], 1)
        self.assertEqual([one.id for one in self.admin.campaigns() if one.name == "Once"], [made.id])
        self.proxy.answers = 0
        self.assertEqual(client.close_campaign(made.id).phase, "closed")
        self.assertEqual(self.proxy.lost, 6)
        self.assertEqual(self.admin.status(self.campaign).items, 42)

    def test_of_tokens_are_not_repeated(self) -> None:
        client = self.through([True, False])
        with self.assertRaises(Unavailable) as lost:
            client.make_token("requester", label="lost")
        self.assertIn("may or may not", str(lost.exception))
        self.assertEqual([one.label for one in self.admin.tokens()].count("lost"), 1)

    def test_of_exports_leave_no_half_a_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "answers.csv")
            self.through([True, False]).export(self.campaign, "answers", path)
            with open(path) as file:
                self.assertEqual(len(file.readlines()), 41)
            with self.assertRaises(Unavailable):
                self.through([True], attempts=2).export(self.campaign, "answers", path + "2")
            self.assertEqual(os.listdir(folder), ["answers.csv"])

    def test_end_after_some_attempts(self) -> None:
        client = self.through([True], attempts=3)
        with self.assertRaises(Unavailable):
            client.status(self.campaign)
        self.assertEqual(self.proxy.lost, 3)

    def test_one_connection_serves_many_requests(self) -> None:
        client = self.through([False])
        for _ in range(20):
            client.status(self.campaign)
        self.assertEqual(self.proxy.connections, 1)


class Patience(unittest.TestCase):
    """A server with scripted answers."""

    def answering(self, *answers: bytes) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        self.heard: List[bytes] = []

        def serve() -> None:
            for answer in answers:
                client, _ = listener.accept()
                with client:
                    self.heard.append(client.recv(65536))
                    client.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    @staticmethod
    def answer(status: str, body: bytes, fields: bytes = b"") -> bytes:
        return (
            b"HTTP/1.1 " + status.encode() + b"\r\nConnection: close\r\n" + fields
            + b"Content-Length: %d\r\n\r\n" % len(body) + body
        )

    def test_waits_as_long_as_it_is_asked_to(self) -> None:
        problem = b'{"code": "busy", "detail": "later"}'
        url = self.answering(
            self.answer("503 Not now", problem, b"Retry-After: 1\r\n"),
            self.answer("429 Too many", problem, b"Retry-After: 1\r\n"),
            self.answer("200 OK", b'{"labels": [], "next": null}'),
        )
        begin = time.monotonic()
        with Client(url, "t") as client:
            client.label("c", "i", "yes")
        self.assertGreaterEqual(time.monotonic() - begin, 2)
        keys = {line for one in self.heard for line in one.split(b"\r\n") if b"Idempotency" in line}
        self.assertEqual(len(self.heard), 3)
        self.assertEqual(len(keys), 1)

    def test_does_not_repeat_what_a_stranger_refused(self) -> None:
        """A 503 from elsewhere, such as a proxy, does not say whether the request took effect."""
        url = self.answering(self.answer("503 Gateway", b"<html>"))
        with Client(url, "t") as client, self.assertRaises(Exception) as refused:
            client.make_token("admin")
        self.assertEqual(getattr(refused.exception, "code"), "unknown")

    def test_shows_no_token(self) -> None:
        with Client("http://127.0.0.1:1", "secret", attempts=1) as client:
            with self.assertRaises(Unavailable) as wrong:
                client.me()
        self.assertNotIn("secret", str(wrong.exception))


class Kills(unittest.TestCase):
    def test_lose_nothing_and_count_nothing_twice(self) -> None:
        server = running.Server()
        self.addCleanup(server.end)
        admin = Client(server.url, server.token, attempts=20)
        self.addCleanup(admin.close)
        campaign = admin.create_campaign("Killed", ["no", "yes"], 600, labels_per_item=6).id
        admin.add_items(campaign, [NewItem(f"i{n}") for n in range(150)])
        given: Dict[str, Dict[str, str]] = {f"w{n}": {} for n in range(4)}
        seen: List[int] = []

        def watch() -> None:
            for event in itertools.islice(admin.live_events(campaign), 400):
                seen.append(event.sequence)

        loops = [
            threading.Thread(target=give_all, args=(admin, campaign, name, given[name]))
            for name in given
        ]
        watcher = threading.Thread(target=watch, daemon=True)
        for one in [*loops, watcher]:
            one.start()
        for count in (60, 150, 300):
            while sum(map(len, given.values())) < count and any(one.is_alive() for one in loops):
                time.sleep(0.002)
            server.kill()
            server.verify()
            server.start()
        for one in loops:
            one.join()
        watcher.join(60)
        self.assertEqual(kept(admin, campaign), {name: all for name, all in given.items() if all})
        self.assertEqual(sum(map(len, given.values())), 600)
        status = admin.status(campaign)
        self.assertEqual((status.labels, status.spent, status.reserved), (600, 600, 0))
        self.assertEqual(seen, list(range(seen[0], seen[0] + 400)))


if __name__ == "__main__":
    unittest.main()
