"""Holds `optinc report` to the files it tells of: every headline is the file's own number, the page loads nothing and takes
no text for markup, it is accessible, and as wide as the window in a browser (Chromium, where there is one).

Usage: report_test.py OPTINC [unittest's arguments]. Exits 77 (skipped) when a module is missing.
"""

import base64
import contextlib
import os
import re
import subprocess
import sys
import unittest
import unittest.mock
import warnings
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from sample_files import FOLDER, ROOT, command, samples  # first: it finds the package, or skips
import h5py
import html_page
import numpy as np
from optinc.results import open_run, statistic, style
from optinc.results.figures import FIGURES
from optinc.results.figures.fronts import is_better_high
from optinc.results.report.numbers import number
from optinc.results.tolerances import MEANINGS
from tool import SMALL_ARGUMENTS, optinc

STUDIES = ROOT / "experiments/data/studies"
HERE = Path(FOLDER.name)
HOSTILE = '<script>alert("1")</script> & \'two\' </title><img src=x onerror=alert(2)>'
LONG = "a" * 300
TINY = ["--quiet", "--trials", "2", "--set", "measure.words=64"]
MADE = {  # by the tool: kinds of files, and details, that no sample has
    "cascade": ["run", STUDIES / "cascade.toml", *TINY, "--sweep", "calibration.sigma_estimate_rad=[0.001,0.1]"],
    "chip": ["run", STUDIES / "splitter_errors.toml", "--quiet", *SMALL_ARGUMENTS],
    "ablated": ["ablate", STUDIES / "mesh_scaling.toml", "--quiet", "--trials", "2", "--sweep", "mesh.ports=[4]"],
    "shard": ["run", STUDIES / "mesh_scaling.toml", "--quiet", "--trials", "4", "--sweep", "mesh.ports=[4]", "--shard", "1/2",
              "--set", "chip.sigma_eta_rad=0.2"],
    "validate": ["validate", "--quick", "8", "11"],
    "budget": ["budget", "--set", "network.source=carry-chain", "--set", "task.rounding=half-up"],
    "designs": ["compare-costs", ROOT / "experiments/data/lists/published.toml"],
    "interconnect": ["interconnect", ROOT / "experiments/data/lists/headline.toml"],
    "train": ["train", STUDIES / "splitter_errors.toml", "--quiet", *SMALL_ARGUMENTS[:SMALL_ARGUMENTS.index("--sweep")]],
}


def hostile(path):
    """A study whose every text would like to be markup."""
    with samples.result(path, "# </pre><script>alert(3)</script>", model="mesh", complete=np.int64(0), title=HOSTILE, shard="1/2",
                        warnings=f"chip.x: {HOSTILE}\nmesh.y: {LONG}", command=f"optinc run {HOSTILE} -o {LONG}; second") as file:
        sweep = ("a" * 60, ["<b>one</b>", "b" * 20], "<i>", HOSTILE, HOSTILE)
        error = np.random.default_rng(1).lognormal(0, 1, (2, 3, 1))
        samples.study(file, [sweep], 3, ["<u>variant"], {"mesh_error": (error, {}, "<s>", HOSTILE)})


DRAWN = ("chip", "cascade", "words_in_time", "paired_keys", "crowded")  # whose pages show their figures; drawing_test.py draws those of all
BLANK = b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'


def report(path, *more):
    """Exit status, standard output and standard error of the package's command."""
    return command("report", path, *more)


def setUpModule():
    for make in (*samples.ALL, hostile):
        make(HERE / f"{make.__name__}.h5")
    for name, words in MADE.items():
        done = optinc(*words, "-o", HERE / f"{name}.h5")
        assert done.returncode == 0, f"{name}: {done.stderr}"
    done = optinc("replay", HERE / "chip.h5", "--trial", "1", "-o", HERE / "replay.h5", "--quiet")
    assert done.returncode == 0, done.stderr
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for path in sorted(HERE.glob("*.h5")):
            blank = lambda figure, **options: BLANK  # noqa: E731
            with contextlib.nullcontext() if path.stem in DRAWN else unittest.mock.patch("optinc.results.report.pictures.saved", blank):
                status, out, err = report(path)
            assert (status, out, err) == (0, f"{path.with_suffix('.html')}\n", ""), (path, err)
            PAGES[path.stem] = html_page.read(path.with_suffix(".html"))


def tearDownModule():
    FOLDER.cleanup()


PAGES = {}


class Numbers(unittest.TestCase):
    """What a page says is what stands in the file, read here by h5py alone."""

    def shows(self, values, cell):
        """The cell has these numbers to the last bit, and rounds them rightly."""
        np.testing.assert_array_equal(cell.values, np.ravel(values))
        for value, text in zip(cell.values, cell.shown):
            self.assertEqual(text, "-") if np.isnan(value) else self.assertNotEqual(text, "-")

    def test_more_of_a_cascades_accuracy_is_better(self):
        with open_run(HERE / "cascade.h5") as run:
            told = {name: is_better_high(run, name) for name in map(str, run.trials) if name != "completed"}
            shares = ("cascade_accuracy", "first_level_accuracy", "second_level_accuracy")
            self.assertEqual(told, {**dict.fromkeys(shares, True), "cascade_error_rms": False})
            figure = FIGURES["pareto"](run, x="cascade_error_rms", y="cascade_accuracy")
            title = " ".join(figure._suptitle.get_text().split())
            self.assertIn("cascade error rms low and cascade accuracy high", title)
            means = statistic(run, "cascade_accuracy").mean
            self.assertLess(float(means.min()), float(means.max()))
            for name in map(str, means["variant"].values):
                best = next(line for line in figure.axes[0].lines if line.get_label() == style.variant(name)["label"])
                self.assertEqual(set(best.get_ydata()), {float(means.sel(variant=name).max())})

    def test_means_and_intervals_of_every_point(self):
        seen = 0
        for name, page in PAGES.items():
            with h5py.File(HERE / f"{name}.h5") as file:
                if "summary" not in file:
                    continue
                sweeps = [d[0].name.split("/")[-1] for d in file["trials/completed"].dims if d[0].name != "/trials/trial"]
                for metric, stem in (("word_accuracy", "word_accuracy_mean"), ("mesh_error", "mesh_error_mean"),
                                     ("output_error", "output_error_mean"), ("final_accuracy", "final_accuracy_mean"),
                                     ("tolerance", "tolerance_mean"), ("yield", "yield")):
                    if stem not in file["summary"]:
                        continue
                    hits = [t for label, t in html_page.tables(page).items() if re.match(rf"{metric}( \(|:)", label)]
                    self.assertEqual(len(hits), 1, (name, metric))
                    wanted = np.stack([file[f"summary/{stem}{end}"][()] for end in ("", "_low", "_high")], -1)
                    wanted = wanted.reshape(-1, wanted.shape[-2], 3)  # point, variant
                    headings, rows = hits[0]
                    variants = list(file["summary/variant"].asstr())
                    if sweeps:
                        self.assertEqual(headings[-len(variants):], [" ".join(v.split()) for v in variants])
                        self.assertEqual(len(rows), min(200, len(wanted)), (name, metric))
                        found = [[cell.values for cell in row[-len(variants):]] for row in rows]
                        np.testing.assert_array_equal(found, wanted[:200], f"{name} {metric}")
                        counted = file["summary/completed"][()].ravel()
                        if counted.min() < counted.max():
                            at = headings.index("trials")
                            self.assertEqual([row[at].values for row in rows], [[n] for n in counted[:200]])
                    else:
                        self.assertEqual([row[0].text for row in rows], variants)
                        np.testing.assert_array_equal([row[1].values for row in rows], wanted[0], name)
                    seen += 1
        self.assertGreater(seen, 25)

    def test_a_row_names_its_point(self):
        _, rows = html_page.table(PAGES["two_sweeps"], "word_accuracy:")
        wanted = [[float(bits), eta] for bits in samples.BITS[1] for eta in samples.ETA[1]]
        self.assertEqual([row[0].values + row[1].values for row in rows], wanted)
        headings, rows = html_page.table(PAGES["paired_keys"], "mesh_error:")
        self.assertEqual(headings[:2], ["ports", "sigma_eta_rad (rad)"])
        self.assertEqual([row[0].values + row[1].values for row in rows], [[8, 0.02], [16, 0.015], [32, 0.01], [64, 0.005]])

    def test_of_an_axis_of_its_own_the_worst_is_told(self):
        with h5py.File(HERE / "recorded_drift.h5") as file:
            for metric, worst in (("instant_accuracy", np.argmin), ("phase_drift (mrad)", np.argmax)):
                stem = metric.split()[0]
                _, rows = html_page.table(PAGES["recorded_drift"], metric)
                for variant, row in enumerate(rows):
                    at = worst(file[f"summary/{stem}_mean"][variant])
                    wanted = [file[f"summary/{stem}_mean{end}"][variant, at] for end in ("", "_low", "_high")]
                    self.assertEqual(row[1].values, wanted)
                    self.assertTrue(row[1].text.endswith(f"at time {file['summary/time'][at]:.0f} s"), row[1].text)

    def test_what_is_shown_is_the_value_rounded(self):
        shown = 0
        for name, page in PAGES.items():
            for label, (_, rows) in html_page.tables(page).items():
                if re.match(r"[^:]*\((m|µ|n|p|f|k|M|G)?(rad|W|s|m|Hz|A|V)\)", label) or label.startswith(("Costs", "Scen", "Designs", "Operating", "The tr")):
                    continue  # under a prefix
                for cell in (cell for row in rows for cell in row):
                    for value, text in zip(cell.values, cell.shown):
                        if np.isfinite(value):
                            said, half = html_page.number_shown(text)
                            self.assertLessEqual(abs(said - value), half * (1 + 1e-9), (name, label, text, value))
                            self.assertEqual((said == 1, said == 0), (value == 1, value == 0), (text, value))
                            shown += 1
        self.assertGreater(shown, 3000)

    def test_numbers_as_a_reader_wants_them(self):
        for value, digits, step, text in (
                (41664, 5, 0, "41,664"), (0.00517, 5, 0, "0.00517"), (1.2e-5, 5, 0, "1.2×10⁻⁵"), (np.nan, 5, 0, "-"), (0.1 + 0.2, 5, 0, "0.3"),
                (0.9999999, 5, 0, "0.9999999"), (np.inf, 5, 0, "∞"), (0.0999, 5, 1e-3, "0.100"), (0.98765, 5, 1e-3, "0.988"), (0, 5, 1e-3, "0"),
                (-1.5e10, 5, 0, "-1.5×10¹⁰"), (1.0, 5, 0.01, "1.00"), (0.9996, 5, 0.001, "0.9996"), (1.234e-7, 5, 1e-9, "1.23×10⁻⁷")):
            self.assertEqual(number(value, digits, step), text)

    def test_prefixes_of_a_table(self):
        headings, rows = html_page.table(PAGES["budget"], "Costs by stage")
        with h5py.File(HERE / "budget.h5") as file:
            for heading, name in (("delay (ns)", "delay"), ("static power (W)", "static_power"), ("loss (dB)", "loss"), ("area (m²)", "area"), ("MZIs", "mzis")):
                values = file[f"budget/{name}"][()]
                values = values.sum(1) if values.ndim > 1 else values
                at = headings.index(heading)
                np.testing.assert_allclose([row[at].values[0] for row in rows], [*values, values.sum()], rtol=1e-12)
            delay = file["budget/delay"][()].sum()
        said, half = html_page.number_shown(rows[-1][headings.index("delay (ns)")].text)
        self.assertLessEqual(abs(said - 1e9 * delay), half)

    def test_networks_and_gradients(self):
        _, rows = html_page.table(PAGES["chip"], "Networks")
        with h5py.File(HERE / "chip.h5") as file:
            told = [file["onn"].attrs[key] for key in ("mzi_count", "mzi_depth", "word_accuracy", "margin")]
            self.assertEqual([cell.values[0] for cell in rows[0][1:]], told)
            _, rows = html_page.table(PAGES["chip"], "A real gradient")
            self.assertEqual([row[1].values[0] for row in rows], list(file["gradient/relative_error"]))
        _, rows = html_page.table(PAGES["tolerant_shapes"], "Networks")
        self.assertEqual([row[1].values[0] for row in rows], [2720, 900, 2720, 29, 120, 9000])

    def test_chips_with_every_word_right(self):
        # 8 of 8 and 0 of 8: ends 0.025^(1/8) and 1 minus it. Fails where trials are counted that did not run
        _, rows = html_page.table(PAGES["text_axis"], "Chips with every drawn word right")
        with h5py.File(HERE / "text_axis.h5") as file:
            right = (file["trials/word_accuracy"][()] == 1).sum(1)
        self.assertEqual([[cell.values[0] * 8 for cell in row[1:]] for row in rows], right.tolist())
        np.testing.assert_allclose([rows[0][1].values, rows[2][1].values],
                                   [[1, 0.025 ** 0.125, 1], [0, 0, 1 - 0.025 ** 0.125]])

    def test_levels_that_chips_stand(self):
        _, rows = html_page.table(PAGES["tolerant_shapes"], "Level that 99 % of the chips tolerate")
        with h5py.File(HERE / "tolerant_shapes.h5") as file:
            chips = file["trials/tolerance"][..., 0].reshape(12, -1)
        self.assertEqual(len(rows), 12)
        for row, own in zip(rows, chips):
            level, low, high = row[-2].values
            self.assertGreaterEqual((own >= level).mean(), 0.99)
            self.assertTrue((own > level).mean() < 0.99 and low <= level <= high, row)
            self.assertEqual(row[-1].values, [400])

    def test_keys_that_chips_are_tried_at_are_keys_of_the_tool(self):
        # fails where a key is renamed in the tool alone: a figure then shows the bare key without its unit
        for key in MEANINGS:
            self.assertEqual(optinc("explain", key).returncode, 0, key)

    def test_laws(self):
        for name in ("laws", "validate"):
            _, rows = html_page.table(PAGES[name], "Laws: ")
            with h5py.File(HERE / f"{name}.h5") as file:
                laws = {key: file[f"laws/{key}"][()] for key in ("measured", "expected", "tolerance", "passed")}
            self.assertEqual(len(rows), len(laws["passed"]))
            self.assertEqual([row[1].text for row in rows], sorted(("yes" if held else "no" for held in laws["passed"])))
            for key, at in (("measured", 2), ("expected", 3), ("tolerance", 4)):
                self.assertEqual(sorted(row[at].values[0] for row in rows), sorted(laws[key]))

    def test_designs_and_interconnects(self):
        for name, group, caption in (("designs", "designs", "Designs"), ("interconnect", "interconnect", "Scenarios"),
                                     ("interconnect", "sensitivity", "Assumptions")):
            headings, rows = html_page.table(PAGES[name], caption)
            self.assertGreater(len(headings), 5)
            with h5py.File(HERE / f"{name}.h5") as file:
                for at, heading in enumerate(headings):
                    told = heading.split(" (")[0].replace(" ", "_").lower()  # without the unit that may end the name
                    values = next(file[group][name] for name in (told, f"{told}_s", f"{told}_j") if name in file[group])
                    if values.dtype == object:
                        self.assertEqual([row[at].text for row in rows], [v or "-" for v in values.asstr()])
                    elif values.dtype == np.uint8:
                        self.assertEqual([row[at].text for row in rows], ["yes" if v else "no" for v in values])
                    else:
                        np.testing.assert_array_equal([row[at].values[0] for row in rows], values[()], heading)

    def test_shares_of_sources(self):
        for name in ("with_ablation", "ablated"):
            headings, rows = html_page.table(PAGES[name], "Share of every source")
            with h5py.File(HERE / f"{name}.h5") as file:
                shares = np.stack([file[f"ablation/share_{way}"][()] for way in ("alone", "without")], -1)  # .., variant, source, way
            wanted = np.moveaxis(shares, -2, -3).reshape(len(rows), -1)
            np.testing.assert_array_equal([[v for c in row for v in c.values][-wanted.shape[1]:] for row in rows], wanted)
            self.assertTrue(headings[-1].endswith("removed"))

    def test_a_replayed_trial(self):
        headings, rows = html_page.table(PAGES["replay"], "The trial")
        told = {row[0].text.split(" (")[0]: [cell.values[0] for cell in row[1:]] for row in rows}
        with h5py.File(HERE / "replay.h5") as file:
            for key in ("word_accuracy", "margin", "output_error"):
                self.assertEqual(told[key], list(file[f"record/{key}"][()]))

    def test_the_conclusion_names_the_best_and_the_worst_point(self):
        with h5py.File(HERE / "chip.h5") as file:
            means, low, high = (file[f"summary/word_accuracy_mean{end}"][()] for end in ("", "_low", "_high"))
            variants = list(file["summary/variant"].asstr())
        said = next(p.text() for p in PAGES["chip"].all("p") if p.attributes.get("class") == "conclusion")
        self.assertRegex(said, r"^Fraction of .* \(mean of 2 trials \[95 % interval\]\): best ")
        best, worst = re.findall(r"(?:best|worst) (\S+) \[(\S+), (\S+)\] at (.*?)[;.](?: |$)", said)
        for told, place in ((best, means.argmax()), (worst, means.argmin())):
            for text, values in zip(told, (means, low, high)):
                self.assertAlmostEqual(float(text), values.flat[place], delta=1e-4)
            self.assertTrue(told[3].endswith(variants[place % len(variants)]), told)
        said = next(" ".join(p.text().split()) for p in PAGES["validate"].all("p") if p.attributes.get("class") == "conclusion")
        self.assertRegex(said, r"^\d+ of \d+ points of laws hold")

    def test_key_figures(self):
        told = {dt.text(): dd.text() for div in PAGES["incomplete"].all("div") if div.attributes == {}
                for dt, dd in zip(div.all("dt"), div.all("dd"))}
        self.assertEqual(told, {"points": "24", "of 120 trials": "86"})


class Pages(unittest.TestCase):
    def test_accessible(self):
        for name, page in PAGES.items():
            with self.subTest(name):
                self.assertEqual(next(page.all("html")).attributes["lang"], "en")
                self.assertTrue(next(page.all("title")).text())
                self.assertIn("width=device-width", [m.attributes.get("content", "").split(",")[0] for m in page.all("meta")])
                levels = [int(node.tag[1]) for node in page.all() if re.fullmatch("h[1-6]", node.tag)]
                self.assertEqual(levels.count(1), 1)
                self.assertTrue(levels[0] == 1 and all(b <= a + 1 for a, b in zip(levels, levels[1:])), levels)
                self.assertEqual([len(list(page.all(tag))) for tag in ("main", "header", "footer", "nav")], [1, 1, 1, 1])
                ids = [node.attributes["id"] for node in page.all() if "id" in node.attributes]
                self.assertEqual(len(set(ids)), len(ids))
                for image in page.all("img"):
                    self.assertGreater(len(image.attributes["alt"]), 40)
                for heading in page.all("th"):
                    self.assertIn(heading.attributes["scope"], ("col", "row"))
                for box in page.all():
                    if "aria-labelledby" in box.attributes:
                        self.assertIn(box.attributes["aria-labelledby"], ids)
                    if box.attributes.get("class") == "scroll":
                        self.assertEqual((box.attributes["tabindex"], box.attributes["role"]), ("0", "region"))

    def test_loads_nothing_and_runs_nothing(self):
        for name, page in PAGES.items():
            ids = {node.attributes.get("id") for node in page.all()}
            style = next(page.all("style")).raw()
            self.assertNotRegex(style, r"url\(|@import|https?:")
            for node in page.all():
                self.assertNotIn(node.tag, ("script", "iframe", "object", "embed", "base", "form", "audio", "video"), name)
                for key, value in node.attributes.items():
                    self.assertFalse(key.startswith("on"), (name, node.tag, key))
                    if key in ("href", "src", "srcset", "action", "poster", "data", "style") and value[:5] != "data:":
                        self.assertNotRegex(value, r"//|url\(", (name, node.tag))
                    if key == "href":
                        self.assertTrue(value == "data:," or value[0] == "#" and value[1:] in ids, value)
                    if key == "src":
                        kind, _, text = value.partition(";base64,")
                        self.assertIn(kind, ("data:image/svg+xml", "data:image/png"))
                        content = base64.b64decode(text, validate=True)
                        if kind.endswith("png"):
                            self.assertTrue(content.startswith(b"\x89PNG"))
                        else:
                            for part in ElementTree.fromstring(content).iter():
                                self.assertNotRegex(part.tag, "script|foreignObject|animate|set$")
                                for attribute, link in part.attrib.items():
                                    self.assertFalse(attribute.startswith("on"), attribute)
                                    if attribute.endswith("href"):
                                        self.assertTrue(link.startswith(("#", "data:image/png;base64,")), link[:60])
            policy = [m.attributes["content"] for m in page.all("meta") if m.attributes.get("http-equiv") == "Content-Security-Policy"]
            self.assertEqual(policy, ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"])

    def test_text_is_no_markup(self):
        page = PAGES["hostile"]
        for node in (next(page.all("title")), next(page.all("h1"))):
            self.assertEqual(node.raw(), HOSTILE)
        self.assertEqual([node.tag for node in page.all() if node.tag in ("script", "b", "i", "u", "s")], [])
        self.assertTrue(all(image.attributes["src"].startswith("data:") for image in page.all("img")))
        boxes = [box for box in page.all("section") if box.attributes.get("class") == "caution"]
        self.assertEqual([box.attributes["aria-label"] for box in boxes],
                         ["This run is not complete", "This is a part of a run", "Warnings of the run"])
        self.assertEqual([item.raw() for item in boxes[2].all("li")], [f"chip.x: {HOSTILE}", f"mesh.y: {LONG}"])
        with h5py.File(HERE / "hostile.h5") as file:
            self.assertIn(file.attrs["config_toml"], [code.raw() for code in page.all("code")])
            self.assertIn(file.attrs["command"].replace("; ", "\n"), [code.raw() for code in page.all("code")])

    def test_characters_that_html_does_not_know(self):
        path = HERE / "odd" / "odd.h5"
        path.parent.mkdir(exist_ok=True)
        with samples.result(path, title="a\x01b\x7f\u0085c\r\nd") as file:
            samples.Group(file, "network")
            file.attrs["warnings"] = b"x: \xff\xfe"  # no UTF-8
        self.assertEqual(report(path)[::2], (0, ""))
        title = next(html_page.read(path.with_suffix(".html")).all("h1")).raw()
        self.assertEqual(title, "a\ufffdb\ufffd\ufffdc\nd")

    def test_warnings_and_parts_are_said(self):
        page = PAGES["shard"]
        with h5py.File(HERE / "shard.h5") as file:
            stored = file.attrs["warnings"].splitlines()
        boxes = {box.attributes["aria-label"]: box for box in page.all("section") if box.attributes.get("class") == "caution"}
        self.assertEqual([item.text() for item in boxes["Warnings of the run"].all("li")], [" ".join(w.split()) for w in stored])
        self.assertIn("shard 1/2", boxes["This is a part of a run"].text())
        self.assertEqual([b for b in PAGES["one_sweep"].all("section") if b.attributes.get("class") == "caution"], [])

    def test_figures_are_those_the_study_names(self):
        wanted = {"two_sweeps": ["metric_vs_parameter", "heat_map", "pareto"], "costs": ["budget"], "bare": [],
                  "one_sweep": ["metric_vs_parameter", "error_histogram", "eye", "training", "gradient"],
                  "chip": ["metric_vs_parameter", "error_histogram", "eye", "training", "gradient"],
                  "interconnect": ["interconnect", "assumptions"], "designs": ["designs"], "laws": ["law_e0_uncorrected"]}
        for name, figures in wanted.items():
            found = list(PAGES[name].all("figure"))
            self.assertEqual([f.attributes["id"] for f in found], [f"figure-{figure}" for figure in figures], name)
            for figure in found:
                self.assertEqual((len(list(figure.all("img"))), len(list(figure.all("figcaption")))), (1, 1))
        alt = PAGES["one_sweep"].by_id("figure-metric_vs_parameter")
        alt = next(alt.all("img")).attributes["alt"]
        for part in ("share of words wrong against rms splitter angle error sigma_eta (mrad)", "uncorrected, corrected"):
            self.assertIn(part, alt)

    def test_a_figure_without_its_data_is_said_to_be_left_out(self):
        path = HERE / "odd" / "some.h5"
        path.parent.mkdir(exist_ok=True)
        with samples.result(path, 'figures = ["training", "eye"]') as file:
            samples.network_groups(file, epochs=3)
            del file["eye"]
        self.assertEqual(report(path)[0], 0)
        page = html_page.read(path.with_suffix(".html"))
        self.assertEqual([f.attributes["id"] for f in page.all("figure")], ["figure-training"])
        self.assertIn("eye is not drawn: some.h5 has no group 'eye'", page.by_id("figures").text() + page.text())

    def test_origin(self):
        with h5py.File(HERE / "chip.h5") as file:
            text = PAGES["chip"].text()
            for key in ("optinc_version", "git_revision", "build_target", "compiler", "run_id", "created_utc"):
                self.assertIn(str(file.attrs[key]), text, key)
        self.assertIn(subprocess.run(["sha256sum", HERE / "chip.h5"], capture_output=True, text=True).stdout.split()[0], text)
        self.assertNotIn(str(HERE), (HERE / "one_sweep.html").read_text(encoding="utf-8"))  # where it lay is nobody's business

    def test_the_lines_of_python_run(self):
        shown = [code.raw() for code in PAGES["one_sweep"].all("code") if code.raw().startswith("import h5py")]
        done = subprocess.run([sys.executable, "-c", shown[0]], cwd=HERE, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(ROOT / "python/src"), "PYTHONDONTWRITEBYTECODE": "1"})
        if "No module named" in done.stderr or "engine" in done.stderr:
            self.skipTest(done.stderr.splitlines()[-1])
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_in_a_browser(self):
        if html_page.browser() is None:
            self.skipTest("no Chromium (experiments/scripts/setup browser): widths are not measured")
        names = ["one_sweep", "joined", "hostile", "recorded_drift", "tolerant_keys", "designs", "validate", "interconnect", "replay"]
        told = html_page.measured([HERE / f"{name}.html" for name in names], (390, 1280))
        for (path, width), seen in told.items():
            with self.subTest(page=path.stem, width=width):
                self.assertEqual(seen["window"], width)
                self.assertLessEqual(seen["wide"], width)
                self.assertEqual(seen["shown"], seen["images"])
                self.assertEqual(seen["images"], len(list(PAGES[path.stem].all("img"))))


if __name__ == "__main__":
    unittest.main()
