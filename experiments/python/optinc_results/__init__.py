"""Reads, tabulates and draws the result files of OptINC."""

from __future__ import annotations

from .compare import contents, differing
from .errors import NotAResult, NotInResult
from .provenance import Provenance
from .run import SCHEMA_VERSION, Run, open_run
from .study import Parameter, Statistic, metrics, parameters, statistic
from .table import Table, tidy, to_pandas, write_csv

__all__ = ["SCHEMA_VERSION", "NotAResult", "NotInResult", "Parameter", "Provenance", "Run", "Statistic", "Table",
           "contents", "differing",           "metrics", "open_run", "parameters", "statistic", "tidy", "to_pandas", "write_csv"]
