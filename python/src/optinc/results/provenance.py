"""Where a result comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional


@dataclass(frozen=True)
class Provenance:
    """The root attributes of a result file; `model`, `seed` and `complete` are None, `run_id` empty, where the file has none."""

    title: str
    schema_version: int
    optinc_version: str
    git_revision: str
    build_target: str
    compiler: str
    run_id: str
    seed: Optional[int]
    created_utc: str
    command: str
    model: Optional[str]
    complete: Optional[bool]

    def signature(self) -> str:
        """One line of small print: enough to find the run again."""
        run = f"run\u00a0{self.run_id} · " if self.run_id else ""
        seed = f"seed\u00a0{self.seed} · " if self.seed is not None else ""
        return (f"{self.title} · {run}{seed}"
                f"OptINC {self.optinc_version} ({self.git_revision})")


def provenance_of(attributes: Mapping[str, Any]) -> Provenance:
    """Provenance from the root attributes of a file; an attribute that is not vital may be missing."""
    def text(name: str) -> str:
        return str(attributes.get(name, "?"))

    return Provenance(
        title=text("title"), schema_version=int(attributes["schema_version"]),
        optinc_version=text("optinc_version"), git_revision=text("git_revision"),
        build_target=text("build_target"), compiler=text("compiler"), run_id=str(attributes.get("run_id", "")),
        seed=int(attributes["seed"]) if "seed" in attributes else None, created_utc=text("created_utc"), command=text("command"),
        model=str(attributes["model"]) if "model" in attributes else None,
        complete=bool(attributes["complete"]) if "complete" in attributes else None)
