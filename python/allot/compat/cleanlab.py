"""Wide tables as cleanlab has them: one row per example, one column per annotator, NaN for no label."""

from __future__ import annotations

from typing import Any, Dict, Optional

import numpy as np

from ..aggregation import Aggregator, MajorityVote, Pooled

try:
    import pandas as pd
except ImportError as error:  # the tables of cleanlab are those of pandas
    raise ImportError("allot.compat.cleanlab needs pandas") from error


def to_long(labels_multiannotator: Any) -> "pd.DataFrame":
    """A wide table as rows of task, worker and label.

    >>> import numpy as np
    >>> to_long(np.array([[0, np.nan], [1, 1]])).values.tolist()
    [[0, 0, 0], [1, 0, 1], [1, 1, 1]]
    """
    wide = pd.DataFrame(labels_multiannotator)
    if wide.empty:
        raise ValueError("labels_multiannotator is empty; expected one row per example, one column per annotator")
    # cleanlab has the number of the row for the task.
    values = wide.to_numpy(dtype=object)
    tasks, places = np.nonzero(~pd.isna(values))
    labels = [_whole(value) for value in values[tasks, places]]
    return pd.DataFrame({"task": tasks, "worker": wide.columns.take(places), "label": labels})


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, (float, np.floating)) and float(value).is_integer() else value


def get_label_quality_multiannotator(
    labels_multiannotator: Any,
    pred_probs: Any = None,
    *,
    aggregator: Optional[Aggregator] = None,
    return_detailed_quality: bool = True,
    return_annotator_stats: bool = True,
    verbose: bool = True,
) -> Dict[str, "pd.DataFrame"]:
    """Consensus labels and the quality of annotators, in the tables of cleanlab.

    ``pred_probs``, one row of class probabilities per example, are weighed as one more annotator.
    The numbers are allot's: ``consensus_quality_score`` is the probability of the consensus label,
    ``annotator_quality`` the chance of a right label. ``detailed_label_quality`` has the probability
    of every given label. Tables of examples have the index of the input. ``verbose`` has no effect:
    nothing is printed.

    >>> import numpy as np
    >>> found = get_label_quality_multiannotator(np.array([[0, 0, np.nan], [1, 1, 1], [0, 0, 1]]))
    >>> found["label_quality"].consensus_label.tolist()
    [0, 1, 0]
    """
    if aggregator is not None and not hasattr(aggregator, "fit"):
        raise TypeError(f"aggregator {aggregator!r} is of type {type(aggregator).__name__}; expected one such as Pooled()")
    wide = pd.DataFrame(labels_multiannotator)
    long = to_long(wide)
    model = _model_labels(pred_probs, len(wide), long)
    found = (aggregator or Pooled()).fit(long if model is None else pd.concat([long, model], ignore_index=True))
    missing = sorted(set(range(len(wide))) - set(found.labels_.index))
    if missing:
        raise ValueError(f"row {missing[0]} has no label; expected at least one per example")
    consensus = found.labels_.sort_index()
    long["right"] = long.label.to_numpy() == consensus.loc[long.task].to_numpy()
    by_task = long.groupby("task")
    if found.probas_ is None:
        score = by_task.right.mean()
    else:
        score = found.probas_.max(axis=1)
    quality = pd.DataFrame(
        {
            "consensus_label": consensus.to_numpy(),
            "consensus_quality_score": score.sort_index().reindex(consensus.index).to_numpy(),
            "annotator_agreement": by_task.right.mean().reindex(consensus.index).to_numpy(),
            "num_annotations": by_task.size().reindex(consensus.index, fill_value=0).to_numpy(),
        },
        index=wide.index,
    )
    result = {"label_quality": quality}
    if return_detailed_quality:
        result["detailed_label_quality"] = _detailed(wide, long, found)
    if return_annotator_stats:
        result["annotator_stats"] = _annotator_stats(wide, long, found, consensus)
    return result


def _detailed(wide: "pd.DataFrame", long: "pd.DataFrame", found: Aggregator) -> "pd.DataFrame":
    """The probability of every label that was given, in the shape of the wide table."""
    shares = MajorityVote().fit_predict_proba(long) if found.probas_ is None else found.probas_
    places = shares.index.get_indexer(long.task), shares.columns.get_indexer(long.label)
    values = np.full(wide.shape, np.nan)
    values[long.task, wide.columns.get_indexer(long.worker)] = shares.to_numpy()[places]
    return pd.DataFrame(values, index=wide.index, columns=[f"quality_annotator_{name}" for name in wide.columns])


def _annotator_stats(wide: "pd.DataFrame", long: "pd.DataFrame", found: Aggregator, consensus: Any) -> "pd.DataFrame":
    by_worker = long.groupby("worker")
    annotators = [name for name in wide.columns if name in by_worker.groups]
    stats = pd.DataFrame(
        {
            "annotator_quality": found.skills_.reindex(annotators).to_numpy(),
            "agreement_with_consensus": by_worker.right.mean().reindex(annotators).to_numpy(),
            "worst_class": [_worst_class(by_worker.get_group(name), consensus) for name in annotators],
            "num_examples_labeled": by_worker.size().reindex(annotators).to_numpy(),
        },
        index=annotators,
    )
    return stats.sort_values("annotator_quality")


def _model_labels(pred_probs: Any, rows: int, long: "pd.DataFrame") -> Optional["pd.DataFrame"]:
    """The most probable class of each example, as labels of one more annotator."""
    if pred_probs is None:
        return None
    probabilities = np.asarray(pred_probs, dtype=float)
    if probabilities.ndim != 2 or len(probabilities) != rows:
        shape = " x ".join(map(str, probabilities.shape))
        raise ValueError(f"pred_probs is an array of {shape}; expected one row per example, {rows} of them")
    wrong = np.flatnonzero(~((probabilities >= 0) & (probabilities <= 1)).all(axis=1))
    if len(wrong):
        raise ValueError(f"pred_probs: row {wrong[0]} has a value that is not a probability; expected 0 to 1")
    classes = np.unique(long.label.to_numpy())
    if not np.issubdtype(classes.dtype, np.integer) or classes.max() >= probabilities.shape[1]:
        raise ValueError(
            f"pred_probs has {probabilities.shape[1]} columns; expected one per class, and labels from 0 on"
        )
    best = probabilities.argmax(axis=1)
    return pd.DataFrame({"task": np.arange(rows), "worker": "pred_probs", "label": best})


def _worst_class(labels: "pd.DataFrame", consensus: Any) -> Any:
    """The consensus class that the annotator misses most often."""
    truth = consensus.loc[labels.task].to_numpy()
    return labels.right.groupby(truth).mean().idxmin()
