"""Floor plans in Python: where devices lie, what a GDS file holds of them, and figures."""

import tempfile
import unittest
from pathlib import Path

import numpy
import optinc
from optinc import layout

try:
    import gdstk
except ImportError:
    gdstk = None
try:
    import matplotlib
except ImportError:
    matplotlib = None


def small():
    """Dimensions of which none is the half of another."""
    settings = optinc.FloorPlanSettings()
    settings.mzi_length_m, settings.mzi_width_m, settings.coupler_length_m, settings.heater_length_m = 160e-6, 42e-6, 15e-6, 50e-6
    return settings


def in_order(points):
    return sorted((round(float(x), 3), round(float(y), 3)) for x, y in points)


def centres(cell, layer):
    """Of the polygons of a layer, um."""
    return in_order(numpy.mean(p.bounding_box(), axis=0) for p in cell.get_polygons(layer=layer[0], datatype=layer[1]))


class FloorPlans(unittest.TestCase):
    # By hand, from the drawing of clements_topology(): MZIs 0 and 1 in column 0, 2 in column 1.
    # Fails when columns are counted from 1, or x and y are exchanged.
    def test_a_mesh(self):
        mesh = optinc.Mesh(3)
        numpy.testing.assert_array_equal([mesh.column, mesh.upper, mesh.lower], [[0, 1, 2], [0, 1, 0], [1, 2, 1]])
        plan = mesh.floor_plan(small())
        self.assertEqual((plan.name, plan.ports, plan.columns), ("mesh", 3, 3))
        # arms of 65 um, ports 21 um apart
        numpy.testing.assert_allclose(plan.phi_m * 1e6, [[32.5, 10.5], [192.5, 31.5], [352.5, 10.5]])
        numpy.testing.assert_allclose(plan.theta_m * 1e6, [[112.5, 10.5], [272.5, 31.5], [432.5, 10.5]])
        numpy.testing.assert_allclose(plan.alpha_m * 1e6, [[72.5, 21], [232.5, 42], [392.5, 21]])
        numpy.testing.assert_allclose(plan.beta_m * 1e6, [[152.5, 21], [312.5, 42], [472.5, 21]])
        numpy.testing.assert_allclose(plan.output_m * 1e6, [[512.5, 10.5], [512.5, 31.5], [512.5, 52.5]])
        numpy.testing.assert_array_equal(plan.heaters_m, numpy.concatenate([plan.theta_m, plan.phi_m, plan.output_m]))
        numpy.testing.assert_array_equal(plan.phi_arms_m[plan.column, plan.upper], plan.phi_m)
        numpy.testing.assert_array_equal(plan.theta_arms_m[plan.column, plan.upper], plan.theta_m)
        numpy.testing.assert_allclose([plan.length_m, plan.width_m, plan.arm_length_m], [545e-6, 63e-6, 65e-6])
        self.assertAlmostEqual(plan.area_m2, 545e-6 * 63e-6, places=18)
        self.assertEqual(repr(plan), "<MeshFloorPlan: mesh, 3 MZIs, 0.545 x 0.063 mm>")

    def test_a_unit(self):
        unit = optinc.carry_chain(4, 8)
        plan = unit.floor_plan()
        self.assertEqual(sum(len(m.theta_m) for m in plan.meshes), unit.mzi_count)
        self.assertTrue(plan.meshes[0].name.endswith("/block0/mesh"))
        self.assertAlmostEqual(plan.length_m, max(m.corner_m[0] + m.length_m for m in plan.meshes))
        self.assertAlmostEqual(plan.width_m, max(m.corner_m[1] + m.width_m for m in plan.meshes))
        narrow = unit.floor_plan(die_width_m=2e-3)
        self.assertLess(narrow.length_m, 2e-3)
        self.assertGreater(narrow.width_m, plan.width_m)

    def test_impossible_dimensions(self):
        settings = small()
        settings.heater_length_m = 1e-3
        for thing in (optinc.Mesh(4), optinc.carry_chain(2, 4)):
            with self.assertRaisesRegex(ValueError, r"^heater_length_m = 0\.001 \(the arm it lies on has 6\.5"):
                thing.floor_plan(settings)


@unittest.skipUnless(gdstk, "no gdstk (pip install gdstk)")
class Gds(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def written(self, plan, name="plan.gds"):
        layout.write_gds(plan, self.folder / name)
        return {cell.name: cell for cell in gdstk.read_gds(self.folder / name).cells}

    def check_mesh(self, cell, plan, shift=(0, 0)):
        """A cell holds what the plan has, no more."""
        shift = numpy.array(shift)
        names = [reference.cell.name for reference in cell.references]
        passing = plan.columns * plan.ports - 2 * len(plan.theta_m)
        self.assertEqual([names.count(n) for n in ("mzi", "pass", "output")], [len(plan.theta_m), passing, plan.ports])
        self.assertEqual(centres(cell, layout.HEATER), in_order(plan.heaters_m * 1e6 - shift))
        self.assertEqual(centres(cell, layout.COUPLER), in_order(numpy.concatenate([plan.alpha_m, plan.beta_m]) * 1e6 - shift))
        labels = {label.text: label.origin for label in cell.labels}
        self.assertEqual(len(labels), len(plan.heaters_m) + 2 * plan.ports)
        for name in ("theta", "phi", "output"):
            for k, site in enumerate(getattr(plan, f"{name}_m")):
                numpy.testing.assert_allclose(labels[f"{name} {k}"], site * 1e6 - shift, atol=1e-3)
        low, high = numpy.array(cell.bounding_box())
        numpy.testing.assert_allclose([low, high], [(0, 0), (1e6 * plan.length_m, 1e6 * plan.width_m)], atol=1e-3)
        # waveguides end where ports are, and leave out couplers alone
        guides = cell.get_polygons(layer=layout.WAVEGUIDE[0], datatype=layout.WAVEGUIDE[1])
        length = sum(numpy.ptp(p.points[:, 0]) for p in guides)
        settings = plan.settings
        full = plan.ports * plan.length_m - 4 * len(plan.theta_m) * settings.coupler_length_m
        self.assertAlmostEqual(length, 1e6 * full, delta=1e-3 * len(guides))
        numpy.testing.assert_allclose(labels["in 0"], (0, 0.5e6 * settings.mzi_width_m / 2), atol=1e-3)
        self.assertAlmostEqual(labels[f"out {plan.ports - 1}"][0], 1e6 * plan.length_m, delta=1e-3)

    # Fails when cells stand half an arm further, when heaters have the numbers of another order, and when a port that
    # passes a column is left out.
    def test_meshes_come_back(self):
        for topology, settings in (("clements", optinc.FloorPlanSettings()), ("reck", small())):
            plan = optinc.Mesh(6, topology).floor_plan(settings)
            self.check_mesh(self.written(plan, f"{topology}.gds")["mesh"], plan)
        plan = optinc.Mesh(1).floor_plan()  # a waveguide with its output phase
        self.check_mesh(self.written(plan)["mesh"], plan)

    # Fails when a mesh stands at the corner of another.
    def test_units_come_back(self):
        plan = optinc.carry_chain(4, 8).floor_plan(small())
        cells = self.written(plan)
        unit = cells["unit"]
        self.assertEqual([r.cell.name for r in unit.references], [m.name.replace("/", "_") for m in plan.meshes])
        self.assertEqual([label.text for label in unit.labels], [m.name for m in plan.meshes])
        for reference, mesh in zip(unit.references, plan.meshes):
            corner = numpy.array(mesh.corner_m) * 1e6
            numpy.testing.assert_allclose(reference.origin, corner, atol=1e-3)
            self.check_mesh(cells[reference.cell.name], mesh, corner)
        self.assertEqual(centres(unit, layout.HEATER), in_order(numpy.concatenate([m.heaters_m for m in plan.meshes]) * 1e6))
        numpy.testing.assert_allclose(unit.bounding_box()[1], [1e6 * plan.length_m, 1e6 * plan.width_m], atol=1e-3)

    # Fails when the file says when it was written.
    def test_the_same_plan_is_the_same_file(self):
        plan = optinc.Mesh(4).floor_plan()
        for name in ("a.gds", "b.gds"):
            layout.write_gds(plan, self.folder / name)
        self.assertEqual((self.folder / "a.gds").read_bytes(), (self.folder / "b.gds").read_bytes())
        library = gdstk.read_gds(self.folder / "a.gds")
        self.assertEqual((library.unit, library.precision), (1e-6, 1e-9))

    def test_oasis_by_its_name(self):
        plan = optinc.Mesh(4).floor_plan()
        layout.write_gds(plan, self.folder / "a.oas")
        self.check_mesh({cell.name: cell for cell in gdstk.read_oas(self.folder / "a.oas").cells}["mesh"], plan)

    def test_no_room_for_couplers(self):
        settings = small()
        settings.coupler_length_m = 0
        cells = self.written(optinc.Mesh(4).floor_plan(settings))
        self.assertEqual(centres(cells["mesh"], layout.COUPLER), [])

    def test_refused(self):
        plan, there = optinc.Mesh(4).floor_plan(), self.folder / "there.gds"
        there.write_text("mine")
        with self.assertRaisesRegex(FileExistsError, r"there.gds exists already \(nothing is overwritten unasked\). Choose another name\.$"):
            layout.write_gds(plan, there)
        self.assertEqual(there.read_text(), "mine")
        with self.assertRaises(OSError):
            layout.write_gds(plan, self.folder / "none" / "plan.gds")
        with self.assertRaisesRegex(TypeError, "^Mesh is not a floor plan"):
            layout.write_gds(optinc.Mesh(4), there)


@unittest.skipUnless(matplotlib, "no matplotlib (pip install matplotlib)")
class Figures(unittest.TestCase):
    def segments(self, axes):
        return sum(len(c.get_segments()) for c in axes.collections if hasattr(c, "get_segments"))

    # Fails when a unit's other panel shows the first mesh whatever is asked for.
    def test_drawn(self):
        mesh = optinc.Mesh(6).floor_plan()
        panel, = layout.draw(mesh).axes
        # two arms of both ports of 15 MZIs, 6 ports that pass a column, output phases; heaters of all
        self.assertEqual(self.segments(panel), 4 * 15 + 6 + 6 + (2 * 15 + 6))
        self.assertEqual(panel.get_xlabel(), "x (mm)")
        self.assertTrue(panel.yaxis_inverted())
        large = layout.draw(optinc.Mesh(20).floor_plan()).axes
        self.assertIn("here 12 columns and 16 ports of it", large[1].get_title(loc="left"))
        self.assertEqual(large[1].get_ylim(), (16 * 0.025, 0.0))
        unit = optinc.carry_chain(4, 8).floor_plan()
        last = unit.meshes[-1].name
        whole, near = layout.draw(unit, last).axes
        self.assertEqual(len(whole.patches), len(unit.meshes) + 1)
        self.assertIn(last, near.get_title(loc="left"))

    def test_refused(self):
        with self.assertRaisesRegex(ValueError, r'^no mesh of the plan is called "layer9" \(the first is layer\d+/block0/mesh'):
            layout.draw(optinc.carry_chain(4, 8).floor_plan(), "layer9")
        with self.assertRaisesRegex(TypeError, "^Mesh is not a floor plan"):
            layout.draw(optinc.Mesh(4))


if __name__ == "__main__":
    unittest.main()
