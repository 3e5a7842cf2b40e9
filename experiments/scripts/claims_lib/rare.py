"""Group rare: words wrong too seldom to count, estimated at given phases of the locks."""

import json

from .claim import at, claims_of, shared
from .python import module

GROUP = "rare"
RUN = "PYTHONPATH=build/ci/python bench/rare_words.py "
DESIGNS = {"owner": "sums of 4 servers at owners, locks of 0.05 rad", "ring": "a ring of 8, locks of 0.05 rad",
           "chain": "a carry chain of 4 servers, locks of 0.02 rad"}
FAR = ("1e-9", "1e-12")


@shared
def told(bench, design):
    """What bench/rare_words.py says of a design."""
    return json.loads(bench.run(module(bench), "bench/rare_words.py", design)[0])[design]


def apart(bench, design):
    """Estimate less count, in standard errors of both."""
    found = told(bench, design)
    estimated, counted = found["estimated"], found["counted"]
    return abs(estimated["share"] - counted["share"]) / (estimated["error"] ** 2 + counted["error"] ** 2) ** 0.5


def relative_error(bench, design, number):
    found = told(bench, design)["far"][number]
    return found["error"] / found["share"]


def far(bench, design, number, key):
    return told(bench, design)["far"][number][key]


CLAIMS = claims_of(GROUP, *(row for name, said in DESIGNS.items() for row in (
    (f"{name}-counted", "", f"share of words wrong, counted: {said}", (at, (told, name), "counted", "share"), RUN + name),
    (f"{name}-words", "", "words counted", (at, (told, name), "counted", "words"), RUN + name),
    (f"{name}-estimated", "", "the same, estimated", (at, (told, name), "estimated", "share"), RUN + name),
    (f"{name}-apart", "<= 5", "difference of both in standard errors", (apart, name), RUN + name),
    *(row for number, share in enumerate(FAR) for row in (
        (f"{name}-{share}", "", f"estimated with more light, near {share}, locks of 0.02 rad", (far, name, number, "share"), RUN + name),
        (f"{name}-{share}-error", "<= 0.2", "standard error over this estimate", (relative_error, name, number), RUN + name),
        (f"{name}-{share}-samples", "", "words of this estimate, each with phases of its own", (far, name, number, "samples"), RUN + name),
        (f"{name}-{share}-counting", ">= 100", "variance of a count of as many words over that of this estimate",
         (far, name, number, "counting"), RUN + name))))))
