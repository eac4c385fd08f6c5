"""The package: examples of its documents run, stubs name what is there, and parts work alone."""

from __future__ import annotations

import ast
import doctest
import importlib
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import List

import allot
import allot.client
import places

PACKAGE = places.ROOT / "python" / "allot"
PAGES = ["python/README.md", "docs/guide/python.md", "docs/guide/coming-from-crowd-kit.md", "docs/guide/coming-from-cleanlab.md"]


def run_python(script: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, env={**os.environ, **environment}
    )
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


WRONG_TYPES = '''import allot
campaign = allot.Campaign(["a"], ["x", "y"], 1)
allot.Pooled(foo=1)
campaign.tell(3)
campaign.tell([("a", "w", "x")])
campaign.tell("a", None, worker="w")
fitted: allot.Pooled = allot.Pooled().fit([])
voted: allot.MajorityVote = allot.MajorityVote().set_params(duplicates="all").fit([])
'''


class Types(unittest.TestCase):
    @unittest.skipUnless(shutil.which("mypy"), "skipped: there is no mypy")
    def test_reject_unknown_settings_and_labels(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "wrong.py").write_text(WRONG_TYPES)
            done = subprocess.run(
                ["mypy", "--strict", "--follow-imports", "silent", "--cache-dir", folder, str(Path(folder, "wrong.py"))],
                capture_output=True,
                text=True,
                env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
            )
        lines = [line.split(":")[1] for line in done.stdout.splitlines() if "wrong.py" in line and ": error:" in line]
        self.assertEqual(lines, ["3", "4"], done.stdout + done.stderr)


class Documents(unittest.TestCase):
    def test_examples_of_docstrings(self) -> None:
        examples = 0
        for module in pkgutil.walk_packages([str(PACKAGE)], "allot."):
            if module.name == "allot._engine":
                continue
            found = doctest.testmod(importlib.import_module(module.name))
            self.assertEqual(found.failed, 0, module.name)
            examples += found.attempted
        self.assertGreater(examples, 25)

    def test_examples_of_pages(self) -> None:
        """Blocks with prompts are run in order, page by page, in the folder of the guide's data."""
        before = os.getcwd()
        os.chdir(places.GUIDE_DATA)
        self.addCleanup(os.chdir, before)
        for page in PAGES:
            blocks = re.findall(r"```python\n(.*?)```", (places.ROOT / page).read_text(), re.DOTALL)
            text = "\n".join(block for block in blocks if ">>>" in block)
            test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
            self.assertGreater(len(test.examples), 0, page)
            runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
            self.assertEqual(runner.run(test).failed, 0, page)

    def test_the_notebook_runs(self) -> None:
        """Runs the cells of the notebook in order, and compares what they print with what it shows."""
        notebook = json.loads((places.ROOT / "examples" / "first-steps.ipynb").read_text())
        before = os.getcwd()
        os.chdir(places.ROOT / "examples")
        self.addCleanup(os.chdir, before)
        names: dict = {}
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        self.assertGreater(len(cells), 5)
        for cell in cells:
            result = run_cell("".join(cell["source"]), names)
            for output in cell["outputs"]:
                shown = output["data"]
                if "image/svg+xml" in shown:
                    self.assertTrue(result._repr_svg_().startswith("<svg"))
                else:
                    said = [line.rstrip() for line in repr(result).splitlines()]
                    self.assertEqual(said, "".join(shown["text/plain"]).splitlines())

    def test_the_version_is_that_of_the_program(self) -> None:
        said = subprocess.run([places.PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
        self.assertEqual(allot.__version__, said.split("+")[0])
        self.assertIn(f'version = "{allot.__version__}"', (places.ROOT / "pyproject.toml").read_text())


def run_cell(source: str, names: dict) -> object:
    """Runs a cell; returns the value of its last expression, as notebooks show it."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None


class Stubs(unittest.TestCase):
    def names_in(self, path: Path, inside: str = "") -> set:
        body: List[ast.stmt] = ast.parse(path.read_text()).body
        if inside:
            body = next(one for one in body if isinstance(one, ast.ClassDef) and one.name == inside).body
        names = set()
        for one in body:
            if isinstance(one, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                names.add(one.name)
            elif isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
                names.add(one.target.id)
            elif isinstance(one, ast.ImportFrom):
                names.update(alias.asname for alias in one.names if alias.asname)
        return names

    def test_name_all_that_the_package_has(self) -> None:
        self.assertEqual(self.names_in(PACKAGE / "__init__.pyi") - {"__version__"}, set(allot.__all__) | set(allot._MODULES))
        for name in allot.__all__:
            getattr(allot, name)

    def test_name_all_that_the_engine_has(self) -> None:
        engine = importlib.import_module("allot._engine")
        named = self.names_in(PACKAGE / "_engine.pyi")
        self.assertEqual(named, {name for name in dir(engine) if not name.startswith("_")})
        for name in ("Campaign", "Labels", "Audit", "PolicyState", "Items", "Plugins", "MethodOptions"):
            members = {one for one in vars(getattr(engine, name)) if not one.startswith("_")}
            self.assertEqual({one for one in self.names_in(PACKAGE / "_engine.pyi", name) if not one.startswith("_")}, members)

    def test_name_the_methods_of_the_asynchronous_client(self) -> None:
        named = {one for one in self.names_in(PACKAGE / "client" / "aio.pyi", "AsyncClient") if not one.startswith("_")}
        self.assertEqual(named, {one for one in vars(allot.AsyncClient) if not one.startswith("_")})

    def test_options_are_those_of_the_program(self) -> None:
        """Every option of a command that says what to compute is an argument of its function."""
        import inspect

        files = {"labels", "truth", "pilot", "format", "plot", "calibration", "from", "item-column", "worker-column",
                 "label-column", "truth-column", "keep-rejected", "policy", "features", "no-standardise",
                 "no-intercept", "feature-variance", "feature-update", "confidence-column"}
        for command, function in (("replay", allot.replay), ("simulate", allot.simulate), ("plan", allot.plan), ("exact", allot.exact)):
            said = subprocess.run([places.PROGRAM, "help", command], capture_output=True, text=True, check=True).stdout
            options = set(re.findall(r"^ +--([a-z-]+)", said, re.MULTILINE)) - {"help"}
            arguments = set(inspect.signature(function).parameters)
            missing = {one for one in options - files if one.replace("-", "_") not in arguments}
            self.assertEqual(missing - ({"classes"} if command == "plan" else set()), set(), command)


class Parts(unittest.TestCase):
    def test_clients_need_neither_the_engine_nor_numpy(self) -> None:
        script = (
            "import sys\nsys.modules['numpy'] = None\nsys.path.insert(0, r'%s')\n"
            "import allot\nprint(allot.Client('http://127.0.0.1:9').healthy.__name__)\n"
            "try:\n    allot.DawidSkene\nexcept ImportError as error:\n    print(error)\n" % PACKAGE.parent
        )
        said = run_python(script, PYTHONPATH="")
        self.assertIn("healthy\n", said)
        self.assertIn("allot.DawidSkene needs the compiled module", said)

    def test_works_without_pandas(self) -> None:
        script = (
            "import sys\nsys.modules['pandas'] = None\nimport allot\n"
            "rows = [(t, w, t % 2) for t in range(6) for w in 'abc']\n"
            "found = allot.DawidSkene().fit(rows)\n"
            "assert found.labels_ == {t: t % 2 for t in range(6)}, found.labels_\n"
            "assert abs(sum(found.probas_[0].values()) - 1) < 1e-9\n"
            "assert set(found.skills_) == set('abc') and found.errors_['a', 0][0] > 0.9\n"
            "assert allot.MajorityVote().fit_predict([('x', 'a', None), ('x', 'b', 'y'), ('z', 'b', 'n')]) == {'x': 'y', 'z': 'n'}\n"
            "campaign = allot.Campaign(['r1'], ['no', 'yes'], 2)\n"
            "campaign.tell(campaign.ask('ann'), 'yes')\n"
            "assert campaign.answers()[0]['agg_label'] == 'yes'\n"
            "assert len(allot.replay(rows, {t: t % 2 for t in range(6)}, runs=2, final=allot.MajorityVote()).rows) > 0\n"
            "assert len(allot.Audit(found, checks=2).draws()) == 2\n"
            "print('fine')\n"
        )
        self.assertEqual(run_python(script), "fine\n")


if __name__ == "__main__":
    unittest.main()
