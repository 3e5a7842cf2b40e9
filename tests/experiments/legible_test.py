"""Whether a stranger can read the figures of python: no letters over each other or cut, numbers as they are, names in words.

Usage: legible_test.py [unittest's arguments]. Exits 77 (skipped) when a module is missing.
"""

import itertools
import unittest

from sample_files import FILES, FOLDER, make_files  # first: it finds the package, or skips
import numpy as np
import optinc.results as results
from optinc.results import figures


def setUpModule():
    make_files()


def tearDownModule():
    FOLDER.cleanup()


def words_of(figure):
    """What stands around the panels of a drawn figure, and where (inches): its title, its legend, titles and names of axes."""
    figure.draw_without_rendering()
    found = [(text.get_text(), text) for axes in figure.axes if axes.get_visible()
             for text in (axes._left_title, axes.xaxis.label, axes.yaxis.label) if text.get_visible() and text.get_text().strip()]
    found += [(f"legend: {legend.get_texts()[0].get_text()}", legend) for legend in figure.legends]
    return [(said, artist.get_window_extent().transformed(figure.dpi_scale_trans.inverted())) for said, artist in found]


class Legible(unittest.TestCase):
    def test_titles_labels_and_legends_keep_clear_of_each_other(self):
        # fails where panels are too narrow for their titles, an axis for its name, or a name reaches beyond the paper
        wrong = []
        for name, path in FILES.items():
            with results.open_run(path) as run:
                for drawn, draw in figures.FIGURES.items():
                    try:
                        figure = draw(run)
                    except results.NotInResult:
                        continue
                    words = words_of(figure)
                    width, height = figure.get_size_inches()
                    for said, box in words:
                        if not (-0.02 < box.x0 and box.x1 < width + 0.02 and -0.02 < box.y0 and box.y1 < height + 0.02):
                            wrong.append(f"{name}, {drawn}: '{said}' is cut")
                    for (one, here), (other, there) in itertools.combinations(words, 2):
                        across = min(here.x1, there.x1) - max(here.x0, there.x0)
                        up = min(here.y1, there.y1) - max(here.y0, there.y0)
                        if across > 0.03 and up > 0.03:
                            wrong.append(f"{name}, {drawn}: '{one}' lies over '{other}'")
        self.assertEqual(wrong, [], "\n".join(wrong))

    def test_numbers_of_a_criterion_stay_what_they_are(self):
        # fails where thousands are set apart behind a point: 0.0001 as 0.1
        with results.open_run(FILES["fastest"]) as run:
            data = run.require("operating_points", "design")
            data.attrs["criterion"] = "at most 0.0001 of words wrong on 20 chips, 30000 words each"
            run._groups["operating_points"] = data
            title = " ".join(figures.FIGURES["operating_points"](run)._suptitle.get_text().split())
        self.assertIn("at most 0.0001 of words wrong on 20 chips, 30,000 words each", title)
        self.assertTrue(title[0].isupper(), title)

    def test_dies_that_fail_are_crossed_out(self):
        with results.open_run(FILES["dies_on_wafers"]) as run:
            limit = run.config["yield"]
            figure = figures.FIGURES["wafer_map"](run)
            for axes in figure.axes[:3]:
                dies, = [c for c in axes.collections if c.get_array() is not None]
                beyond = dies.get_array() > limit["limit"] if limit["sense"] == "at-most" else dies.get_array() < limit["limit"]
                middles = np.array([path.vertices[:4].mean(0) for path in dies.get_paths()])
                np.testing.assert_allclose(axes.lines[0].get_xydata(), middles[np.asarray(beyond)])

    def test_variants_have_their_names_in_words(self):
        with results.open_run(FILES["detuned"]) as run:
            self.assertIn("corrected, quadrature", figures.FIGURES["spectrum"](run)._suptitle.get_text())


if __name__ == "__main__":
    unittest.main()
