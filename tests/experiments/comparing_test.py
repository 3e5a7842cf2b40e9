"""Holds what the Python package compares, files, networks and trainings, to small files that follow FORMAT.md; warnings are errors.

Usage: comparing_test.py [unittest's arguments]. Exits 77 (skipped) when a module is missing.
"""

import types
import unittest
import unittest.mock
from pathlib import Path

from sample_files import FILES, FOLDER, command, make_files, samples  # first: it finds the package, or skips
import numpy as np
import optinc.results as results
from optinc.results import figures
from optinc.results.figures.trainings import drawn_paths
from optinc.results.compare import interval_of_difference
from optinc.results.learning import differences, exact_place, final, mean_interval, paths
from optinc.results.networks import LABELS, label_of
from optinc.results.order_statistics import clopper_pearson, level_held


def setUpModule():
    make_files()


def tearDownModule():
    FOLDER.cleanup()


class Differences(unittest.TestCase):
    # Newcombe's example (Stat. Med. 17, 873 (1998), from memory): 56 of 70 less 48 of 80 is 0.2, between 0.0524 and 0.3339.
    # Fails where an end takes the limits of the other.
    def test_interval(self):
        def wilson(k, n, z=1.959964):
            middle, half = (k + z * z / 2) / (n + z * z), z / (n + z * z) * (k * (n - k) / n + z * z / 4) ** 0.5
            return k / n, middle - half, middle + half

        np.testing.assert_allclose(interval_of_difference(*wilson(56, 70), *wilson(48, 80)), (0.0524, 0.3339), atol=5e-5)

    def test_two_files(self):
        with results.open_run(FILES["one_sweep"]) as run:
            same = results.differences(run, run, "word_accuracy")
            mean = run.summary["word_accuracy_mean"].values
            self.assertEqual(list(same), ["sigma_eta_rad", "variant", "one", "other", "difference", "low", "high"])
            np.testing.assert_array_equal(same["one"], mean.reshape(-1))
            self.assertTrue((same["difference"] == 0).all() and (same["low"] <= 0).all() and (same["high"] >= 0).all())
            cut = run.summary.isel({run.sweeps[0]: [3, 1]})
            fewer = types.SimpleNamespace(path="fewer", trials=None, summary=cut, require=lambda _: cut)
            found = results.differences(fewer, run, "word_accuracy")
            np.testing.assert_array_equal(found["sigma_eta_rad"][::mean.shape[1]], run.summary["sigma_eta_rad"].values[[3, 1]])
            np.testing.assert_array_equal(found["one"], found["other"])  # of the same points
            with results.open_run(FILES["tolerant_keys"]) as other, self.assertRaises(results.NotInResult):
                results.differences(run, other)
        status, told, _ = command("compare", FILES["one_sweep"], FILES["one_sweep"])
        self.assertEqual((status, told.splitlines()[-1]), (0, f"0 of {mean.size} differ by more than their 95 % intervals."))


class Tolerances(unittest.TestCase):
    def test_binomial_intervals(self):
        # limits of 5 and 0 of 10 as tabled, of n of n in closed form; fails where a tail is another or the two limits
        # change places
        low, high = clopper_pearson(10)
        np.testing.assert_allclose([low[5], high[5], low[0], high[0]], [0.1871, 0.8129, 0, 0.3085], atol=5e-5)
        low, high = clopper_pearson(300)
        np.testing.assert_allclose([low[300], high[300], high[0]], [0.025 ** (1 / 300), 1, 1 - 0.025 ** (1 / 300)])
        self.assertTrue((np.diff(low) > 0).all() and (np.diff(high[:-1]) > 0).all())

    def test_level_held(self):
        # by hand. Of 5 chips 80 % are 4: the second least; B(5, 1/5) leaves 0.7 % above rank 4 and 5.8 % above rank 3,
        # and 33 % below rank 1. Fails where the rank is off by one or a tail is not 2.5 %
        held = level_held([3, 1, 2, np.nan, 5, 4], 0.8)
        self.assertEqual((held.value, held.high, np.isnan(held.low)), (2, 4, True))
        held = level_held([6, 2, 4, 3, 1, 5], 0.5)  # the sign test's: 3.1 % outside the least and the greatest of 6
        self.assertEqual((held.value, held.low, held.high), (4, 1, 6))
        held = level_held([6, 2, 4, 3, np.inf, 5], 0.5, falling=True)
        self.assertEqual((held.value, held.low, held.high), (4, 2, np.inf))
        held = level_held([6, 2, 4, 3, np.inf, 5], 0.9, falling=True)
        self.assertEqual((held.value, held.low, np.isnan(held.high)), (np.inf, 5, True))
        self.assertTrue(np.isnan(level_held([np.nan], 0.9).value))
        chips = np.arange(368.0)  # 0.99^368 < 2.5 % < 0.99^367
        self.assertEqual((level_held(chips, 0.99).low, level_held(chips, 0.99).value), (0, 3))
        self.assertTrue(np.isnan(level_held(chips[1:], 0.99).low))

    def test_table(self):
        with results.open_run(FILES["tolerant_shapes"]) as run:
            table = results.tolerance(run, share=0.5)
            self.assertEqual(list(table), ["point", "network.hidden", "chip.preset", "variant", "network", "mzis",
                                           "word_accuracy", "tolerance.key", "tolerance.gentle", "tolerance.harsh",
                                           "chips", "tolerance", "low", "high"])
            self.assertEqual(list(table["network"][::2]), ["32x5, matrix_noise 0", "16-32-16", "32x5, matrix_noise 0.03",
                                                           "carry chain", "8x2", "96-32 x5"])
            self.assertEqual([table[name][3] for name in ("point", "chip.preset", "mzis", "chips", "tolerance.harsh")],
                             [3, "doped-heaters", 900, 400, 30])
            raw = np.sort(run.trials["tolerance"].values[1, 1, :, 0])
            self.assertEqual(table["tolerance"][3], raw[200])
            self.assertEqual((table["low"][3], table["high"][3]), (raw[179], raw[220]))  # as summary has the median's
            self.assertEqual(results.networks(run)[4].word_accuracy, 0.75)
        with results.open_run(FILES["tolerant_keys"]) as run:
            table = results.tolerance(run)
            self.assertEqual(list(table)[:5], ["point", "tolerance.key", "tolerance.gentle", "tolerance.harsh", "variant"])
            self.assertEqual(list(table["network"]), ["good"] * 6)
            self.assertEqual(list(table["tolerance"][:4]), [0, 0, np.inf, np.inf])
            with self.assertRaisesRegex(ValueError, "a share of 1"):
                results.tolerance(run, 1)
        with results.open_run(FILES["one_sweep"]) as run, self.assertRaisesRegex(results.NotInResult, "no tolerances"):
            results.tolerance(run)

    def test_curves_are_shares_of_chips(self):
        # fails where a curve counts chips beyond a level wrongly, forgets those that fail at gentle, or falls at harsh
        with results.open_run(FILES["tolerant_keys"]) as run:
            figure = figures.FIGURES["tolerance"](run)
            self.assertEqual([axes.get_title(loc="left") for axes in figure.axes],
                             ["(a) sigma_eta_rad", "(b) dac_bits", "(c) odd_thing_w"])
            self.assertEqual([" ".join(axes.get_xlabel().split()) for axes in figure.axes],
                             ["rms error of the splitter angles (mrad)", "resolution of the phase DAC (bit)",
                              "link.odd_thing_w (W)"])
            raw = run.trials["tolerance"].values[..., 0]
            for axes, values, factor, sign in zip(figure.axes, raw, (1e3, 1, 1), (1, -1, 1)):
                curve = next(line for line in axes.lines if line.get_drawstyle() == "steps-post")
                for x, y in list(zip(curve.get_xdata(), curve.get_ydata()))[:-1]:
                    beyond = (sign * values > sign * x / factor * (1 + 1e-9 * sign)).mean()  # just harsher than x
                    self.assertAlmostEqual(y, beyond if x != axes.get_xlim()[0] else np.isfinite(values)[values != 0].sum() / 20)
            self.assertGreater(figure.axes[1].get_xlim()[0], figure.axes[1].get_xlim()[1])  # fewer bits are harsher
            ends = [next(l for l in axes.lines if l.get_drawstyle() == "steps-post").get_ydata()[-1] for axes in figure.axes]
            self.assertEqual(ends, [0, 0.05, np.mean(raw[2] == 5)])

    def test_labels_are_of_shipped_networks(self):
        for name in LABELS:
            self.assertTrue((Path(__file__).parents[2] / f"experiments/data/networks/{name}.h5").exists(), name)
        self.assertEqual([label_of(name) for name in ("shipped/64x5_standin", "32x5, start shipped/published", "carry-chain", "a/my_net.h5")],
                         ["64x5, weight noise", "32x5, start shipped/published", "carry chain", "my net"])

    def test_networks_are_compared(self):
        # fails where a network that is beaten joins the front, or one that is wrong, or fails at gentle, has a level
        with results.open_run(FILES["tolerant_shapes"]) as run:
            table = results.tolerance(run)
            for rows in (True, False):  # a row each, or an axis of MZIs
                with unittest.mock.patch("optinc.results.figures.tolerances.MOST_NETWORKS", 12 if rows else 5):
                    first, axes = figures.FIGURES["search"](run).axes[:2]
                self.assertEqual(axes.get_title(loc="left"), "(b) doped-heaters")
                at = lambda line: [list(xy) for xy in ((line.get_ydata(), line.get_xdata()) if rows else line.get_data())]  # noqa: E731
                across, up = at(next(line for line in axes.lines if line.get_linewidth() == 1.2))
                self.assertEqual(across, [0, 2, 4] if rows else [29, 900, 2720])
                self.assertEqual(up, list(table["tolerance"][[7, 3, 5]]))
                side = axes.get_yaxis_transform() if rows else axes.get_xaxis_transform()
                edge = {line.get_marker(): at(line)[0] for line in axes.lines if line.get_transform() == side}
                self.assertEqual(edge, {"<": [5], "o": [1]} if rows else {"v": [9000], "o": [120]})
                names = first.get_yticklabels() if rows else axes.texts
                self.assertIn("carry chain (29)" if rows else "carry chain", [text.get_text() for text in names])
            with self.assertRaisesRegex(results.NotInResult, "no variant 'noisy'"):
                figures.FIGURES["search"](run, variant="noisy")


class Trainings(unittest.TestCase):
    def test_interval_of_a_mean(self):
        # by hand: deviations sqrt(5/3), sqrt(2) and 1; t of 3, 1 and 20 degrees
        np.testing.assert_allclose(mean_interval([4, 1, 3, 2]), [2.5, 2.5 - 2.05426, 2.5 + 2.05426], atol=1e-4)
        np.testing.assert_allclose(mean_interval([1, np.nan, 3]), [2, 2 - 12.7062, 2 + 12.7062], atol=1e-4)
        np.testing.assert_allclose(mean_interval([0, 2] * 10 + [1]), [1, 1 - 0.45519, 1 + 0.45519], atol=1e-4)
        np.testing.assert_array_equal(mean_interval([7, np.nan]), [7, np.nan, np.nan])
        self.assertEqual(mean_interval([7, 7]), (7, 7, 7))
        self.assertTrue(np.isnan(mean_interval([])).all())

    def test_differences_as_a_table(self):
        with results.open_run(FILES["trained_at_energies"]) as run:
            table, off = results.tidy(run, group="differences"), results.learning.differences(run)
        self.assertEqual(list(table["path"]), ["exact average", "digit sums", "ring", "some net"])
        np.testing.assert_allclose(table["difference"], [of.mean for of in off])
        self.assertTrue(np.all(table["difference_low"][1:] < table["difference"][1:]))
        np.testing.assert_allclose(table["final_accuracy"] - table["final_accuracy"][0], table["difference"], atol=1e-12)
        np.testing.assert_allclose(table["step_energy_per_server"], [np.nan, 1e-5 / 4, 3e-5 / 4, 1e-3 / 4])

    # Fails when the accuracy is told whatever metric is asked for
    def test_differences_of_a_named_metric_as_a_table(self):
        with results.open_run(FILES["trained_at_energies"]) as run:
            table, off = results.tidy(run, "final_loss", "differences"), results.learning.differences(run, "final_loss")
            with self.assertRaisesRegex(results.NotInResult, "no 'step_energy' of trainings to compare .it has final_accuracy, final_loss"):
                results.tidy(run, "step_energy", "differences")
        np.testing.assert_allclose(table["difference"], [of.mean for of in off])
        np.testing.assert_allclose(table["final_loss"] - table["final_loss"][0], table["difference"], atol=1e-12)
        np.testing.assert_array_equal(table["place"], range(4))
        self.assertNotIn("final_accuracy", table)

    def test_differences_are_of_equal_trials(self):
        # -1, -2, -1 points by hand: deviation 1/sqrt(3), 4.303 / 3 to either side. Unpaired it would be 9 points:
        # fails where a trial is compared with another, or a path with the one before it
        path = Path(FOLDER.name) / "three.h5"
        accuracy = np.array([[0.79, 0.80, 0.86, 0.70], [0.80, 0.82, 0.87, 0.70], [0.80, 0.82, 0.87, 0.9]])
        done = np.array([[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]], bool)
        keys = {"learner.aggregator": (["quantised", "exact", "ring"], "1", "how gradients are averaged")}
        values = np.stack([accuracy, accuracy - 0.5], -1)
        with samples.result(path, samples.LEARNER, model="learning", complete=np.int64(0)) as file:
            samples.study(file, [("path", keys)], 4, ["corrected_quadrature", "noisy"],
                          {"final_accuracy": (values, {}, "1", "share"),
                           "final_loss": (1 - values, {}, "nat", "loss")}, done)
        with results.open_run(path) as run:
            self.assertEqual(exact_place(run), 1)
            off, none, ring = differences(run)
            np.testing.assert_allclose([off.mean, off.low, off.high], [-0.04 / 3, -0.0276755, 0.0010089], atol=1e-6)
            np.testing.assert_allclose(off.values, [-0.01, -0.02, -0.01, np.nan], atol=1e-12)
            self.assertEqual((none.mean, none.low, none.high, ring.mean), (0, 0, 0, 0))  # the trial that is not done
            self.assertAlmostEqual(differences(run, "final_loss")[0].mean, 0.04 / 3)
            np.testing.assert_allclose(final(run, variant="noisy")[0], accuracy[0] - 0.5)

    def test_ways_and_their_names(self):
        # fails where a network or preset is named that a way does not use, or an exact average is taken for granted
        with results.open_run(FILES["trainings"]) as run:
            self.assertEqual([way.name for way in paths(run)],
                             ["exact average", "ring of floats", "codes, no chip", "codes, no chip, 0.01 wrong", "codes, no chip, 0.1 wrong",
                              "codes, no chip, +0.5 LSB", "codes, no chip, +2 LSB", "carry chain, design-target",
                              "some net, good-lab", "some net, doped-heaters"])
            # seven of the eight ways that send codes, beside the exact one: those farthest from it
            drawn = [way.place for way in drawn_paths(paths(run), final(run), 0)]
            self.assertEqual((drawn[0], drawn == sorted(set(drawn)), {4, 5, 6, 8, 9} < set(drawn), 1 in drawn),
                             (0, True, True, False))
        with results.open_run(FILES["trained_through_chips"]) as run:
            chain, published = (differences(run, at={"network": n})[5].mean for n in (1, 0))
            self.assertAlmostEqual(chain, -0.004, delta=1e-3)  # drawn 0.4 and 40 points down
            self.assertAlmostEqual(published, -0.4, delta=1e-3)
            self.assertEqual({way.name for way in paths(run)}, {"exact average", "chip"})  # networks are another sweep's
        with results.open_run(FILES["one_sweep"]) as run, self.assertRaisesRegex(results.NotInResult, "no trainings"):
            paths(run)
        path = Path(FOLDER.name) / "no_exact.h5"
        one = {"final_loss": (np.zeros((2, 3, 1)), {}, "nat", "loss")}
        settings = samples.LEARNER + '\n[network]\nsource = "shipped/some_net"\n'
        for key, said in (("learner.aggregator", "no training with the exact"), ("learner.block", "no sweep of")):
            with samples.result(path, settings, model="learning", complete=np.int64(1)) as file:
                samples.study(file, [("path", {key: (["ring", "chip"], "1", "a key")})], 3, ["noisy"], one)
            with results.open_run(path) as run:
                if key == "learner.aggregator":  # one network for all ways
                    self.assertEqual([way.name for way in paths(run)], ["ring of floats", "some net"])
                with self.assertRaisesRegex(results.NotInResult, said):
                    exact_place(run)


if __name__ == "__main__":
    unittest.main()
