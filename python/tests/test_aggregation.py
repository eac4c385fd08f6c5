"""Aggregators: shapes and types of crowd-kit, and the same answers from every kind of table."""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
import pandas as pd

import allot
import places

ROWS = [("t1", "ann", "cat"), ("t1", "bob", "cat"), ("t1", "eve", "dog"), ("t2", "ann", "dog"), ("t2", "eve", "dog")]
FRAME = pd.DataFrame(ROWS, columns=["task", "worker", "label"])
AGGREGATORS = [allot.MajorityVote, allot.Pooled, allot.Posterior, allot.OneCoinDawidSkene, allot.DawidSkene, allot.KOS]


class Shapes(unittest.TestCase):
    def test_are_those_of_crowd_kit(self) -> None:
        found = allot.DawidSkene().fit(FRAME)
        self.assertEqual((found.labels_.name, found.labels_.index.name), ("agg_label", "task"))
        self.assertEqual((found.skills_.name, found.skills_.index.name), ("skill", "worker"))
        self.assertEqual((found.probas_.index.name, found.probas_.columns.name), ("task", "label"))
        self.assertEqual(found.errors_.index.names, ["worker", "label"])
        self.assertEqual(list(found.errors_.columns), ["cat", "dog"])
        self.assertEqual((found.priors_.name, list(found.priors_.index)), ("prior", ["cat", "dog"]))
        np.testing.assert_allclose(found.errors_.groupby("worker").sum(), 1)
        np.testing.assert_allclose(found.probas_.sum(axis=1), 1)
        self.assertEqual(len(found.loss_history_), found.n_iter_)
        self.assertTrue(np.all(np.diff(found.loss_history_) > -1e-9))

    def test_every_aggregator_has_the_verbs(self) -> None:
        for kind in AGGREGATORS:
            with self.subTest(kind=kind.__name__):
                found = kind().fit(FRAME)
                self.assertIsInstance(found, kind)
                pd.testing.assert_series_equal(kind().fit_predict(FRAME), found.labels_)
                self.assertEqual(set(found.skills_.index), {"ann", "bob", "eve"})
                if kind is allot.KOS:
                    self.assertIsNone(found.probas_)
                else:
                    pd.testing.assert_frame_equal(kind().fit_predict_proba(FRAME), found.probas_)

    def test_keep_the_types_of_columns(self) -> None:
        for values in ([0, 1], [False, True], [0.0, 1.0], ["b", "a"], pd.array(["b", "a"], dtype="string"), [10**20, 5]):
            frame = pd.DataFrame({"task": [7, 7, 8], "worker": [1, 2, 1]})
            frame["label"] = pd.Series(values).take([0, 0, 1]).reset_index(drop=True)
            found = allot.MajorityVote().fit(frame)
            with self.subTest(values=values):
                self.assertEqual(found.labels_.dtype, frame.label.dtype)
                self.assertEqual(found.probas_.columns.dtype, frame.label.dtype)
                self.assertEqual(found.labels_.index.dtype, frame.task.dtype)
                self.assertEqual(found.labels_.loc[7], values[0])

    def test_categories_come_back_as_their_values(self) -> None:
        frame = FRAME.astype("category")
        self.assertEqual(allot.MajorityVote().fit_predict(frame).tolist(), ["cat", "dog"])

    def test_a_tie_goes_to_the_class_that_sorts_first(self) -> None:
        self.assertEqual(allot.MajorityVote().fit_predict([("t", "a", 10), ("t", "b", 9)]).tolist(), [9])

    def test_votes_can_be_weighted(self) -> None:
        skills = pd.Series({"ann": 0.2, "bob": 0.2, "eve": 0.9})
        vote = allot.MajorityVote().fit(FRAME, skills)
        self.assertEqual(vote.labels_.to_dict(), {"t1": "dog", "t2": "dog"})
        self.assertAlmostEqual(vote.probas_.loc["t1", "dog"], 0.9 / 1.3)
        self.assertEqual(vote.skills_.to_dict(), {"ann": 0.5, "bob": 0.0, "eve": 1.0})
        equal = allot.MajorityVote().fit(FRAME, {name: 1 for name in skills.index})
        pd.testing.assert_frame_equal(equal.probas_, allot.MajorityVote().fit(FRAME).probas_)
        with self.assertRaisesRegex(ValueError, "worker 'eve' has no skill"):
            allot.MajorityVote().fit(FRAME, skills.head(2))
        self.assertEqual(allot.MajorityVote("ignore").fit_predict(FRAME, skills.head(2))["t1"], "cat")
        self.assertEqual(allot.MajorityVote("value", 5).fit_predict(FRAME, skills.head(2))["t1"], "dog")
        with self.assertRaisesRegex(ValueError, "task 't2' has no label by a worker with a skill"):
            allot.MajorityVote("ignore").fit(FRAME, {"bob": 1})

    def test_settings_can_be_read_and_changed(self) -> None:
        found = allot.DawidSkene(n_iter=3)
        self.assertEqual(found.get_params()["n_iter"], 3)
        self.assertEqual(found.set_params(n_iter=1).fit(FRAME).n_iter_, 1)
        with self.assertRaisesRegex(ValueError, "unknown setting 'nope'"):
            found.set_params(nope=1)
        self.assertIn("n_iter=1", repr(found))


class Inputs(unittest.TestCase):
    def test_all_kinds_of_tables_are_equal(self) -> None:
        columns = {name: FRAME[name].tolist() for name in FRAME}
        records = [dict(zip(FRAME.columns, row)) for row in ROWS]
        structured = np.array(ROWS, dtype=[("task", "U2"), ("worker", "U3"), ("label", "U3")])
        expected = allot.Pooled().fit(FRAME)
        for data in (ROWS, columns, records, structured, np.array(ROWS), FRAME.assign(more=1), iter(ROWS)):
            found = allot.Pooled().fit(data)
            self.assertEqual(found.labels_.to_dict(), expected.labels_.to_dict())
            np.testing.assert_array_equal(found.probas_.to_numpy(), expected.probas_.to_numpy())

    def test_missing_labels_are_left_out_and_counted(self) -> None:
        frame = pd.concat([FRAME, pd.DataFrame([("t3", "ann", None), ("t1", "cyd", float("nan"))], columns=FRAME.columns)])
        found = allot.MajorityVote().fit(frame)
        self.assertEqual(found.labels_.to_dict(), {"t1": "cat", "t2": "dog"})
        self.assertIn("left out 2 labels: 2 missing", found.notes_[0])

    def test_features_answer_tasks_without_labels(self) -> None:
        rows = [(t, w, int(t >= 20)) for t in range(40) for w in "abc"]
        features = pd.DataFrame({"x": [float(t) for t in range(41)]}, index=range(41))
        found = allot.Contextual().fit(rows, features)
        self.assertEqual(found.labels_[40], 1)
        self.assertEqual(found.labels_[3], 0)
        with self.assertRaisesRegex(ValueError, "features: task '39' has no row"):
            allot.Contextual().fit(rows, features.head(39))
        self.assertEqual(allot.Pooled().fit(rows, features).labels_[40], 1)

    def test_features_that_say_nothing_change_nothing(self) -> None:
        rows = [(t, w, int(t >= 20)) for t in range(40) for w in "abc"]
        features = {t: [float(t % 3)] for t in range(40)}
        found = allot.Pooled().fit(rows, features)
        np.testing.assert_array_equal(found.probas_, allot.Pooled().fit(rows).probas_)
        self.assertEqual(found.notes_, ["features: not used, the labels do not show that they tell classes apart"])

    def test_notes_say_how_many_answers_rest_on_features(self) -> None:
        # Two workers contradict each other on a third of the tasks, so features decide there.
        rows = [(t, w, int(((t + 3 * w) % 6 != 0) == (t >= 30))) for t in range(60) for w in range(2)]
        features = {t: [float(t)] for t in range(60)}
        with_features, without = allot.Pooled().fit(rows, features), allot.Pooled().fit(rows)
        differ = sum(with_features.labels_[t] != without.labels_[t] for t in range(60))
        self.assertGreaterEqual(differ, 3)
        self.assertRegex(with_features.notes_[0], f"features: used, and {100 * differ / 60:.0f} % of the answers would")

    def test_notes_ask_for_shares_that_decide(self) -> None:
        rng, rows = random.Random(1), []
        for task in range(100):
            truth = rng.random() < 0.9
            rows += [(task, worker, truth == (rng.random() < 0.7)) for worker in rng.sample(range(10), 3)]
        self.assertRegex(allot.Pooled().fit(rows).notes_[0], "pooled: [0-9]+ % of the answers depend .*; shares says how common")
        self.assertEqual(allot.Pooled(shares={True: 9, False: 1}).fit(rows).notes_, [])

    def test_shares_of_classes_decide_ties(self) -> None:
        rows = [*FRAME.itertuples(index=False), ("t9", "eve", "cat"), ("t9", "fay", "dog")]
        for shares, answer in (({"cat": 9, "dog": 1}, "cat"), ({"cat": 1, "dog": 9}, "dog")):
            self.assertEqual(allot.Pooled(shares=shares).fit_predict(rows)["t9"], answer)
        for wrong in ({"cat": 1}, {"cat": 1, "dog": 0}, {"cat": 1, "dog": 1, "cow": 1}):
            with self.assertRaisesRegex(ValueError, "shares: class '(dog|cow)' has .*; expected a number above 0 for each of 'cat', 'dog'"):
                allot.Pooled(shares=wrong).fit(rows)

    def test_unicode_and_line_breaks_survive(self) -> None:
        rows = [("ä\n'\"", "ω", "ja ✓"), ("ä\n'\"", "b", "ja ✓"), ("x", "b", "nein")]
        self.assertEqual(allot.MajorityVote().fit_predict(rows).to_dict(), {"ä\n'\"": "ja ✓", "x": "nein"})


class Refusals(unittest.TestCase):
    def refuses(self, sentence: str, data: object, kind: type = ValueError, **settings: object) -> None:
        with self.assertRaisesRegex(kind, sentence):
            allot.MajorityVote(**settings).fit(data)  # type: ignore[arg-type]

    def test_name_row_and_column(self) -> None:
        self.refuses("no column 'worker', only 'task', 'label'; expected", FRAME.drop(columns="worker"))
        self.refuses("^row 5: the task is missing; expected a value in column 'task'", ROWS + [(None, "a", "b")])
        self.refuses("^row 5: the worker is missing", ROWS + [("t", float("nan"), "b")])
        self.refuses("row 1 is .*expected 3 values: task, worker, label", [ROWS[0], ("a", "b")])
        self.refuses("row 1 has no 'label'", [{"task": 1, "worker": 2, "label": 3}, {"task": 1, "worker": 2}])
        self.refuses(
            "^row 5: item 't1' already has a label by worker 'ann', in row 0; expected one label per pair "
            r"\(duplicates first",
            ROWS + [("t1", "ann", "dog")],
        )

    def test_empty_tables_and_other_types(self) -> None:
        self.refuses("no row has a label; expected one row per label", FRAME.head(0))
        self.refuses("no row has a label, except 1 that do not count", [("t", "w", None)])
        self.refuses("expected one row per label", [])
        self.refuses("column 'label' has values that cannot be compared", [("t", "w", ["a"])])
        self.refuses("half a character", [("t", "w", "\ud800")])
        self.refuses("is of type int; expected a DataFrame", 3, TypeError)
        self.refuses("array of 2 x 2; expected 3 columns", np.zeros((2, 2)))
        self.refuses("No such file", "/nowhere/labels.csv", FileNotFoundError)
        self.refuses("--duplicates|duplicates 'some'", FRAME, duplicates="some")

    def test_methods_refuse_what_they_cannot_do(self) -> None:
        with self.assertRaisesRegex(ValueError, "two classes|binary"):
            allot.KOS().fit([("t", "a", 0), ("t", "b", 1), ("t", "c", 2)])
        with self.assertRaisesRegex(ValueError, "n_iter '0'"):
            allot.DawidSkene(n_iter=0).fit(FRAME)
        with self.assertRaisesRegex(ValueError, "prior: .*'nope'"):
            allot.Posterior(prior="nope").fit(FRAME)


class SharedSets(unittest.TestCase):
    def test_answers_do_not_depend_on_the_format(self) -> None:
        sets = places.data_sets()
        self.assertGreaterEqual(len(sets), 11)
        for name, folder in sets.items():
            with self.subTest(name=name), tempfile.TemporaryDirectory() as work:
                frame = allot.read_labels(folder / "labels.csv")
                lines, tasks = Path(work, "labels.jsonl"), Path(work, "tasks.json")
                frame.to_json(lines, orient="records", lines=True)
                tasks.write_text(json.dumps(label_studio(frame)))
                expected = allot.Pooled().fit(folder / "labels.csv")
                for data in (lines, tasks, frame, pd.read_csv(folder / "labels.csv", dtype=str)):
                    found = allot.Pooled().fit(data)
                    self.assertEqual(found.labels_.to_dict(), expected.labels_.to_dict())
                    ordered = found.probas_.loc[expected.probas_.index]
                    np.testing.assert_allclose(ordered.to_numpy(), expected.probas_.to_numpy(), rtol=0, atol=1e-9)

    def test_fits_that_contradict_themselves_say_so(self) -> None:
        labels = places.data_sets()["trec2011"] / "labels.csv"
        coin = allot.OneCoinDawidSkene(duplicates="first").fit(labels)
        self.assertRegex(coin.notes_[-1], "OneCoinDawidSkene contradicts itself")
        careful = allot.Pooled(duplicates="first").fit(labels)
        self.assertEqual(careful.notes_, coin.notes_[:-1])

    def test_answers_are_those_of_the_program(self) -> None:
        folder = places.data_sets()["rte"]
        for method, kind in (("pooled", allot.Pooled), ("dawid-skene", allot.DawidSkene), ("majority", allot.MajorityVote)):
            words = [places.PROGRAM, "aggregate", str(folder / "labels.csv"), "--method", method, "--to", "crowd-kit"]
            printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
            said = dict(line.split(",")[:2] for line in printed[1:])
            self.assertEqual(allot.read_labels(folder / "labels.csv").task.nunique(), len(said))
            self.assertEqual(kind().fit_predict(folder / "labels.csv").to_dict(), said)


def label_studio(frame: pd.DataFrame) -> list:
    """Tasks in the order in which their first labels come. Workers become numbers, in one order."""
    workers = {worker: number for number, worker in enumerate(frame.worker.unique())}
    tasks: dict = {}
    for task, worker, label in frame.itertuples(index=False):
        result = [{"from_name": "c", "to_name": "t", "type": "choices", "value": {"choices": [label]}}]
        one = {"completed_by": workers[worker], "result": result, "was_cancelled": False}
        tasks.setdefault(task, []).append(one)
    return [{"id": task, "data": {"text": ""}, "annotations": many} for task, many in tasks.items()]


if __name__ == "__main__":
    unittest.main()
