"""Values of Python as names of the engine: numbers, missing values, and sentences about wrong ones."""

from __future__ import annotations

import json
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import allot
from allot.compat.cleanlab import get_label_quality_multiannotator

ROWS = [("t1", "ann", "yes"), ("t1", "bob", "no"), ("t2", "ann", "no"), ("t2", "bob", "no")]


class WholeNumbers(unittest.TestCase):
    """pandas turns whole numbers into floats where one is missing."""

    def test_are_the_same_as_floats_in_a_campaign(self) -> None:
        campaign = allot.Campaign([1, 2, 3], classes=[0, 1], budget=9)
        known = pd.DataFrame({"task": [1.0, 2.0, 3.0], "worker": [7.0, 7.0, 7.0], "label": [0, np.nan, 1]})
        self.assertEqual(campaign.tell(known), 2)
        self.assertEqual(campaign.tell([(2, 8, 1.0), (3, 8, None)]), 1)
        self.assertEqual(campaign.labels().worker.tolist(), ["7", "7", "8"])
        ask = campaign.ask(7.0)
        self.assertEqual((ask.item, campaign.tell(ask, 1.0)), (2, "recorded"))

    def test_are_the_same_as_floats_in_items(self) -> None:
        items = pd.DataFrame({"id": [1, 2, 3], "gold": [1, None, None], "truth": [1, None, 0]})
        campaign = allot.Campaign(items, classes=[0, 1], budget=9)
        self.assertEqual(campaign.status().gold, 1)
        self.assertEqual(campaign.explain(1)["gold"], 1)

    def test_are_the_same_as_floats_elsewhere(self) -> None:
        frame = pd.DataFrame({"task": [1, 1, 2], "worker": ["a", "b", "a"], "label": [0, 1, np.nan]})
        self.assertEqual(allot.Pooled(classes=[0, 1]).fit(frame).probas_.columns.tolist(), [0, 1])
        rows = [(t, w, float(t % 2)) for t in range(6) for w in "abc"]
        found = allot.replay(rows, {t: t % 2 for t in range(6)}, policies="uniform", budget="50%", runs=1)
        self.assertGreater(found.rows[0]["accuracy"], 0.5)

    def test_come_back_as_they_were_given(self) -> None:
        campaign = allot.Campaign([1, 2], classes=[0, 1], budget=4)
        campaign.tell(campaign.ask("ann"), 1)
        self.assertEqual(campaign.answers().agg_label.dropna().tolist(), [1])
        self.assertEqual(campaign.answers().agg_label.dtype, object)
        self.assertIsInstance(campaign.answers().agg_label.dropna().iloc[0], int)
        labelled = campaign.labels().task[0]
        campaign.ask("bob")
        found = campaign.explain(labelled, "bob")
        self.assertEqual(found["item"], labelled)
        self.assertEqual(list(found["probabilities"]), [0, 1])
        self.assertEqual(found["labels"], {"ann": 1})
        self.assertEqual(list(found["outlook"]), [0, 1])
        self.assertEqual(list(found["outlook"][0][1]), [0, 1])


class Sentences(unittest.TestCase):
    """Wrong values are named by a sentence."""

    def refuses(self, kind: type, sentence: str, call: object) -> None:
        with self.assertRaisesRegex(kind, sentence):
            call()  # type: ignore[operator]

    def test_about_settings(self) -> None:
        self.refuses(TypeError, "duplicates None is not a text", lambda: allot.MajorityVote(duplicates=None).fit(ROWS))
        self.refuses(TypeError, "ordered 'no' is not a truth value", lambda: allot.Pooled(ordered="no").fit(ROWS))
        self.refuses(TypeError, "classes is a text", lambda: allot.Pooled(classes="bq").fit(ROWS))
        self.refuses(
            ValueError, "skill of worker 'ann' is 'x'", lambda: allot.MajorityVote().fit(ROWS, {"ann": "x", "bob": 1})
        )
        self.refuses(TypeError, "policies 3 is of type int", lambda: allot.replay(ROWS, policies=3))
        self.refuses(TypeError, "final 3 is of type int", lambda: allot.replay(ROWS, final=3))
        wide = pd.DataFrame({"a": [0, 1], "b": [0, 1]})
        self.refuses(
            TypeError,
            "aggregator 'majority' is of type str",
            lambda: get_label_quality_multiannotator(wide, aggregator="majority"),
        )

    def test_about_campaigns(self) -> None:
        campaign = allot.Campaign(["a", "b"], classes=["no", "yes"], budget=9)
        self.refuses(TypeError, "verdicts is of type int", lambda: campaign.review(1, 1))
        self.refuses(TypeError, "path 3 is of type int", lambda: allot.Campaign.open(3))
        self.refuses(ValueError, "worker nan is missing", lambda: campaign.ask(float("nan")))
        self.refuses(
            ValueError, "class nan is missing", lambda: allot.Campaign(["a"], classes=["a", float("nan")], budget=1)
        )
        self.refuses(ValueError, "half a character", lambda: campaign.ask("\ud800"))
        ask = campaign.ask("ann")
        self.refuses(TypeError, "label is missing; expected tell\\(ask, label\\)", lambda: campaign.tell(ask))
        self.refuses(ValueError, "label nan is missing", lambda: campaign.tell(ask, float("nan")))
        self.refuses(ValueError, "is too large; expected at most 9000000000", lambda: campaign.set_budget(10**30))
        self.refuses(
            ValueError, "^row 0: unknown label '7'; expected 'no' or 'yes'$", lambda: campaign.tell([("a", "w", 7)])
        )
        self.refuses(ValueError, "expected 1 to 4294967295", lambda: campaign.ask_many("ann", 10**12))
        self.refuses(
            allot.Refused,
            "^row 2: unknown item 'zz'",
            lambda: campaign.tell([("a", "w", None), ("b", "w", "NA"), ("zz", "w", "no")]),
        )
        self.assertEqual(campaign.tell(ask, None), "skipped")

    def test_about_files_name_what_python_has(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "rows.csv")
            path.write_text("text,id,mood,topic,annotator,annotation_id\nt,1,yes,a,3,11\n")
            self.refuses(ValueError, r"expected read_labels\(label_column=\.\.\.\)", lambda: allot.Pooled().fit(path))
            self.refuses(ValueError, "expected label_column with one of them", lambda: allot.read_labels(path))

    def test_about_values_that_are_the_same_text(self) -> None:
        rows = [("t1", 1, "yes"), ("t1", "1", "no")]
        self.refuses(ValueError, "row 1: .*1 and '1' are the same worker", lambda: allot.MajorityVote().fit(rows))
        found = allot.MajorityVote().fit([("t1", "a", 1), ("t1", "b", "1"), ("t2", "a", 0)])
        self.assertIn("column 'label': 1 and '1' are the same label", found.notes_[0])


class Notes(unittest.TestCase):
    def test_count_what_is_left_out(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "batch.csv")
            path.write_text(
                "HITId,WorkerId,AssignmentStatus,Answer.mood\nh1,ann,Approved,yes\nh1,bob,Rejected,no\n"
                "h2,ann,Approved,\nh3,ann,Approved,no\n"
            )
            notes = allot.read_labels(path).attrs["notes"]
            self.assertEqual(
                notes,
                [
                    f"{path}: left out 2 labels: 1 rejected (keep_rejected uses them), 1 missing (empty, NA, nan); "
                    "1 item has no other label"
                ],
            )
        found = allot.MajorityVote().fit([("a", "x", "yes"), ("b", "x", None), ("c", "x", "no")])
        note = "labels: left out 1 label: 1 missing (empty, NA, nan); 1 item has no other label"
        self.assertEqual(found.notes_, [note])

    def test_doubt_labels_that_all_differ(self) -> None:
        found = allot.MajorityVote().fit([(n, "x", f"a text {n}") for n in range(600)])
        self.assertIn("600 labels have 600 different classes", found.notes_[0])

    def test_nothing_is_printed(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            frame = pd.DataFrame({"task": list("aabb"), "worker": list("xyxy")})
            frame["label"] = pd.Series([1, None, 1, 2], dtype=object)
            self.assertEqual(allot.MajorityVote().fit(frame).labels_.tolist()[0], 1)


class Mine:
    """An aggregator that looks at what it gets."""

    def fit_predict(self, data: pd.DataFrame) -> pd.Series:
        assert set(data.task) <= {"t1", "t2"} and set(data.worker) <= {"ann", "bob"}, data
        assert set(data.label) <= {"no", "yes"}, data
        return data.groupby("task").label.first()


class Plugins(unittest.TestCase):
    def replay(self, **options: object) -> allot.Comparison:
        return allot.replay(ROWS, {"t1": "yes", "t2": "no"}, budget=4, runs=1, **{"policies": "uniform", **options})

    def test_an_aggregator_gets_the_values_of_the_data(self) -> None:
        self.assertEqual(self.replay(final=Mine()).rows[0]["budget"], 4)
        found = self.replay(final=lambda data: {task: "no" for task in data.task})
        self.assertEqual(found.rows[0]["accuracy"], 0.5)
        with self.assertRaisesRegex(ValueError, "did not answer task 't[12]'; expected an answer to every task"):
            self.replay(final=lambda data: {data.task[0]: "no"})

    def test_wrong_answers_are_refused(self) -> None:
        for reply, sentence in [
            (lambda data: ["no"], "returned a list; expected a Series by task"),
            (lambda data: None, "returned a NoneType"),
            (lambda data: {task: "maybe" for task in data.task}, "with 'maybe'; expected a label of the data"),
            (lambda data: {"t9": "no"}, "answered task 't9'; expected a task of the data"),
        ]:
            with self.assertRaisesRegex(ValueError, sentence):
                self.replay(final=reply)

    def test_a_policy_may_return_a_list(self) -> None:
        def first(state: allot.PolicyState) -> list:
            return [-float(n) for n in range(len(state.open))]

        self.assertEqual(self.replay(policies=first).rows[0]["budget"], 4)
        with self.assertRaisesRegex(ValueError, "returned values that are not numbers; expected one number per item"):
            self.replay(policies=lambda state: np.array(["a", "b"]))
        with self.assertRaisesRegex(ValueError, "returned 1 values; expected one per item, 2"):
            self.replay(policies=lambda state: [1.0])

    def test_policies_are_listed(self) -> None:
        self.assertIn("kg-eig", allot.policies())


class Truths(unittest.TestCase):
    def test_come_from_an_export(self) -> None:
        def result(label: str) -> list:
            return [{"from_name": "c", "to_name": "t", "type": "choices", "value": {"choices": [label]}}]

        tasks = []
        for n in range(6):
            label = "yes" if n % 2 else "no"
            annotations = [{"completed_by": w, "result": result(label)} for w in range(3)]
            annotations.append({"completed_by": 9, "ground_truth": True, "result": result(label)})
            tasks.append({"id": n, "data": {}, "annotations": annotations})
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "tasks.json")
            path.write_text(json.dumps(tasks))
            found = allot.replay(path, path, policies="uniform", budget="100%", runs=1)
        self.assertEqual(found.rows[0]["accuracy"], 1)


class Cleanlab(unittest.TestCase):
    def test_tables_have_the_index_of_the_input(self) -> None:
        wide = pd.DataFrame({"a": [0, 1, 1], "b": [0, np.nan, 0]}, index=["x", "y", "z"])
        found = get_label_quality_multiannotator(wide, verbose=False)
        self.assertEqual(found["label_quality"].index.tolist(), ["x", "y", "z"])
        detailed = found["detailed_label_quality"]
        self.assertEqual(detailed.columns.tolist(), ["quality_annotator_a", "quality_annotator_b"])
        self.assertEqual(detailed.index.tolist(), ["x", "y", "z"])
        self.assertEqual(detailed.isna().to_numpy().tolist(), wide.isna().to_numpy().tolist())
        self.assertAlmostEqual(detailed.loc["z"].sum(), 1)
        short = get_label_quality_multiannotator(wide, return_detailed_quality=False)
        self.assertEqual(list(short), ["label_quality", "annotator_stats"])

    def test_probabilities_must_be_some(self) -> None:
        wide = pd.DataFrame({"a": [0, 1], "b": [0, 1]})
        with self.assertRaisesRegex(ValueError, "pred_probs: row 1 has a value that is not a probability"):
            get_label_quality_multiannotator(wide, np.array([[0.5, 0.5], [np.nan, np.nan]]))


if __name__ == "__main__":
    unittest.main()
