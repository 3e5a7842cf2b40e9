"""Reads, tabulates and draws the result files of OptINC."""

from __future__ import annotations

from .._files import SCHEMA_VERSION
from .compare import contents, differences, differing
from .comparison import ComparedNetwork, Comparison, comparison
from .errors import NotAResult, NotInResult
from .networks import Network, network_of_point, networks
from .provenance import Provenance
from .run import Run, open_run
from .study import Parameter, Statistic, metrics, parameters, statistic
from .table import Table, tidy, to_pandas, write_csv
from .tolerances import tolerance

__all__ = ["SCHEMA_VERSION", "ComparedNetwork", "Comparison", "Network", "NotAResult", "NotInResult", "Parameter", "Provenance",
           "Run", "Statistic", "Table", "comparison", "contents", "differences", "differing", "metrics", "network_of_point", "networks", "open_run", "parameters",
           "statistic", "tidy", "to_pandas", "tolerance", "write_csv"]
