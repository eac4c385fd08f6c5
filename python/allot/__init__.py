"""allot decides which label to buy next, and turns labels into answers.

========================  ====================================================================
answers                   ``MajorityVote``, ``Pooled``, ``Posterior``, ``OneCoinDawidSkene``,
                          ``DawidSkene``, ``KOS``, ``Contextual``
which label next          ``Campaign`` (in memory or in a file), ``Client`` of a server
policies compared         ``replay``, ``simulate``, ``policies``
before the first label    ``plan``, ``exact``
how good are they         ``Audit``, ``agreement``
========================  ====================================================================

The clients of a server need neither the compiled module nor numpy; the rest is loaded when it is
first used.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any, List

from .client import AsyncClient, Client
from .refusal import Refused

__version__ = "0.1.0"

# Names by the module that has them.
_HOMES = {
    "aggregation": ["Contextual", "DawidSkene", "KOS", "MajorityVote", "OneCoinDawidSkene", "Pooled", "Posterior"],
    "auditing": ["Audit", "AuditReport"],
    "campaign": ["Ask", "Campaign"],
    "experiments": ["Comparison", "policies", "replay", "simulate"],
    "figures": ["Figure"],
    "files": ["formats", "read_labels"],
    "metrics": ["agreement"],
    "planning": ["exact", "plan"],
    "plugins": ["PolicyState"],
    "remote": ["connect"],
    "rows": ["to_pandas"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ["aggregation", "auditing", "client", "compat", "experiments", "figures", "metrics", "planning", "plugins"]

__all__ = ["AsyncClient", "Client", "Refused", *_HOME_OF]


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        try:
            found = getattr(importlib.import_module(f".{_HOME_OF[name]}", __name__), name)
        except ImportError as error:
            if importlib.util.find_spec("allot._engine") is not None:
                raise
            raise ImportError(
                f"allot.{name} needs the compiled module, which is not installed; expected an installation by "
                "CMake with -DALLOT_PYTHON=ON, or by pip"
            ) from error
        globals()[name] = found
        return found
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module 'allot' has no attribute '{name}'")


def __dir__() -> List[str]:
    return sorted([*globals(), *_HOME_OF, *_MODULES])
