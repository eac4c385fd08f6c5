"""A language model as a worker.

A model works like any other worker: it has a name and a price, asks for items and labels them. The
campaign finds out how good it is. :func:`work` is the loop; give it a function from the fields of an
item to a label. In :func:`work_where_it_pays` the campaign says which of several models to ask next,
by what a label of each is worth for its price.

Without a model, ``python3 llm_worker.py --url http://127.0.0.1:8080 --token allot_...`` creates a
campaign, lets simulated models work in it, and prints the cost and the accuracy.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, List, Mapping, Optional, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from allot.client import Client, NewItem  # noqa: E402
from allot.client.models import Fields  # noqa: E402

Model = Callable[[Fields], Optional[str]]
"""Function from the fields of an item to a label, or None for "I cannot say"."""


def work(client: Client, campaign: str, name: str, model: Model, price: str) -> int:
    """Labels until no item is left for this model. Returns the number of labels. Needs a requester's
    token."""
    client.set_price(campaign, name, price)
    labels = 0
    waiting = client.ask(campaign, worker=name).assignments
    while waiting:
        item = waiting[0].item
        try:
            label = model(waiting[0].fields)
        except BaseException:
            client.release(campaign, item, worker=name)
            raise
        if label is None:
            following = client.skip(campaign, item, worker=name, next=1).next
        else:
            # Records the label and asks for the next item, in one call and one commit.
            following = client.label(campaign, item, label, worker=name, next=1).next
            labels += 1
        waiting = following.assignments if following else []
    return labels


def work_where_it_pays(
    client: Client, campaign: str, models: Mapping[str, Model], prices: Mapping[str, str]
) -> int:
    """Asks the model that the campaign names, until it names none. Returns the number of labels."""
    for name in models:
        client.set_price(campaign, name, prices[name])
    labels = 0
    while True:
        whom = client.whom_next(campaign)
        if whom.worker is None or not whom.assignments:
            return labels
        given = whom.assignments[0]
        label = models[whom.worker](given.fields)
        if label is None:
            client.skip(campaign, given.item, worker=whom.worker)
        else:
            client.label(campaign, given.item, label, worker=whom.worker)
            labels += 1


# The demonstration.


@dataclass
class Simulated:
    """A model that is right with a fixed probability. A real one would call an API here."""

    name: str
    price: str
    chance: float
    truth: Mapping[str, str]
    dice: random.Random

    def __call__(self, fields: Fields) -> Optional[str]:
        right = self.truth[fields["text"]]
        wrong = "no" if right == "yes" else "yes"
        return right if self.dice.random() < self.chance else wrong


def demonstrate(client: Client, items: int, budget: str, seed: int, push: bool) -> float:
    """Prints the cost and the accuracy. Returns the share of right answers."""
    dice = random.Random(seed)
    truth: Dict[str, str] = {f"review {n}": dice.choice(["no", "yes"]) for n in range(items)}
    models = [
        Simulated("small-model", "0.002", 0.70, truth, random.Random(seed + 1)),
        Simulated("medium-model", "0.004", 0.85, truth, random.Random(seed + 2)),
        Simulated("large-model", "0.01", 0.95, truth, random.Random(seed + 3)),
    ]
    campaign = client.create_campaign(
        "Models at work", ["no", "yes"], budget, price="0.01", gold_rate=0.1, seed=seed
    ).id
    # Every fifth item is gold: the campaign learns from these which models to trust.
    known = set(list(truth)[::5])
    client.add_items(
        campaign,
        (NewItem(text, {"text": text}, gold=right if text in known else None)
         for text, right in truth.items()),
    )
    if push:
        prices = {model.name: model.price for model in models}
        work_where_it_pays(client, campaign, {model.name: model for model in models}, prices)
    else:
        run_in_threads(
            [lambda m=model: work(client, campaign, m.name, m, m.price) for model in models]
        )
    return report(client, campaign, truth)


def run_in_threads(loops: Sequence[Callable[[], object]]) -> None:
    """Runs each loop in its own thread and waits for all of them."""
    threads: List[threading.Thread] = [threading.Thread(target=loop) for loop in loops]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def report(client: Client, campaign: str, truth: Mapping[str, str]) -> float:
    status = client.status(campaign)
    print(f"{status.labels} labels of {status.items} items for {status.spent} of {status.budget}")
    for worker in client.workers(campaign):
        print(
            f"  {worker.worker:12} {worker.labels:5} labels at {worker.price}, reliability "
            f"{worker.reliability:.2f} ({worker.low:.2f} to {worker.high:.2f}), cost {worker.spent}"
        )
    # An item without a label has no answer.
    answers = [one for one in client.answers(campaign) if one.answer is not None]
    right = sum(truth[one.item] == one.answer for one in answers) / len(answers)
    expected = sum(one.probability or 0 for one in answers) / len(answers)
    print(f"{right:.1%} of {len(answers)} answers are right; expected {expected:.1%}")
    return right


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulated language models at work in a campaign")
    parser.add_argument("--url", default="http://127.0.0.1:8080", help="address of allot serve")
    parser.add_argument(
        "--token", default=os.environ.get("ALLOT_TOKEN"), help="of a requester; default ALLOT_TOKEN"
    )
    parser.add_argument("--items", type=int, default=250)
    parser.add_argument("--budget", default="3")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--push", action="store_true", help="let the campaign choose which model to ask next"
    )
    chosen = parser.parse_args()
    if not chosen.token:
        parser.error("--token is missing; allot serve prints one at its first start")
    with Client(chosen.url, chosen.token) as client:
        demonstrate(client, chosen.items, chosen.budget, chosen.seed, chosen.push)


if __name__ == "__main__":
    main()
