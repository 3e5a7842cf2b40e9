"""Opens what the store writes with h5py and with xarray's two engines, warnings being errors.

Usage: store_opens_in_python.py WRITE_SAMPLE. Exits 77 (skipped) when a module is missing.
"""

import os
import subprocess
import sys
import tempfile
import warnings

try:
    import h5netcdf  # noqa: F401
    import h5py
    import netCDF4  # noqa: F401
    import numpy as np
    import xarray
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

ENGINES = ("h5netcdf", "netcdf4")
GROUPS = ("/", "chips", "chips/deep", "chips/deep/down", "chips/settings", "network", "network/layer0",
          "network/layer1", "network/layer2")


def check_h5py(path):
    with h5py.File(path, "r") as file:
        root = dict(file.attrs)
        for name in ("Conventions", "title", "optinc_version", "git_revision", "build_target", "compiler", "run_id",
                     "created_utc", "command", "config_toml"):
            assert type(root[name]) is str and root[name], name
        assert root["Conventions"] == "CF-1.10" and root["schema_version"] == 4 and root["seed"] == 1
        assert len(root["run_id"]) == 16 and "[chip]" in root["config_toml"]
        groups = ["/"]
        datasets = []
        file.visititems(lambda name, item: (groups if isinstance(item, h5py.Group) else datasets).append(name))
        assert sorted(groups) == sorted(GROUPS), groups
        assert len(datasets) == 25 + 3 * 10, datasets
        for name in datasets:
            data = file[name]
            assert type(data.attrs["units"]) is str and data.attrs["units"], name
            assert type(data.attrs["long_name"]) is str and data.attrs["long_name"], name
            assert h5py.h5ds.is_scale(data.id) or all(len(axis) == 1 for axis in data.dims), name
            if data.size * data.dtype.itemsize > 4096:
                assert data.chunks and data.shuffle and data.compression == "gzip", name
        accuracy = file["chips/word_accuracy"]
        assert [axis[0].name for axis in accuracy.dims] == ["/chips/level", "/chips/variant", "/chips/chip"]
        assert file["chips/deep/down/below"].dims[0][0].name == "/chips/chip"
        assert list(file["chips"].attrs["levels"]) == [0.005, 0.01]
        assert file["chips/settings"].attrs["dac_bits"] == 14
        assert file["chips/settings"].attrs["words"] == 4096 and file["chips/settings"].attrs["metrics"] == ""


def check_xarray(path, engine):
    for group in GROUPS:
        with xarray.open_dataset(path, group=group, engine=engine) as data:
            data.load()
            for name, variable in data.variables.items():
                assert variable.attrs["units"] and variable.attrs["long_name"], name
    with xarray.open_dataset(path, engine=engine) as data:
        assert data.attrs["run_id"] and data.attrs["schema_version"] == 4
    with xarray.open_dataset(path, group="chips", engine=engine) as data:
        accuracy = data["word_accuracy"]
        assert accuracy.dims == ("level", "variant", "chip")
        assert list(data["level"].values) == [0.005, 0.01]
        assert list(data["variant"].values) == ["uncorrected", "corrected \u00e9"]
        expected = np.arange(1200.0).reshape(2, 2, 300)
        expected[0, 0, 1] = np.nan
        np.testing.assert_array_equal(accuracy.values, expected)
        assert float(accuracy.sel(level=0.01, variant="uncorrected", chip=7)) == 607.0
        for name, dtype in (("single", "f4"), ("small", "i4"), ("large", "i8"), ("flag", "u1"), ("words", "u4")):
            assert data[name].dtype == np.dtype(dtype), (name, data[name].dtype)
            np.testing.assert_array_equal(data[name].values, np.ones(300) if name == "flag" else np.arange(300))
        assert list(data["name"].values) == ["a", ""]
        assert data["power"].dims == () and float(data["power"]) == 0.25
        np.testing.assert_array_equal(data["extra11"].values, np.arange(600.0).reshape(2, 300))
    with xarray.open_dataset(path, group="chips/deep/down", engine=engine) as data:
        assert data["below"].dims == ("chip",)
    with xarray.open_dataset(path, group="network/layer0", engine=engine) as data:
        assert data["unitary"].dims == ("block", "row", "column")
        np.testing.assert_array_equal(data["unitary"].values, np.broadcast_to(np.eye(4), (2, 4, 4)))


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sample.h5")
        subprocess.run([sys.argv[1], path], check=True)
        assert os.listdir(folder) == ["sample.h5"], os.listdir(folder)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_h5py(path)
            for engine in ENGINES:
                check_xarray(path, engine)


main()
