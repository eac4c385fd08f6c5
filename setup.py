"""Builds the compiled module allot._engine by CMake, for pip. pyproject.toml has the rest.

The libraries of packages.txt must be installed. ALLOT_BUILD names a folder in which the module was
built already (-DALLOT_PYTHON=ON); without it, pip configures and builds one of its own.
"""

import os
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        folder = os.environ.get("ALLOT_BUILD") or self._configured()
        subprocess.run(["cmake", "--build", folder, "--target", "allot_python"], check=True)
        target = Path(self.get_ext_fullpath(extension.name)).resolve()
        built = Path(folder) / "python" / "allot" / target.name
        if not built.exists():
            raise SystemExit(f"'{built}' is missing; expected a build for {sys.executable}")
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(built), str(target))

    def _configured(self):
        folder = Path(self.build_temp).resolve()
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=20"]
        options += ["-DALLOT_PYTHON=ON", "-DALLOT_TESTS=OFF", "-DALLOT_WEB=OFF", f"-DPython_EXECUTABLE={sys.executable}"]
        subprocess.run(["cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja", *options], check=True)
        return str(folder)


setup(ext_modules=[Extension("allot._engine", [])], cmdclass={"build_ext": CMakeBuild})
