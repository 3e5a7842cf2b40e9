"""Holds the figures of python to small files that follow FORMAT.md; warnings are errors.

Usage: drawing_test.py [unittest's arguments]. Exits 77 (skipped) when a module is missing.
"""

import io
import itertools
import unittest
import warnings
from pathlib import Path

from sample_files import FILES, FOLDER, make_files, samples  # first: it finds the package, or skips
import matplotlib
import numpy as np
from matplotlib.text import Text
import optinc.results as results
from optinc.results import figures, mesh_laws, style
from optinc.results.figures.paint import Axis, Panel, dots, paint

DRAWN = {  # what each sample has the data for
    "one_sweep": {"metric_vs_parameter", "error_histogram", "eye", "training", "gradient", "pareto"},
    "two_sweeps": {"metric_vs_parameter", "heat_map", "error_histogram", "pareto"},
    "paired_keys": {"metric_vs_parameter", "pareto"},
    "text_axis": {"metric_vs_parameter", "error_histogram", "pareto"},
    "with_ablation": {"metric_vs_parameter", "error_histogram", "ablation", "pareto"},
    "incomplete": {"metric_vs_parameter", "heat_map", "error_histogram", "pareto"},
    "words_in_time": {"metric_vs_parameter", "pareto", "waveform"},
    "over_time": {"metric_vs_parameter", "drift", "pareto"},
    "recorded_drift": {"drift"},
    "bare": set(),
    "laws": {"law"},
    "costs": {"budget"},
    "side_by_side": {"designs"},
    "fastest": {"operating_points"},
    "over_parts": {"part_draws"},
    "of_a_circuit": {"scattering"},
    "of_draws": {"scattering"},
    "of_receivers": {"scattering"},
    "joined": {"interconnect", "arrangements", "assumptions"},
    "of_a_cluster": {"testbed", "competition", "iteration", "failures"},
    "noisy_receivers": {"metric_vs_parameter", "heat_map", "pareto", "receiver_noise"},
    "crowded": {"metric_vs_parameter", "heat_map", "error_histogram", "pareto"},
    "sparse": {"metric_vs_parameter", "error_histogram", "eye", "training", "gradient", "pareto"},
    "meshes_of_kinds": {"metric_vs_parameter", "heat_map", "pareto", "mesh_comparison"},
    "dies_on_wafers": {"metric_vs_parameter", "heat_map", "pareto", "wafer_map"},
    "unknown_errors": {"metric_vs_parameter", "heat_map", "pareto", "mesh_balance"},
    "tolerant_shapes": {"metric_vs_parameter", "heat_map", "tolerance", "search"},
    "tolerant_keys": {"metric_vs_parameter", "pareto", "tolerance"},
    "noisy_networks": {"metric_vs_parameter", "heat_map", "pareto", "wrong_words", "cost_front", "gradient"},
    "detuned": {"metric_vs_parameter", "heat_map", "pareto", "spectrum"},
    "on_channels": {"comb", "metric_vs_parameter", "heat_map", "pareto"},
    "trainings": {"metric_vs_parameter", "pareto", "learning", "gradient_errors"},
    "trained_at_energies": {"metric_vs_parameter", "pareto", "learning", "learning_energy"},
    "trained_through_chips": {"metric_vs_parameter", "heat_map", "pareto", "learning", "chip_to_accuracy"},
}


def setUpModule():
    make_files()


def tearDownModule():
    FOLDER.cleanup()


class Drawing(unittest.TestCase):
    def png(self, figure):
        """The figure's file."""
        png = io.BytesIO()
        figure.savefig(png, format="png", dpi=50)
        return png.getvalue()

    def test_every_figure_of_every_sample_draws(self):
        repeated = set()
        before = dict(matplotlib.rcParams)
        for name, path in FILES.items():
            with results.open_run(path) as run:
                for figure, draw in figures.FIGURES.items():
                    with self.subTest(sample=name, figure=figure):
                        if figure not in DRAWN[name]:
                            with self.assertRaises(results.NotInResult):
                                draw(run)
                            continue
                        drawn = draw(run)  # report_test.py renders all of them, in pages
                        if figure not in repeated:
                            self.assertEqual(self.png(drawn), self.png(draw(run)), "not the same twice")
                            repeated.add(figure)
        self.assertEqual(repeated, set(figures.FIGURES))
        self.assertEqual(before, dict(matplotlib.rcParams))

    def test_titles_say_what_was_chosen(self):
        def title(name, figure, **options):
            with results.open_run(FILES[name]) as run:
                return " ".join(figures.FIGURES[figure](run, **options)._suptitle.get_text().split())
        self.assertIn("30 chips per point", title("one_sweep", "metric_vs_parameter"))
        self.assertIn("at resolution of the phase DAC over 2 pi = 6 bit", title("crowded", "metric_vs_parameter"))
        self.assertIn("3 of 20 values of mean insertion loss of one MZI", title("crowded", "metric_vs_parameter"))
        self.assertIn("at dac_bits = 8 bit", title("crowded", "heat_map", at={"dac_bits": 8}))
        self.assertIn("at sources of error switched on = all", title("with_ablation", "metric_vs_parameter"))
        self.assertIn("at sigma_eta_rad = 0.015 rad", title("with_ablation", "ablation", at={"sigma_eta_rad": 0.015}))
        self.assertIn("worst layer, 2", title("one_sweep", "metric_vs_parameter", metric="matrix_error"))
        self.assertIn("incomplete run: 86 of 120 trials", title("incomplete", "heat_map"))
        self.assertIn("sigma_eta_rad = 0.03 rad", title("one_sweep", "error_histogram"))
        self.assertIn("against rms splitter angle error sigma_eta (with it ports of the mesh): mean and 95 % interval, 12 meshes per point",
                      title("paired_keys", "metric_vs_parameter", parameter="sigma_eta_rad"))
        self.assertIn("against rms splitter angle error sigma_eta, corrected, with noise: mean and 95 % interval, 8 chips per point",
                      title("noisy_networks", "wrong_words"))
        self.assertIn("splitter error 0.005 rad, chips with all noise", title("noisy_networks", "gradient"))
        self.assertIn("against what a network costs, corrected, with noise: 8 chips per point; at sigma_eta_rad = 0.0025 rad",
                      title("noisy_networks", "cost_front"))
        self.assertIn("Better: insertion loss low and mesh error low", title("paired_keys", "pareto", x="insertion_loss", y="mesh_error"))

    def test_wafer_map_puts_each_die_at_its_place(self):
        with results.open_run(FILES["dies_on_wafers"]) as run:
            figure = figures.FIGURES["wafer_map"](run)
            maps = [axes for axes in figure.axes if any(c.get_array() is not None for c in axes.collections)][:3]
            titles = [axes.get_title(loc="left") for axes in figure.axes]
            self.assertEqual(titles[:3], ["(a) uncorrected\n50 % pass", "(b) corrected, quadrature,\ndie mean known\n0 % pass",
                                          "(c) corrected, quadrature,\neach splitter known\n0 % pass"])
            dies, = [c for c in maps[1].collections if c.get_array() is not None]
            corners = {tuple(np.round(path.vertices[0], 6)): value for path, value in zip(dies.get_paths(), dies.get_array())}
            self.assertEqual(len(corners), 12)
            # the middle length, the second variant: 0.3 x 1.2 x 0.5 (1 + 50 r), of a die whose centre is at (30, 45) mm
            self.assertAlmostEqual(corners[15.0, 30.0], 0.18 * (1 + 50 * np.hypot(0.03, 0.045)), 12)
            self.assertAlmostEqual(corners[-15.0, -30.0], 0.18 * (1 + 50 * 0.015), 12)
            shares, = [axes for axes in figure.axes if axes.get_ylabel() == "share of dies that pass (%)"]
            line = next(line for line in shares.lines if line.get_label() == "uncorrected")
            np.testing.assert_allclose(line.get_ydata(), 100 * run.summary["yield"].isel(splitters=0, variant=0).values)

    def test_a_comb_has_a_line_for_every_network_and_variant(self):
        with results.open_run(FILES["on_channels"]) as run:
            figure = figures.FIGURES["comb"](run)
            panels = [axes for axes in figure.axes if axes.get_visible()]
            wrong = 1 - run.summary["channel_accuracy_mean"].values  # (network, slope, variant, channel)
            self.assertEqual([axes.get_title(loc="left") for axes in panels],
                             ["(a) splitter\xa04\xa0mrad/nm", "(b) splitter\xa00.5\xa0mrad/nm"])
            for slope, axes in enumerate(panels):
                self.assertEqual([line.get_label() for line in axes.lines],
                                 ["some net, corrected, quadrature", "some net, corrected, with noise",
                                  "other net, corrected, quadrature", "other net, corrected, with noise"])
                for line, expected in zip(axes.lines, wrong[:, slope].reshape(4, 9)):
                    np.testing.assert_allclose(line.get_xdata(), np.arange(-400, 401, 100))
                    some = expected > 0
                    np.testing.assert_allclose(line.get_ydata()[some], expected[some])
                    self.assertTrue((line.get_ydata()[~some] < 1 / 2500).all())  # at the 0 below one word of all
            # 1 - 0.025^(1/2500), what 500 words of 5 chips exclude that are all right
            self.assertIn("at 0, none of 2,500 words is wrong: fewer than 1.5e-03 with 95 % confidence",
                          " ".join(figure._suptitle.get_text().split()))
            self.assertIn("GHz", panels[0].get_xlabel())
            self.assertIn("at splitter 0.5 mrad/nm", " ".join(figures.FIGURES["comb"](
                run, at={"splitter_rad_per_m": 5e5})._suptitle.get_text().split()))

    def test_a_spectrum_has_a_line_for_every_size_in_nanometres(self):
        with results.open_run(FILES["detuned"]) as run:
            figure = figures.FIGURES["spectrum"](run)
            fidelity = run.summary["fidelity_mean"].values[..., 1]  # (ports, slope, wavelength), corrected
            self.assertEqual(len(figure.axes), 4)
            for slope, axes in enumerate(figure.axes[:2]):
                self.assertEqual([line.get_label() for line in axes.lines], ["ports 8", "ports 16", "ports 32"])
                for size, line in enumerate(axes.lines):
                    np.testing.assert_allclose(line.get_xdata(), [-2, -1, 0, 1, 2])
                    np.testing.assert_allclose(line.get_ydata(), fidelity[size, slope])
            self.assertEqual(figure.axes[2].get_ylabel(), "spread of group delay (fs)")
            other, = figures.FIGURES["spectrum"](run, metric="fidelity", variant="uncorrected", at={"splitter_rad_per_m": 5e5}).axes
            np.testing.assert_allclose(other.lines[0].get_ydata(), run.summary["fidelity_mean"].values[0, 1, :, 0])
            with self.assertRaisesRegex(results.NotInResult, "has no variant 'best'"):
                figures.FIGURES["spectrum"](run, variant="best")

    def test_points_without_an_interval_are_drawn_without_a_warning(self):
        """As of a run that was interrupted: no trial of a network, one of another."""
        with results.open_run(FILES["noisy_networks"]) as run:
            summary = run.group("summary").load()
            for end in ("_mean", "_mean_low", "_mean_high"):
                summary["word_accuracy" + end][0] = np.nan
                if end != "_mean":
                    summary["word_accuracy" + end][1, :2] = np.nan
            for name in ("wrong_words", "cost_front", "metric_vs_parameter"):
                with self.subTest(name), warnings.catch_warnings():
                    warnings.simplefilter("error")
                    figures.FIGURES[name](run).savefig(io.BytesIO(), format="png")

    def test_draws_are_a_median_and_a_band(self):
        with results.open_run(FILES["of_draws"]) as run:
            self.assertEqual(run.scattering.dims, ("draw", "wavelength", "port_out", "port_in"))
            axes, = figures.FIGURES["scattering"](run).axes
            np.testing.assert_allclose(axes.lines[0].get_ydata(), 10 * np.log10(0.5))
            low, high = (bound(axes.collections[0].get_paths()[0].vertices[:, 1]) for bound in (min, max))
            np.testing.assert_allclose([low, high], 10 * np.log10([0.23, 0.77]))  # 5 and 95 % between 0.2, 0.5 and 0.8

    def test_spectra_in_decibels(self):
        with results.open_run(FILES["of_a_circuit"]) as run:
            s = run.scattering
            self.assertEqual((s.dims, s.dtype), (("wavelength", "port_out", "port_in"), complex))
            self.assertAlmostEqual(complex(s.sel(port_out="drop", port_in="in")[100]), 1j * 0.9 ** 0.5)
            draw = figures.FIGURES["scattering"]
            axes, = draw(run).axes
            through, drop = (line.get_ydata() for line in axes.lines)  # nothing comes back
            self.assertAlmostEqual(through[100], -10, 9)
            self.assertAlmostEqual(drop.max(), 10 * np.log10(0.9), 9)
            axes, = draw(run, paths=[("drop", "in")]).axes
            np.testing.assert_allclose(axes.lines[0].get_ydata(), drop)
            with self.assertRaisesRegex(results.NotInResult, "has no port 'up'"):
                draw(run, paths=[("in", "up")])

    def test_emission_and_receivers_below_their_spectrum(self):
        with results.open_run(FILES["of_receivers"]) as run:
            _, emission, snr = figures.FIGURES["scattering"](run).axes
        np.testing.assert_allclose([line.get_ydata()[0] for line in emission.lines], [0, 20])  # 2e-17 W/Hz, in nW/GHz
        np.testing.assert_allclose([line.get_ydata()[0] for line in snr.lines], [10, 30])

    def test_legends_fit(self):
        # fails where two long labels stand beside each other and one leaves the figure
        for labels, columns in ((["a", "b", "c"], 3), (["imbalance 3 um", "imbalance 10 um", "imbalance 30 um"], 2), (["oscillator loop 0 Hz, in-phase"] * 3, 1)):
            self.assertEqual(style.legend_columns(labels, style.COLUMN_IN), columns)

    def test_options(self):
        with results.open_run(FILES["two_sweeps"]) as run:
            draw = figures.FIGURES
            self.assertEqual(len(draw["metric_vs_parameter"](run, metric="margin").axes), 4)
            self.assertEqual(len(draw["metric_vs_parameter"](run, metric="margin", at={"dac_bits": 8}).axes), 1)
            self.assertEqual(draw["heat_map"](run, x="dac_bits").axes[0].get_xlabel(),
                             "resolution of the phase DAC\nover 2 pi (bit)")
            draw["pareto"](run, x="dac_bits", y="margin", y_better="low")
            for figure, options in (("metric_vs_parameter", {"metric": "speed"}), ("heat_map", {"x": "speed"}),
                                    ("metric_vs_parameter", {"parameter": "speed"}), ("pareto", {"y": "speed"}),
                                    ("error_histogram", {"at": {"speed": 1}}),
                                    ("heat_map", {"x": "dac_bits", "y": "dac_bits"})):
                with self.assertRaisesRegex(results.NotInResult, r"\(.+\)\. "):
                    draw[figure](run, **options)
            with self.assertRaises(ValueError):
                draw["pareto"](run, y_better="up")

    def test_defaults(self):
        path = Path(FOLDER.name) / "asked.h5"
        values = np.linspace(0.5, 1, 24).reshape(3, 2, 4, 1)
        sweeps = [("bandwidth_hz", np.array([1e9, 8e9, 3.2e10]), "Hz", "receiver bandwidth", "receiver.bandwidth_hz"),
                  ("lo_power_w", np.array([1e-4, 1e-3]), "W", "local oscillator", "receiver.lo_power_w")]
        with samples.result(path, '[measure]\nmetrics = ["word_accuracy"]') as file:
            samples.study(file, sweeps, 4, ["noisy"], {
                "word_accuracy": (values, {}, "1", "share of the drawn words decoded exactly"),
                "mesh_error": (1 - values, {}, "1", "the same of its real part")}, yields="word_accuracy")
        with results.open_run(path) as run:
            draw = figures.FIGURES
            figure = draw["pareto"](run)  # the only metric asked for, against the first key, of which more is better
            self.assertEqual([figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()],
                             ["receiver bandwidth (GHz)", "share of words right"])
            self.assertIn("bandwidth_hz high", " ".join(figure._suptitle.get_text().split()))
            self.assertIn("corrected, with noise", " ".join(figure._suptitle.get_text().split()))
            figure = draw["heat_map"](run)  # the yield below the metric, each with its bar
            self.assertEqual(len(figure.axes), 4)
            self.assertIn("and yield", figure._suptitle.get_text())
            figure = draw["metric_vs_parameter"](run, metric="mesh_error", parameter="bandwidth_hz")
            self.assertEqual(" ".join(figure.axes[0].get_title(loc="left").split()), "(a) local oscillator = 100 µW")

    def test_points_of_many_keys_are_told_apart_by_few(self):
        from optinc.results.figures.words import telling  # noqa: PLC0415
        from optinc.results.study import Parameter  # noqa: PLC0415
        keys = {"light": [1.0, 4.0, 4.0], "bandwidth": [20.0, 32.0, 32.0], "network": ["a", "b", "b"], "rate": [38.0, 40.0, 65.0]}
        together = [Parameter(name, "design", np.array(values), "1", name) for name, values in keys.items()]
        self.assertEqual(["network", "rate"], [p.name for p in telling(together)])
        self.assertEqual(together[:3], telling(together[:3]))

    def test_names_of_points_lie_over_no_other(self):
        # fails where a name takes the first place whether it is free or not, or where only points with names count
        places = [(x, y) for x in (1.0, 1.04, 1.08, 2.0) for y in (1.0, 1.04, 2.0)]
        named = [(x, y, "a network") for x, y in places]
        with results.open_run(FILES["bare"]) as run:
            def drawn(more):
                figure = paint(run, "names", [Panel([dots(*zip(*places, *more), marker="o")], named=named)], (7, 4))
                figure.draw_without_rendering()
                return figure.axes[0], [Text.get_window_extent(text) for text in figure.axes[0].texts]  # without the arrow
            axes, boxes = drawn([])
            nameless = axes.transData.inverted().transform([((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2) for box in boxes[:2]])
            axes, beside = drawn(nameless)
        for there in (boxes, beside):
            self.assertEqual(len(there), len(places))
            self.assertFalse(any(a.overlaps(b) for a, b in itertools.combinations(there, 2)))
        self.assertFalse([mark for mark in axes.transData.transform([*places, *nameless]) for box in beside if box.contains(*mark)])

    def test_panels_are_lettered_and_labelled_at_the_edge_alone(self):
        across, up = Axis("x"), Axis("y", scale="rows", names=["first", "second"])
        panels = [Panel([], across, up, title) for title in ("one", None, "two")]
        with results.open_run(FILES["bare"]) as run:
            axes = paint(run, "edges", [*panels, None], (7, 4), 2, outer="xy").axes
        self.assertEqual([each.get_title(loc="left") for each in axes], ["(a) one", "", "(b) two", ""])
        self.assertEqual([each.get_xlabel() for each in axes], ["", "x", "x", ""])  # nothing stands below the second
        self.assertEqual([each.get_ylabel() for each in axes[:3]], ["y", "", "y"])
        self.assertEqual(axes[0].get_ylim(), (1.5, -0.5))  # the first row on top
        self.assertFalse(axes[3].get_visible())

    def test_rounding_of_nothing_is_off_the_axis(self):
        path = Path(FOLDER.name) / "tiny.h5"
        means = np.array([1e-16, 1e-3, 1e-2])
        with samples.result(path) as file:
            samples.study(file, [("ports", np.array([4, 8, 16]), "1", "ports", "mesh.ports")], 2, ["corrected_quadrature"], {
                "mesh_error": (means[:, None, None] * np.ones((3, 2, 1)), {}, "1", "relative error")})
        with results.open_run(path) as run:
            axes = figures.FIGURES["metric_vs_parameter"](run).axes[0]
            self.assertEqual(axes.get_yscale(), "log")
            self.assertGreater(axes.get_ylim()[0], 1e-9)

    def test_labels_have_one_pair_of_brackets(self):
        self.assertEqual(style.label("angle (ideal: pi/4)", "mrad"), "angle (mrad)")
        self.assertEqual(style.label("angle (ideal: pi/4)", "1"), "angle (ideal: pi/4)")

    def test_lines_are_the_means(self):
        with results.open_run(FILES["one_sweep"]) as run:
            axes = figures.FIGURES["metric_vs_parameter"](run, metric="word_accuracy").axes[0]
            self.assertEqual(axes.get_xscale(), "log")
            line = next(line for line in axes.lines if line.get_label() == "corrected, quadrature")
            np.testing.assert_allclose(line.get_xdata(), samples.ETA[1] * 1e3)
            corrected = run.trials["word_accuracy"].sel(variant="corrected_quadrature")
            np.testing.assert_allclose(line.get_ydata(), 1 - corrected.mean("trial"), rtol=1e-6)

    def quick(self, wrong_words):
        """A study of two splitter errors with so many wrong words of 100 in each of three chips."""
        path = Path(FOLDER.name) / "wrong.h5"
        right = 1 - np.asarray(wrong_words)[:, None, :] / 100 * np.ones((1, 3, 1))
        eta = (samples.ETA[0], samples.ETA[1][:len(right)], *samples.ETA[2:])
        with samples.result(path, "[measure]\nwords = 100", model="chip", complete=np.int64(1)) as file:
            samples.study(file, [eta], 3, ["uncorrected", "corrected_quadrature"],
                          {"word_accuracy": (right, {}, "1", "share of the drawn words decoded exactly")})
        return results.open_run(path)

    def test_lines_of_one_network_say_what_differs_between_them(self):
        # fails where the legend has a network once for several lines, or what never changes is told
        path = Path(FOLDER.name) / "one_network.h5"
        network = ("network", {"network.source": (["digit-sums"] * 2, "1", "network"),
                               "link.drive_depth": (np.array([0.6, 0.6]), "1", "depth of drive"),
                               "calibration.policy": (["noisy", "twin"], "1", "policy")})
        right = 1 - np.full((2, len(samples.ETA[1]), 3, 1), 0.1)
        with samples.result(path, "[measure]\nwords = 100", model="chip", complete=np.int64(1)) as file:
            samples.study(file, [network, samples.ETA], 3, ["noisy"], {"word_accuracy": (right, {}, "1", "share of words right")})
            file.create_group("onn").attrs["mzi_count"] = np.int64(0)
        with results.open_run(path) as run:
            drawn = figures.FIGURES["wrong_words"](run)
        said = {text.get_text() for legend in drawn.legends for text in legend.get_texts()}
        self.assertEqual(said, {"digit sums, policy = noisy", "digit sums, policy = twin"})

    def test_words_wrong_on_a_logarithm_and_none_at_a_zero_that_says_so(self):
        # fails where right words are drawn, a point without wrong ones is left out, or it stands where one wrong word would
        with self.quick([[1, 0], [10, 0], [50, 1]]) as run:
            figure = figures.FIGURES["metric_vs_parameter"](run)
        axes = figure.axes[0]
        self.assertEqual((axes.get_yscale(), axes.get_ylabel()), ("log", "share of words wrong"))
        drawn = {line.get_label(): line.get_ydata() for line in axes.lines if not line.get_label().startswith("_")}
        np.testing.assert_allclose(drawn["uncorrected"], [0.01, 0.1, 0.5], rtol=1e-9)
        self.assertAlmostEqual(drawn["corrected, quadrature"][2], 0.01)
        zero = drawn["corrected, quadrature"][0]
        self.assertEqual(zero, drawn["corrected, quadrature"][1])
        self.assertLess(zero, 1 / 300 / 2)
        self.assertGreater(zero, axes.get_ylim()[0])
        self.assertIn("none of 300 words", [text.get_text() for text in axes.texts])
        figure.draw_without_rendering()
        labels = {tick.get_loc(): tick.label1.get_text() for tick in axes.yaxis.get_major_ticks()}
        self.assertEqual((labels[zero], labels[1.0]), ("0", "1"))
        with self.quick([[1, 2], [10, 20]]) as run:
            axes = figures.FIGURES["metric_vs_parameter"](run).axes[0]
        self.assertEqual(([text.get_text() for text in axes.texts], axes.get_yscale()), ([], "log"))

    def test_no_key_stands_where_words_should(self):
        for name in ("one_sweep", "two_sweeps", "crowded", "paired_keys", "with_ablation"):
            with results.open_run(FILES[name]) as run:
                figure = figures.FIGURES["metric_vs_parameter"](run)
                keys = [p.name for p in results.parameters(run).values() if "_" in p.name]
            said = [figure._suptitle.get_text()]
            said += [text for axes in figure.axes for text in (axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel())]
            for text in said:
                self.assertFalse([key for key in keys if key in text], text)

    def test_trainings_beyond_the_panel_are_said_to_be(self):
        path = Path(FOLDER.name) / "lost.h5"
        ways = {"learner.aggregator": (["exact", "quantised", "chip"], "1", "how gradients are averaged")}
        with samples.result(path, samples.LEARNER + '\n[network]\nsource = "carry-chain"', model="learning", complete=np.int64(1)) as file:
            samples.study(file, [("path", ways)], 3, ["noisy"], samples.trained(np.array([0, 0.1, 80.0]), 3))
        with results.open_run(path) as run:
            axes = figures.FIGURES["learning"](run).axes[0]
        labels = [line.get_label() for line in axes.lines]
        self.assertEqual([label.endswith(" (below the panel)") for label in labels], [False, False, True], labels)
        self.assertLess(max(axes.lines[2].get_ydata()), axes.get_ylim()[0])

    def test_meshes_are_drawn_by_their_rms_at_the_point_asked_for(self):
        # fails where the mean is drawn for the rms, a kind has another's variant, or a panel stands at another point
        with results.open_run(FILES["meshes_of_kinds"]) as run:
            figure = figures.FIGURES["mesh_comparison"](run, at={"sigma_eta_rad": 0.01, "ports": 32})
            self.assertEqual(len(figure.axes), 4)
            against_eta, against_ports = figure.axes[:2]
            lines = {line.get_label(): line for line in against_eta.lines if not line.get_label().startswith("_")}
            drawn = lines["plain MZIs, corrected"]
            np.testing.assert_allclose(drawn.get_xdata(), [5, 10, 20, 50])
            raw = run.trials["mesh_error"].sel(kind="standard", ports=32, variant="corrected")
            np.testing.assert_allclose(drawn.get_ydata(), np.sqrt((raw ** 2).mean("trial")))
            self.assertEqual(len(lines["three splitters, balanced, corrected"].get_xdata()), 0)  # rounding: at the edge
            edge = next(line for line in against_eta.lines if line.get_transform() == against_eta.get_xaxis_transform()
                        and line.get_marker() == "v")
            np.testing.assert_allclose(edge.get_xdata(), [5, 10, 20, 50])
            self.assertGreater(against_eta.get_ylim()[0], 1e-9)
            drawn = next(line for line in against_ports.lines if line.get_label() == "three splitters, corrected")
            raw = run.trials["mesh_error"].sel(kind="three-splitter", sigma_eta_rad=0.01, variant="corrected_quadrature")
            np.testing.assert_allclose(drawn.get_ydata(), np.sqrt((raw ** 2).mean("trial")))
            self.assertTrue(against_ports.get_title(loc="left").endswith("splitter angle error sigma_eta\xa0=\xa00.01\xa0rad"))
            only = figures.FIGURES["mesh_comparison"](run, metric="mesh_error")
            self.assertEqual([axes.get_title(loc="left") for axes in only.axes],
                             ["(a) ports of the mesh\xa0=\xa064", "(b) rms splitter angle error sigma_eta\xa0=\xa00.02\xa0rad"])
            with self.assertRaisesRegex(results.NotInResult, "no metric 'speed'"):
                figures.FIGURES["mesh_comparison"](run, metric="speed")

    def test_unknown_errors_stand_alone_in_their_panels(self):
        # fails where a panel shows points at which another of the three acts
        with results.open_run(FILES["unknown_errors"]) as run:
            figure = figures.FIGURES["mesh_balance"](run)
            self.assertEqual([axes.get_title(loc="left") for axes in figure.axes[:3]],
                             ["(a) common phases", "(b) estimates of splitters", "(c) calibration of phases"])
            places = {0: [0, 1, 2, 3], 1: [0, 4, 5, 6], 2: [0, 7, 8, 9]}
            for row, (name, variant) in enumerate((("mesh_error", "corrected"),
                                                   ("mesh_error_in_phase", "corrected_quadrature"))):
                raw = run.trials[name].sel(kind="standard", variant=variant)
                rms = np.sqrt((raw ** 2).mean("trial")).values
                for column, indices in places.items():
                    line = next(line for line in figure.axes[3 * row + column].lines if line.get_label() == "plain MZIs")
                    np.testing.assert_allclose(line.get_xdata(), [0, 1, 10, 100])
                    np.testing.assert_allclose(line.get_ydata(), rms[indices])

    def test_laws_of_meshes(self):
        # closed forms against numbers of an independent model and by hand; fails where a power or a constant is another
        close = lambda value, wanted, digits=3: self.assertAlmostEqual(value / wanted, 1, digits)  # noqa: E731
        close(mesh_laws.splitters("standard", 16, 0.02), 0.10954)
        close(mesh_laws.splitters("balanced", 17, 0.01), 0.01 * 48 ** 0.5)
        close(mesh_laws.splitters_in_phase("standard", 64, 0.01), 1.7320508e-4 * 63)
        close(mesh_laws.splitters_in_phase("balanced", 17, 0.01), 0.04)
        for ports, sigma, wanted in ((16, 0.01, 0.00633), (16, 0.02, 0.01791), (32, 0.02, 0.0302), (64, 0.01, 0.01800)):
            close(mesh_laws.corrected("standard", ports, sigma), wanted, 2)
            self.assertEqual(mesh_laws.corrected("balanced", ports, sigma), 0)
        close(mesh_laws.corrected("standard", 1024, 0.01), 0.800 * 1024 ** 0.75 * 1e-3, 1)
        for ports, wanted in ((16, 0.01275), (32, 0.01346), (64, 0.0138)):
            close(mesh_laws.corrected("three-splitter", ports, 0.05), wanted, 2)
        close(mesh_laws.common_phase("real", 17, 0.01), 0.04)
        close(mesh_laws.common_phase_in_phase("balanced", 5, 0.1), 0.034641)
        for kind, wanted in (("standard", 4.0), ("three-splitter", 4.0), ("balanced", 8.5 ** 0.5), ("real", 12.25 ** 0.5)):
            close(mesh_laws.calibration(kind, 16, 1.0), wanted)
        close(mesh_laws.calibration_in_phase("real", 17, 1.0), 2)

    def test_log_spacing(self):
        self.assertTrue(style.log_spaced([0.0025, 0.005, 0.01, 0.015, 0.02, 0.03]))
        self.assertTrue(style.log_spaced([1, 10, 100]))
        for linear in ([1, 2, 3], [0, 1, 10], [1, 2], [5]):
            self.assertFalse(style.log_spaced(linear), linear)


if __name__ == "__main__":
    unittest.main()
