"""Speed of the Python module, as ratios within one run. bench/python builds it and starts this.

python_bench.py [LABELS.csv]    labels of two classes; the shared set product if not given
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd

import allot

ROOT = Path(__file__).resolve().parents[1]


def seconds(work, repeats=1, clock=time.process_time):
    """The shortest of several times, of the processor unless another clock is given."""
    times = []
    for _ in range(repeats):
        begun = clock()
        work()
        times.append(clock() - begun)
    return min(times)


def textbook_dawid_skene(frame, iterations):
    """Dawid-Skene as textbooks write it: one loop per label, arrays of numpy for the tables."""
    tasks = {task: n for n, task in enumerate(frame.task.unique())}
    workers = {worker: n for n, worker in enumerate(frame.worker.unique())}
    classes = {label: n for n, label in enumerate(sorted(frame.label.unique()))}
    rows = [(tasks[t], workers[w], classes[l]) for t, w, l in frame[["task", "worker", "label"]].itertuples(index=False)]
    beliefs = np.zeros((len(tasks), len(classes)))
    for task, _, label in rows:
        beliefs[task, label] += 1
    beliefs /= beliefs.sum(axis=1, keepdims=True)
    for _ in range(iterations):
        tables = np.full((len(workers), len(classes), len(classes)), 0.01)
        for task, worker, label in rows:
            tables[worker, :, label] += beliefs[task]
        tables /= tables.sum(axis=2, keepdims=True)
        logs = np.tile(np.log(beliefs.mean(axis=0)), (len(tasks), 1))
        for task, worker, label in rows:
            logs[task] += np.log(tables[worker, :, label])
        beliefs = np.exp(logs - logs.max(axis=1, keepdims=True))
        beliefs /= beliefs.sum(axis=1, keepdims=True)
    return beliefs


def aggregate(path):
    frame = pd.read_csv(path)
    found = allot.DawidSkene().fit(frame)
    iterations = found.n_iter_
    ours = seconds(lambda: allot.DawidSkene().fit(frame), 5)
    textbook = []
    theirs = seconds(lambda: textbook.append(textbook_dawid_skene(frame, iterations)))
    difference = np.abs(textbook[0] - found.probas_.to_numpy()).max()
    print(f"DawidSkene().fit, {len(frame)} labels, {iterations} iterations: {ours * 1e3:.1f} ms")
    print(f"  textbook loops, as many iterations: {theirs * 1e3:.0f} ms, {theirs / ours:.0f} times as long")
    print(f"  largest difference of a probability: {difference:.1e}")


def ask_and_tell():
    rounds = 3000
    campaign = allot.Campaign(range(100_000), classes=["no", "yes"], budget=1_000_000)

    def work():
        for n in range(rounds):
            ask = campaign.ask(f"w{n % 3}")
            campaign.tell(ask, "no" if ask.item % 2 == 0 else "yes")

    python = seconds(work) / rounds * 1e6
    name = "memory_campaign_ask_and_tell_K100000"
    with tempfile.NamedTemporaryFile() as found:
        program = ROOT / "build/release/bench/benchmarks"
        subprocess.run([program, f"--benchmark_filter={name}", f"--benchmark_out={found.name}"], capture_output=True, check=True)
        cpp = json.load(found)["benchmarks"][0]["cpu_time"]
    print(f"ask and tell, 100,000 items: {python:.1f} us; C++ {cpp:.1f} us; {python - cpp:.1f} us more")


def replays(path):
    labels, truth = allot.read_labels(path), path.with_name("truth.csv")

    def one():
        allot.replay(labels, truth, policies="even-kg", budget="20%", runs=4, threads=1)

    def two():
        threads = [threading.Thread(target=one) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    alone, together = seconds(one, 3, time.perf_counter), seconds(two, 3, time.perf_counter)
    print(f"two replays one after the other {2 * alone:.2f} s, on two threads {together:.2f} s: {2 * alone / together:.2f} times the speed")


def main():
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared" / "data" / "product" / "labels.csv"
    if not path.exists():
        sys.exit(f"'{path}' does not exist; expected a file of labels, with truth.csv beside it")
    aggregate(path)
    ask_and_tell()
    rte = path.parents[1] / "rte" / "labels.csv"
    replays(rte if rte.exists() else path)


if __name__ == "__main__":
    main()
