"""Group hardware-aware: networks that are right by construction, and the chips that carry them."""

import json

from .claim import OPTINC, Claim

GROUP = "hardware-aware"
STUDY = "experiments/studies/carry_chain.toml"
PUBLISHED_MZIS = 41664  # of the trained 8-bit network


# -- the runs that several claims share

def words(bench, settings, drawn=0):
    """What optinc words says of the carry chain with these settings."""
    def make():
        sets = [argument for setting in settings for argument in ("--set", setting)]
        text = bench.optinc("words", STUDY, "--json", "--quiet", "--words", drawn, *sets, accept=(0, 1))[0]
        return json.loads(text)
    return bench.once(("words", *settings), make)


def yields(bench):
    """Shares of chips that decode every word, and the lower ends of their 95 % intervals, by (policy, preset)."""
    def make():
        import h5py  # noqa: PLC0415  only these claims need it
        result = bench.folder / "carry_chain.h5"
        bench.optinc("run", STUDY, "-o", result, "--quiet", "--trials", "400")
        with h5py.File(result) as file:
            group = file["summary"]
            names = [[name.decode() for name in group[axis][()]] for axis in ("policy", "preset", "variant")]
            noisy = names[2].index("noisy")
            return {(policy, preset): (group["yield"][i, j, noisy], group["yield_low"][i, j, noisy])
                    for i, policy in enumerate(names[0]) for j, preset in enumerate(names[1])}
    return bench.once("yields", make)


def trained_yield(bench):
    """Share of good-lab chips on which the published network, trained without errors, decodes every word; no noise."""
    def make():
        import h5py  # noqa: PLC0415
        result = bench.folder / "trained.h5"
        bench.optinc("run", "experiments/studies/quickstart.toml", "-o", result, "--quiet", "--trials", "20", "--set",
                     "chip.preset=good-lab", "--set", "measure.words=0", "--set", "measure.once=[]", "--set",
                     'measure.variants=["corrected"]', "--sweep", "chip.sigma_eta_rad=[0.01]")
        with h5py.File(result) as file:
            return float((file["trials/word_accuracy"][()] == 1).mean())
    return bench.once("trained", make)


# -- the claims

SETTINGS = {"4x8": (), "4x16": ("task.bits=16",), "8x8": ("task.servers=8",), "16x8": ("task.servers=16",),
            "first-level": ("task.level=first",), "second-level": ("task.level=second",)}
DRAWN = {"4x16": 100_000_000}


def command(name):
    sets = "".join(f" --set {s}" for s in SETTINGS[name])
    return f"{OPTINC} words {STUDY}{sets}" + (f" --words {DRAWN[name]}" if name in DRAWN else "")


def asked(name):
    return lambda bench: words(bench, SETTINGS[name], DRAWN.get(name, 0))


RUN = f"{OPTINC} run {STUDY} -o carry_chain.h5 --trials 400"

CLAIMS = [Claim(GROUP, *claim) for claim in (
    # name, target, unit, measurement, command
    *((f"wrong-{name}", "= 0", "words wrong of the carry chain, servers x bits or level of the cascade: every one, or 1e8 and edges",
       lambda bench, name=name: asked(name)(bench)["wrong"], command(name)) for name in SETTINGS),
    *((f"mzis-{name}", f"= {mzis}", "MZIs", lambda bench, name=name: asked(name)(bench)["mzis"], command(name))
      for name, mzis in (("4x8", 29), ("4x16", 65), ("16x8", 118))),
    ("share-4x16", "<= 1", "% of the published 8-bit network's MZIs, for 16 bits",
     lambda bench: 100 * asked("4x16")(bench)["mzis"] / PUBLISHED_MZIS, command("4x16")),
    ("yield-foundry", ">= 0.95", "lower end of the 95 % interval: chips of 400 at foundry, calibrated in situ, receivers noisy, every word right",
     lambda bench: yields(bench)["in-situ", "foundry"][1], RUN),
    ("yield-good-lab", ">= 0.95", "the same at good-lab, corrected only", lambda bench: yields(bench)["noisy", "good-lab"][1], RUN),
    ("trained-good-lab", "< 0.95", "chips of 20 at good-lab where the published network, trained without errors, has every word right, without noise",
     trained_yield, f"{OPTINC} run experiments/studies/quickstart.toml --set chip.preset=good-lab --set measure.words=0 "
     "--set 'measure.variants=[\"corrected\"]' --sweep 'chip.sigma_eta_rad=[0.01]' --trials 20 -o trained.h5"),
)]
