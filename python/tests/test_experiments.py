"""Replays, simulations and plans: equal to the program, interruptible, and open to Python policies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np
import pandas as pd

import allot
import places

LABELS = allot.read_labels(places.GUIDE_DATA / "labels.csv")
TRUTH = pd.read_csv(places.GUIDE_DATA / "truth.csv", dtype=str)


def said_by_program(*words: str) -> dict:
    done = subprocess.run([places.PROGRAM, *words, "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def without_times(rows: list) -> list:
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


class Replay(unittest.TestCase):
    def test_is_that_of_the_program(self) -> None:
        files = ["--labels", str(places.GUIDE_DATA / "labels.csv"), "--truth", str(places.GUIDE_DATA / "truth.csv")]
        said = said_by_program("replay", *files, "--budget", "20%,40%", "--runs", "3", "--policy", "uniform,kg-eig")
        found = allot.replay(LABELS, TRUTH, budget=["20%", "40%"], runs=3, policies=["uniform", "kg-eig"])
        self.assertEqual(without_times(found.rows), without_times(said["rows"]))
        self.assertEqual(list(found.to_pandas().policy), ["uniform", "uniform", "kg-eig", "kg-eig"])
        self.assertTrue(found.plot().svg.startswith("<svg"))
        self.assertIn("kg-eig", str(found))
        self.assertEqual(found._repr_svg_(), found.plot().svg)

    def test_without_a_truth_reports_agreement(self) -> None:
        self.assertIn("agreement", allot.replay(LABELS, budget="20%", runs=2).rows[0])

    def test_truths_of_any_kind_are_equal(self) -> None:
        pairs = dict(zip(TRUTH.iloc[:, 0], TRUTH.iloc[:, 1]))
        expected = allot.replay(LABELS, TRUTH, budget="20%", runs=2, policies="kg-eig").rows
        for truth in (pairs, pd.Series(pairs), list(pairs.items()), places.GUIDE_DATA / "truth.csv"):
            found = allot.replay(LABELS, truth, budget="20%", runs=2, policies="kg-eig").rows
            self.assertEqual(without_times(found), without_times(expected))

    def test_prices_by_worker(self) -> None:
        prices = {worker: 0.01 * (1 + number % 3) for number, worker in enumerate(LABELS.worker.unique())}
        found = allot.replay(LABELS, TRUTH, price=prices, budget="1.00", runs=2, policies="uniform")
        self.assertLessEqual(found.rows[0]["spent"], 1)
        with self.assertRaisesRegex(ValueError, "price"):
            allot.replay(LABELS, TRUTH, price={"nobody": 1}, budget=5)

    def test_refusals_name_arguments_as_python_does(self) -> None:
        with self.assertRaisesRegex(ValueError, "^budget 'ten' is not understood"):
            allot.replay(LABELS, TRUTH, budget="ten")
        with self.assertRaisesRegex(ValueError, "^refit_by 'magic'"):
            allot.replay(LABELS, TRUTH, refit_by="magic")
        with self.assertRaisesRegex(ValueError, "^policy 'kg-eg' is unknown.*kg-eig"):
            allot.replay(LABELS, TRUTH, policies="kg-eg")
        with self.assertRaisesRegex(ValueError, "^truth: row 1: the truth of item 'a' is 'yes', but 'no' in row 0"):
            allot.replay([("a", "w", "no"), ("b", "w", "yes")], [("a", "no"), ("a", "yes")], budget=1)

    def test_ctrl_c_ends_it(self) -> None:
        script = (
            "import allot, sys\n"
            "print('ready', flush=True)\n"
            "try:\n    allot.simulate(2000, runs=1000000, policies=['kg'], budget='10x')\n"
            "except KeyboardInterrupt:\n    print('interrupted')\n"
        )
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as child:
            self.assertEqual(child.stdout.readline(), "ready\n")
            time.sleep(0.5)
            os.kill(child.pid, signal.SIGINT)
            self.assertEqual(child.stdout.read(), "interrupted\n")
        self.assertEqual(child.returncode, 0)

    def test_other_threads_run_meanwhile(self) -> None:
        done = threading.Event()

        def work() -> None:
            allot.simulate(500, runs=30, policies=["kg"], budget="10x", threads=1)
            done.set()

        thread, steps = threading.Thread(target=work), 0
        thread.start()
        while not done.is_set():
            steps += 1
        thread.join()
        self.assertGreater(steps, 100)

    def test_nothing_is_printed(self) -> None:
        script = "import allot; allot.replay([(t, w, t % 2) for t in range(9) for w in 'abc'] + [(9, 'a', None)], runs=2)"
        done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True)
        self.assertEqual((done.stdout, done.stderr), ("", ""))


class PythonPolicies(unittest.TestCase):
    def test_choose_as_the_built_in_ones(self) -> None:
        def fewest(state: allot.PolicyState) -> np.ndarray:
            return -state.labels.astype(float)

        # With equal numbers of labels per item, ties decide nothing: every item gets the same labels.
        mine, own = allot.simulate(8, policies=[fewest, "least-labelled"], budget="3x", runs=40).rows
        self.assertEqual((mine["policy"], mine["accuracy"]), ("fewest", own["accuracy"]))
        self.assertEqual(len(allot.simulate(8, classes=3, policies=fewest, budget="2x", runs=2).rows), 1)

    def test_see_pairs_where_workers_differ(self) -> None:
        seen = []

        def by_hand(state: allot.PolicyState) -> tuple:
            seen.append((state.worker, state.probabilities.shape, len(state.reliability)))
            item = int(np.flatnonzero(state.open)[0])
            return item, state.workers_for(item)[-1]

        allot.simulate(4, workers=5, policies=by_hand, budget=6, runs=1)
        self.assertEqual(seen, [(None, (4, 2), 5)] * 6)

    def test_get_the_worker_who_waits(self) -> None:
        workers = []

        def pull(state: allot.PolicyState) -> int:
            workers.append(state.worker)
            return int(state.random() * 0) + int(np.flatnonzero(state.open)[0])

        allot.replay(LABELS, TRUTH, policies=pull, mode="pull", budget=5, runs=1)
        self.assertTrue(all(isinstance(worker, int) for worker in workers))

    def test_are_the_same_on_any_number_of_threads(self) -> None:
        def drawn(state: allot.PolicyState) -> int:
            places_ = np.flatnonzero(state.open)
            return int(places_[int(state.random() * len(places_))])

        one, two = (allot.simulate(10, policies=drawn, budget="3x", runs=6, threads=n).rows for n in (1, 2))
        self.assertEqual(without_times(one), without_times(two))

    def test_exceptions_and_wrong_answers_reach_the_caller(self) -> None:
        def broken(state: allot.PolicyState) -> int:
            raise ZeroDivisionError("mine")

        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            allot.simulate(5, policies=broken, budget=3, runs=2)
        for answer, sentence in (
            (77, "returned item 77, which cannot be asked"),
            (-1, "returned -1; expected a number from 0 on"),
            ("x", "returned 'x'; expected the number of an item"),
            (np.zeros(3), "returned 3 values; expected one per item, 5"),
            (np.full(5, np.nan), "returned NaN for item 0"),
        ):
            with self.assertRaisesRegex(ValueError, sentence):
                allot.simulate(5, policies=lambda state, answer=answer: answer, budget=3, runs=1)

    def test_may_keep_the_state_but_not_use_it_later(self) -> None:
        kept: list = []

        def keep(state: allot.PolicyState) -> int:
            kept.append(state)
            return int(np.flatnonzero(state.open)[0])

        allot.simulate(3, workers=2, policies=keep, budget=3, runs=1)
        self.assertEqual(kept[0].labels.tolist(), [0, 0, 0])
        for use in (lambda: kept[0].random(), lambda: kept[0].workers_for(0)):
            with self.assertRaisesRegex(ValueError, "during the call"):
                use()

    def test_answers_by_an_aggregator(self) -> None:
        own = allot.replay(LABELS, TRUTH, budget="40%", runs=2, policies="uniform", final="majority")
        for final in (allot.MajorityVote(), lambda data: data.groupby("task").label.agg(lambda x: x.mode()[0])):
            found = allot.replay(LABELS, TRUTH, budget="40%", runs=2, policies="uniform", final=final)
            self.assertAlmostEqual(found.rows[0]["accuracy"], own.rows[0]["accuracy"], delta=0.1)
        with self.assertRaisesRegex(ValueError, "expected a label of the data"):
            allot.replay(LABELS, TRUTH, budget=9, runs=1, final=lambda data: {task: 99 for task in data.task})


class Plans(unittest.TestCase):
    def test_are_those_of_the_program(self) -> None:
        said = said_by_program("plan", "--items", "1000", "--budget", "2x,5x", "--price", "0.05")
        self.assertEqual(allot.plan(1000, budget=["2x", "5x"], price=0.05).rows, said["rows"])
        self.assertTrue(allot.plan(100, target=0.9).plot().svg.startswith("<svg"))

    def test_learn_from_a_pilot(self) -> None:
        files = ["--pilot", str(places.GUIDE_DATA / "labels.csv"), "--items", "500", "--target", "0.9"]
        self.assertEqual(allot.plan(500, target=0.9, pilot=LABELS).rows, said_by_program("plan", *files)["rows"])

    def test_exact_values(self) -> None:
        said = said_by_program("exact", "--state", "2:0,1:1,0:0", "--budget", "3")
        found = allot.exact(budget=3, state=[(2, 0), (1, 1), (0, 0)])
        self.assertEqual(found.rows, said["rows"])
        self.assertEqual(found.next, [number - 1 for number in said["next"]])
        with self.assertRaisesRegex(ValueError, "items is missing; expected a whole number, or state instead"):
            allot.exact(budget=3)


class Audits(unittest.TestCase):
    def test_draws_and_reports_are_those_of_the_program(self) -> None:
        fitted = allot.Pooled().fit(LABELS)
        audit = allot.Audit(fitted, checks=20, seed=3)
        truth = dict(zip(TRUTH.iloc[:, 0], TRUTH.iloc[:, 1]))
        report = audit.report({task: truth[task] for task in audit.draws()})
        self.assertEqual(report.checked, 20)
        self.assertTrue(0 <= report.lower <= report.estimate <= report.high <= 1)
        self.assertIn("20", str(report))

    def test_refuses_a_verdict_on_another_item(self) -> None:
        audit = allot.Audit({n: "a" for n in range(30)}, checks=3, classes=["a", "b"])
        other = next(n for n in range(30) if n not in audit.draws())
        with self.assertRaisesRegex(ValueError, "^verdicts: row 0: "):
            audit.report({other: "a"})
        with self.assertRaisesRegex(ValueError, "^checks '31' exceeds the 30 answers"):
            allot.Audit({n: "a" for n in range(30)}, checks=31)
        with self.assertRaisesRegex(ValueError, "answers has no rows"):
            allot.Audit({})
        with self.assertRaisesRegex(ValueError, "not fitted"):
            allot.Audit(allot.KOS())


class Agreement(unittest.TestCase):
    def test_is_that_of_the_program(self) -> None:
        said = said_by_program("aggregate", str(places.GUIDE_DATA / "labels.csv"), "--agreement")
        found = allot.agreement(LABELS)
        rows = said.get("rows") or said["coefficients"]
        self.assertEqual(found.rows, rows)
        alpha = allot.metrics.alpha_krippendorff(LABELS)
        self.assertAlmostEqual(alpha, found["krippendorff_alpha"]["value"])
        self.assertGreater(len(allot.metrics.pair_kappas(LABELS)), 0)
        with self.assertRaisesRegex(KeyError, "unknown; expected percent"):
            found["nope"]


if __name__ == "__main__":
    unittest.main()
