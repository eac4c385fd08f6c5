"""Where tests find the repository, the program and the shared data sets."""

from __future__ import annotations

import os
import unittest
from pathlib import Path
from typing import Dict

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ALLOT_PROGRAM", str(ROOT / "build" / "release" / "allot"))
GUIDE_DATA = ROOT / "docs" / "guide" / "data"


def data_sets() -> Dict[str, Path]:
    """Folders of the shared data sets by name; skips the test if there are none."""
    folder = Path(os.environ.get("ALLOT_DATA", ROOT.parent / "shared" / "data"))
    found = {path.parent.name: path.parent for path in sorted(folder.glob("*/labels.csv"))}
    if not found:
        raise unittest.SkipTest(f"skipped: there are no data sets in {folder}")
    return found
