"""Every route of ``allot serve`` as a method; the methods are in the modules ``*_calls``."""

from __future__ import annotations

from .campaign_calls import CampaignCalls
from .item_calls import ItemCalls
from .people_calls import PeopleCalls
from .report_calls import ReportCalls
from .server_calls import ServerCalls
from .webhook_calls import WebhookCalls
from .work_calls import WorkCalls


class Client(ServerCalls, CampaignCalls, PeopleCalls, ItemCalls, WorkCalls, WebhookCalls, ReportCalls):
    """A running ``allot serve``, with one token.

    ::

        with Client("http://127.0.0.1:8080", token) as allot:
            campaign = allot.create_campaign("Reviews", ["no", "yes"], budget=500).id
            allot.add_items(campaign, [NewItem("r1", {"text": "A joy to use."})])

    Any number of threads can share a client: each thread has its own connection, which stays open.
    Do not share a client across ``fork``.

    The client sends an ``Idempotency-Key`` with every POST that accepts one: ``key`` if you give it,
    otherwise a random one per call. It repeats such a request when the answer was lost, and a label
    never counts twice. Give your own ``key`` to repeat a call after a restart of your program.

    :param timeout: seconds to wait for a connection or for the next bytes of an answer
    :param attempts: largest number of times a request is sent
    :param longest_pause: largest number of seconds between two attempts
    :param context: TLS context for https, for example with your own certificate authority
    """
