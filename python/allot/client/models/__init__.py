"""Dataclasses for requests and answers.

Amounts of money are exact :class:`decimal.Decimal`; times are aware :class:`datetime.datetime`.
Members that a newer server adds are ignored.
"""

from .campaigns import *
from .people import *
from .reports import *
from .server import *
from .values import *
from .work import *
