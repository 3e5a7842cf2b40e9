"""Holds figures of what averages cost and take, of units, parts and clusters, to small files that follow FORMAT.md; warnings are
errors.

Usage: cost_figures_test.py [unittest's arguments]. Exits 77 (skipped) when a module is missing.
"""

import unittest

from sample_files import FILES, FOLDER, make_files  # first: it finds the package, or skips
import numpy as np
import optinc.results as results
from optinc.results import figures, headlines
from optinc.results.figures.fronts import front


def setUpModule():
    make_files()


def tearDownModule():
    FOLDER.cleanup()


class Costs(unittest.TestCase):
    def test_operating_points_stand_at_their_rate_and_energy(self):
        with results.open_run(FILES["fastest"]) as run:
            axes, = figures.FIGURES["operating_points"](run).axes
            self.assertEqual(np.round(axes.lines[0].get_xdata(), 9).tolist(), [1.28, 1.92])
            self.assertEqual([np.round(line.get_ydata(), 9).tolist() for line in axes.lines], [[80, 7]])
            self.assertIn("decode at no rate: published", axes.texts[0].get_text())

    def test_points_of_one_design_are_joined_where_none_beats_them(self):
        with results.open_run(FILES["fastest"]) as run:
            data = run.require("operating_points", "design", "bit_rate")
            run._groups["operating_points"] = data.assign(of_design=("design", ["a", "b", "b"]), bit_rate=("design", [1e12, 2e12, 3e12]),
                                                          energy_per_bit=("design", [1e-12, 9e-12, 7e-12]))
            axes, = figures.FIGURES["operating_points"](run).axes
            joined = {line.get_label(): line.get_xdata().tolist() for line in axes.lines if not line.get_label().startswith("_")}
            self.assertEqual(joined, {"a": [1], "b": [3]})  # of b, 2 Tb/s take more

    def test_draws_of_parts_show_shares_below_and_what_was_counted(self):
        with results.open_run(FILES["over_parts"]) as run:
            below, against = figures.FIGURES["part_draws"](run).axes
            steps = [line for line in below.lines if len(line.get_xdata()) and line.get_marker() != "x"]
            np.testing.assert_allclose(steps[0].get_xdata(), [6, 7, 8])
            np.testing.assert_allclose(steps[0].get_ydata(), [0.2, 0.4, 0.6])  # no point in the others
            np.testing.assert_allclose([line.get_xdata() for line in below.lines if line.get_marker() == "x"][1], [9, 11, 13])
            rings = next(line for line in against.lines if line.get_label() == "ring")
            np.testing.assert_allclose(rings.get_ydata(), [9, 11])  # medians of 4 and 8 servers
            self.assertIn("ring of 8: 9 pJ, 11 pJ, 13 pJ", headlines.headlines(run))
            self.assertIn("no point", headlines.headlines(run))

    def test_exchanges_and_competitions_stand_at_their_ratios(self):
        with results.open_run(FILES["of_a_cluster"]) as run:
            axes, = figures.FIGURES["testbed"](run).axes
            self.assertEqual([line.get_label() for line in axes.lines], ["ring", "2 %"])  # not the row whose transceiver fails
            np.testing.assert_allclose(axes.lines[0].get_xdata(), [0.1, 10])
            np.testing.assert_allclose(axes.lines[0].get_ydata(), [0.5, 4])
            figure = figures.FIGURES["competition"](run)
            axes, times = figure.axes
            np.testing.assert_allclose([row.get_xdata() for row in times.lines], [[0.5, 0.5, 0.4], [0.5, 0.79, 1.2], [0.55, 0.875, 3.6]])
            np.testing.assert_allclose([line.get_xydata()[0] for line in axes.lines], [[1.0, 1.1], [1.58, 1.75], [1.6, 1.7]])
            self.assertIn("3 conditions; within 5 % of both: 1", " ".join(figure._suptitle.get_text().split()))
            rows = run.group("competitions")
            run._groups["competitions"] = rows.assign(nodes=0 * rows["nodes"] + 64)  # not what was published
            figure = figures.FIGURES["competition"](run)
            self.assertEqual(len(figure.axes[0].lines), 2)
            self.assertNotIn("within", figure._suptitle.get_text())
            axes, = figures.FIGURES["iteration"](run).axes
            self.assertEqual([text.get_text() for text in axes.get_yticklabels()], ["switch", "ODDL", "ODDL"])
            ends = [bar.get_x() + bar.get_width() for bar in axes.patches]  # computing, waiting, communication
            np.testing.assert_allclose(ends, [1, 1, 3, 2, 2, 3, 2.5, 2.25, 3.5])

    def test_iterations_that_can_stand_beside_each_other_are_drawn_in_milliseconds(self):
        with results.open_run(FILES["joined"]) as run:
            *_, parts, energy = figures.FIGURES["interconnect"](run).axes
            self.assertEqual(parts.get_xlabel(), "share of computing and communicating")
            self.assertEqual([text.get_text() for text in energy.texts if text.get_text()[0] in "0123456789n"], ["4", "5", "not known"])
            data = run.group("interconnect")
            run._groups["interconnect"] = data.isel(scenario=slice(0, 6)).assign(calibrated=0 * data["calibrated"][:6])
            figure = figures.FIGURES["interconnect"](run)
            axes = figure.axes[-2]
            self.assertEqual(axes.get_xlabel(), "time in an iteration (ms)")
            ends = {round(bar.get_x() + bar.get_width(), 9) for bar in axes.patches}
            self.assertLessEqual({2.25, 1.35}, ends)  # computing and bytes of 16 servers: a ring's, a unit's
            self.assertNotIn("calibrated", figure._suptitle.get_text())

    def test_assumptions_have_values_with_units_those_that_move_most_first(self):
        with results.open_run(FILES["joined"]) as run:
            axes, = figures.FIGURES["assumptions"](run).axes
            self.assertEqual([label.get_text() for label in axes.get_yticklabels()],
                             ["placement\nrandom, linear", "latency\n20 \N{MICRO SIGN}s, 2 \N{MICRO SIGN}s, 0 s"])

    def test_failures_stand_at_their_times(self):
        with results.open_run(FILES["of_a_cluster"]) as run:
            lost, slow = figures.FIGURES["failures"](run).axes
            self.assertEqual([label.get_text() for label in lost.get_yticklabels()],
                             [r"one \$a\$, transceiver: switch", "only, fibre: ODDL", "lost node: ODDL"])
            terms = {line.get_label(): line.get_xydata().tolist() for line in lost.lines}
            np.testing.assert_allclose(terms["lost in all"], [[1.0, 0], [361.1, 2]])
            self.assertEqual(terms["until found"], [[1.0, 0], [1.0, 2]])  # not of the job that ends
            self.assertEqual(terms["repair"], [[60.1, 2]])
            self.assertEqual(terms["repeated work"], [[300.0, 2]])
            np.testing.assert_allclose([bar.get_width() for bar in slow.containers[0]], [1.4, 1.01])
            self.assertEqual([(text.get_position()[1], text.get_text()) for axes in (lost, slow) for text in axes.texts],
                             [(1, "the job ends")] * 2)

    def test_front(self):
        x, y = np.array([1, 2, 2, 3, np.nan, 0.5]), np.array([1, 2, 3, 2.5, 9, 0.5])
        self.assertEqual(list(front(x, y, True, True)), [2, 3])
        self.assertEqual(list(front(x, y, False, False)), [5])
        self.assertEqual(list(front(x, y, False, True)), [5, 0, 2])

    def test_cost_front_puts_each_network_at_its_cost(self):
        with results.open_run(FILES["noisy_networks"]) as run:
            axes = figures.FIGURES["cost_front"](run).axes
            right = run.summary["word_accuracy_mean"].values[:, :, 0, 2]  # (network, preset) at the first error, noisy
            for panel, costs in enumerate(([9000, 29], [65.0, 3.2], [16.1, 8.0])):
                drawn = [line.get_xydata() for line in axes[panel].lines if line.get_linestyle() == "None" and line.get_marker() in "os"]
                self.assertEqual(len(drawn), 2)
                for preset, points in enumerate(drawn):
                    self.assertEqual(points[:, 0].tolist(), costs)
                    self.assertAlmostEqual(points[0, 1], 1 - right[0, preset], 12)
                    self.assertEqual(right[1, preset], 1)  # which stands at the 0 below
                    self.assertLess(points[1, 1], points[0, 1])

    def test_trainings_stand_at_their_energies(self):
        # fails where a way stands at another's energy, or one below the panel is left out
        with results.open_run(FILES["trained_at_energies"]) as run:
            axes, = figures.FIGURES["learning_energy"](run).axes
            both, = figures.FIGURES["learning_energy"](run, beside=[FILES["trained_at_energies"]]).axes
            means = [off.mean * 100 for off in results.learning.differences(run)]
        drawn = {line.get_label(): line.get_xydata() for line in axes.lines if not line.get_label().startswith("_")}
        self.assertEqual(list(drawn), [f"{way}; 4 servers, 8 bits" for way in ("digit sums", "ring", "some net")])
        np.testing.assert_allclose(drawn["digit sums; 4 servers, 8 bits"], [[1e1 / 4, means[1]]])
        np.testing.assert_allclose(list(drawn.values())[2], [[1e3 / 4, -2]])
        self.assertEqual([text.get_text() for text in axes.texts], [f"{means[3]:+.3g}"])
        self.assertEqual(len(both.texts), 2)


if __name__ == "__main__":
    unittest.main()
