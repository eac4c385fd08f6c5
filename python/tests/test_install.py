"""Installed by CMake and by pip, without a network, the package works."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import places

BUILD = Path(places.PROGRAM).resolve().parent
USE = "import allot; print(allot.MajorityVote().fit_predict([('t', 'a', 1)]).tolist(), allot.__file__)"


def clean_environment() -> dict:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


class Install(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="allot-install-")
        self.addCleanup(shutil.rmtree, self.folder)

    def run_command(self, *words: str, **environment: str) -> str:
        done = subprocess.run(
            words, env={**clean_environment(), **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, cwd=self.folder,
        )
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_by_cmake(self) -> None:
        self.run_command("cmake", "--install", str(BUILD), "--component", "python", "--prefix", self.folder)
        module = next(Path(self.folder).rglob("_engine*.so"))
        found = self.run_command(sys.executable, "-c", USE, PYTHONPATH=str(module.parent.parent))
        self.assertTrue(found.startswith("[1] ") and self.folder in found, found)
        self.assertTrue((module.parent / "py.typed").exists() and (module.parent / "_engine.pyi").exists())

    def test_by_pip_in_a_virtual_environment(self) -> None:
        source = Path(self.folder, "source")
        source.mkdir()
        for name in ("pyproject.toml", "setup.py"):
            shutil.copy(places.ROOT / name, source)
        shutil.copytree(places.ROOT / "python", source / "python", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        environment = Path(self.folder, "venv")
        self.run_command(sys.executable, "-m", "venv", "--system-site-packages", str(environment))
        python = str(environment / "bin" / "python3")
        self.run_command(
            python, "-m", "pip", "install", "--no-index", "--no-build-isolation", "--no-deps", str(source),
            ALLOT_BUILD=str(BUILD), PIP_DISABLE_PIP_VERSION_CHECK="1",
        )
        found = self.run_command(python, "-c", USE)
        self.assertTrue(found.startswith("[1] ") and str(environment) in found, found)


if __name__ == "__main__":
    unittest.main()
