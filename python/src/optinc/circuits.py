"""Circuits of devices from netlists: scattering matrices with reflections, over wavelength."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np

from ._core import NetlistCircuit, Wafer, direct_readings
from .laboratory import save_touchstone

if TYPE_CHECKING:
    import xarray

_C = 299792458.0

Model = Union[str, Callable[..., Any]]
"""A model of circuit_models() by its name, or a function of wavelength and settings as sax has them: of `wl` in um, it
returns {(port, port): values}, or one of sax's other forms, (S, ports) and (out, in, values, ports)."""


MappingGiven = Union[str, "os.PathLike[str]", Mapping[str, Any]]
"""A mapping of a process design kit: the name of a shipped one, a TOML file, or its contents."""


class Readings(NamedTuple):
    """What direct receivers at the ports of a circuit read, float64 (.., ports) each."""

    power_w: np.ndarray[Any, Any]
    """Light that arrives of what was sent in [W]."""
    photocurrent_a: np.ndarray[Any, Any]
    """Mean photocurrent, spontaneous emission and dark current included [A]."""
    snr: np.ndarray[Any, Any]
    """Electrical signal to noise ratio: (responsivity x power)^2 over the variance of the current."""


class Circuit:
    """A circuit of devices whose ports face each other, with reflections.

    `netlist` has the form that gdsfactory and sax write: a mapping, or the path of a YAML or JSON file, with "instances"
    (name: component, or {component, settings}), "connections" ("a,out0": "b,in0") or "nets" ({p1, p2}), and "ports" (name:
    "a,in0"). A mapping of several netlists is a hierarchy: the first is the circuit, the others are components. The reader
    is that of `optinc circuit`: both take the same netlists for the same circuits.

    A component is, in this order: one of `models`, by the name of a model of circuit_models() or a function
    f(wl=.., **settings) as models of sax are (wl in um); a netlist of the hierarchy; `touchstone`, a measured block with
    settings `file` and `convention`; a model of circuit_models(). A function gets `wl` and those settings that it takes, and
    no others, as in sax.

        circuit = optinc.Circuit({"instances": {"bus": "coupler", "turn": "waveguide"},
                                  "connections": {"bus,out1": "turn,in0", "turn,out0": "bus,in1"},
                                  "ports": {"in": "bus,in0", "out": "bus,out0"}})
        circuit(np.linspace(1.54e-6, 1.56e-6, 1000))[:, 1, 0]

    `mapping` says which models the components of a process design kit stand for: the name of a shipped mapping
    ("gdsfactory", "siepic"), a TOML file, its contents, or a list of these, of which the first that knows a component counts:

        circuit = optinc.Circuit(gf.components.mzi(delta_length=10).get_netlist(), mapping="gdsfactory")

    Components are then, after `models` and before netlists of the hierarchy, those of the mapping. Settings that no model
    reads are in `not_read`. An instance with array: {columns, rows} is NAME<COLUMN.ROW>, from 0; NAME stands for all its
    elements in `settings`. Routes are links without length.

    Ports that face nothing are errors unless `absorb_unconnected`. Raises ValueError, naming file, line, instance and port,
    for a netlist that is none.
    """

    def __init__(self, netlist: Mapping[str, Any] | str | os.PathLike[str], models: Mapping[str, Model] | None = None,
                 absorb_unconnected: bool = False, mapping: MappingGiven | Sequence[MappingGiven] | None = None) -> None:
        known = {str(name): model if isinstance(model, str) else _Function(model) for name, model in (models or {}).items()}
        mappings = [] if mapping is None else [mapping] if isinstance(mapping, (str, os.PathLike, Mapping)) else list(mapping)
        self._netlist = NetlistCircuit(netlist if isinstance(netlist, Mapping) else os.fspath(netlist), known,
                                       [given if isinstance(given, Mapping) else _mapping_file(given) for given in mappings],
                                       absorb_unconnected)
        self.ports = tuple(self._netlist.ports)
        """Names of its ports, in the order of its matrices."""
        self.not_read = tuple(self._netlist.not_read)
        """Settings, ports and components of the netlist that say nothing of light."""

    def __call__(self, wavelength_m: Any, settings: Mapping[str, Mapping[str, Any]] | None = None) -> np.ndarray[Any, Any]:
        """Scattering matrices, complex128 (.., ports, ports), at wavelengths of any shape [m].

        S[.., i, j]: field out of port i for a field of 1 into port j. `settings` replaces some of the netlist's, by
        instance. Raises ValueError for unknown names, values that a model refuses, a loop in resonance that loses no
        light, and one in which an amplifier makes up for the loss. Only the wavelengths asked for are checked: ask at the
        peak of every amplifier, too.
        """
        wavelengths = np.asarray(wavelength_m, float)
        found = self._netlist.scattering(self._changed(settings), wavelengths.ravel())
        return found.reshape(*wavelengths.shape, len(self.ports), len(self.ports))

    def sweep(self, wavelength_m: Any, settings: Mapping[str, Mapping[str, Any]]) -> np.ndarray[Any, Any]:
        """Scattering matrices of many draws of settings, complex128 (draws, .., ports, ports), at wavelengths of any shape [m].

        `settings` as a call takes them, with an array (draws,) in place of each number that varies: a sweep, or a Monte Carlo
        where they are random. The equations are set up once, so that this is much faster than a call a draw:

            circuit.sweep(1.55e-6, {"arm": {"length_m": rng.normal(100e-6, 1e-9, 1000)}})

        Raises ValueError as a call does, and for arrays of different lengths, or none.
        """
        wavelengths = np.asarray(wavelength_m, float)
        varied: dict[str, np.ndarray[Any, Any]] = {}
        fixed = _without_arrays(self._changed(settings), "", varied)
        lengths = sorted({len(values) for values in varied.values()})
        if len(lengths) != 1 or lengths[0] == 0:
            raise ValueError(f"arrays of {' and '.join(map(str, lengths)) or 'no'} values (settings that vary have as many values as "
                             "there are draws). Give arrays of one length.")
        found = self._netlist.sweep(fixed, varied, wavelengths.ravel())
        return found.reshape(lengths[0], *wavelengths.shape, len(self.ports), len(self.ports))

    def fabricated(self, wafer: Wafer, dies: Sequence[int], seed: int = 1,
                   settings: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, dict[str, np.ndarray[Any, Any]]]:
        """What dies of a wafer make of its devices: settings (dies,) for sweep(), by instance.

        The process of the wafer acts where the layout has the devices (`placements`, in um, of the netlist and of those inside
        it; the origin of an instance stands for it, and the origin of the circuit is the corner of the die): neighbours share
        it. Waveguides and rings change their index, couplers their angle; MMIs, measured blocks and functions of `models`
        stay as they are. A function of (seed, die) alone; die k is chip k of the wafer. Layout-aware yield is then

            s = circuit.sweep(1.55e-6, circuit.fabricated(optinc.Wafer(), range(1000)))
            (abs(s[:, 1, 0]) ** 2 > 0.9).mean()

        Raises ValueError for a netlist without placements of all its instances.
        """
        found: dict[str, dict[str, np.ndarray[Any, Any]]] = {}
        for path, values in self._netlist.fabricated(self._changed(settings), wafer, list(dies), seed).items():
            close = path.find(">") if "<" in path.partition(".")[0] else 0
            dot = path.index(".", close)
            found.setdefault(path[:dot], {})[path[dot + 1:]] = values
        return found

    def fields_inside(self, wavelength_m: Any, at: Sequence[str], settings: Mapping[str, Mapping[str, Any]] | None = None) -> np.ndarray[Any, Any]:
        """Probes: fields that enter ports "INSTANCE,PORT" of its instances, complex128 (.., places, ports), for a field of 1
        into each of its own ports, at wavelengths of any shape [m].

        |field|^2 in a ring over that sent is its build-up. Raises ValueError as a call does, and for an unknown port.
        """
        wavelengths = np.asarray(wavelength_m, float)
        for place in at:
            if "," not in place:
                raise ValueError(f'"{place}" is not a port (a port is "INSTANCE,PORT"). Write, for example, "bus,in0".')
        places = [(instance.strip(), port.strip()) for instance, port in (place.rsplit(",", 1) for place in at)]
        found = self._netlist.fields(self._changed(settings), wavelengths.ravel(), places)
        return found.reshape(*wavelengths.shape, len(places), len(self.ports))

    def group_delay(self, wavelength_m: Any, settings: Mapping[str, Mapping[str, Any]] | None = None, step_hz: float = 1e7) -> np.ndarray[Any, Any]:
        """Group delay of every path [s], d(phase)/d(omega), float64 (.., ports, ports) as a call has it; NaN where no light
        arrives. From phases `step_hz` above and below: delays above 1 / (4 step_hz) are aliased. Raises ValueError as a call does.
        """
        hz = _C / np.asarray(wavelength_m, float)
        above, below = self(_C / (hz + step_hz), settings), self(_C / (hz - step_hz), settings)
        turned = above * below.conj()
        return np.where(turned != 0, np.angle(turned) / (4 * np.pi * step_hz), np.nan)

    def transmit(self, fields: Any, sample_rate_hz: float, wavelength_m: float, port_in: str, port_out: str,
                 settings: Mapping[str, Mapping[str, Any]] | None = None) -> np.ndarray[Any, Any]:
        """Envelope that leaves port_out for an envelope `fields` (samples,) into port_in, complex128 (samples,), such as a
        stream of PAM4 symbols.

        Of a carrier at wavelength_m: the field is Re(envelope exp(-i omega t)). The stream repeats itself, and the circuit's
        response at all of its frequencies (n / samples of the rate) is that of a linear circuit: exact, with delays, filtering
        and ringing. Sample finely enough that nothing of the stream lies beyond half the rate. Raises ValueError as a call
        does, for unknown ports and another shape.
        """
        for port in (port_in, port_out):
            self._require_port(port)
        sent = np.asarray(fields, complex)
        carrier_hz = _C / wavelength_m
        if sent.ndim != 1 or len(sent) < 1 or not 0 < sample_rate_hz < 2 * carrier_hz:
            raise ValueError(f"fields of shape {sent.shape} at a rate of {sample_rate_hz:g} Hz (one axis, at a rate below twice the carrier's "
                             f"{carrier_hz:.4g} Hz). Give the samples of one stream.")
        hz = np.fft.fftfreq(len(sent), 1 / sample_rate_hz)  # of exp(-i 2 pi f t)
        response = self(_C / (carrier_hz + hz), settings)[:, self.ports.index(port_out), self.ports.index(port_in)]
        return np.fft.fft(np.fft.ifft(sent) * response)

    def emission(self, wavelength_m: Any, settings: Mapping[str, Mapping[str, Any]] | None = None) -> np.ndarray[Any, Any]:
        """Correlations of the waves that its amplifiers send out of its ports [W/Hz], one polarisation: complex128
        (.., ports, ports), at wavelengths of any shape [m].

        C[.., i, i] is the power density of spontaneous emission out of port i. Functions of `models` emit nothing. Raises
        ValueError as a call does.
        """
        wavelengths = np.asarray(wavelength_m, float)
        found = self._netlist.emission(self._changed(settings), wavelengths.ravel())
        shape = (*wavelengths.shape, len(self.ports), len(self.ports))
        return np.zeros(shape, complex) if found is None else found.reshape(shape)

    def detect(self, wavelength_m: Any, port: str, power_w: float, receiver: Mapping[str, float] | None = None,
               settings: Mapping[str, Mapping[str, Any]] | None = None) -> Readings:
        """What direct receivers at all ports read where light of `power_w` [W] enters a port.

        `receiver` replaces some of direct_receiver_settings(). Emission counts as flat over the receiver's optical filter.
        Raises ValueError as a call does, and for an unknown port and impossible values.
        """
        self._require_port(port)
        wavelengths = np.asarray(wavelength_m, float)
        at = wavelengths.ravel()
        read = direct_readings(self(at, settings), self.emission(at, settings), self.ports.index(port), power_w, dict(receiver or {}))
        return Readings(*(values.reshape(*wavelengths.shape, len(self.ports)) for values in read))

    def spectrum(self, wavelength_m: Any, settings: Mapping[str, Mapping[str, Any]] | None = None) -> xarray.DataArray:
        """The same as a call, as an xarray.DataArray with axes wavelength [m], port_out and port_in, which knows its names:

            circuit.spectrum(wavelengths).sel(port_out="drop", port_in="in")

        Needs xarray (extra `results`). Raises ValueError as a call does, and unless wavelengths have one axis.
        """
        import xarray  # noqa: PLC0415  an extra

        wavelengths = np.asarray(wavelength_m, float)
        if wavelengths.ndim != 1:
            raise ValueError(f"wavelengths with {wavelengths.ndim} axes (a spectrum has one). Give an array such as "
                             "np.linspace(1.54e-6, 1.56e-6, 1001).")
        names = list(self.ports)
        axis = xarray.Variable("wavelength", wavelengths, {"units": "m", "long_name": "wavelength of the light"})
        return xarray.DataArray(self(wavelengths, settings), {"wavelength": axis, "port_out": names, "port_in": names},
                                ("wavelength", "port_out", "port_in"), "scattering",
                                {"units": "1", "long_name": "field that leaves over field that enters"})

    def save(self, path: str | os.PathLike[str], wavelength_m: Any, settings: Mapping[str, Mapping[str, Any]] | None = None,
             convention: str = "rf", force: bool = False) -> None:
        """Writes its scattering matrices at wavelengths (n,) [m] as Touchstone, .sNp or .ts, with the names of its ports, as
        save_touchstone() does; raises what that and a call raise."""
        wavelengths = np.sort(np.asarray(wavelength_m, float).ravel())[::-1]  # frequencies rise
        save_touchstone(path, _C / wavelengths, self(wavelengths, settings), self.ports, convention, force)

    def plot(self, wavelength_m: Any, port_in: str, ports_out: Sequence[str] | None = None,
             settings: Mapping[str, Mapping[str, Any]] | None = None, axes: Any = None) -> Any:
        """Draws the power that leaves `ports_out` (left out: all that light reaches) for light into `port_in`, in dB over
        wavelength; returns the matplotlib axes, new ones unless given.

        Needs matplotlib and xarray (extra `results`). Raises ValueError as spectrum() does, and for an unknown port.
        """
        import matplotlib.pyplot as plt  # noqa: PLC0415  an extra

        for port in (port_in, *(ports_out or ())):
            self._require_port(port)
        power = abs(self.spectrum(wavelength_m, settings).sel(port_in=port_in)) ** 2
        drawn = list(ports_out) if ports_out is not None else [port for port in self.ports if power.sel(port_out=port).max() > 0]
        axes = plt.subplots()[1] if axes is None else axes
        for port in drawn:
            with np.errstate(divide="ignore"):  # no light at all is no point
                axes.plot(1e9 * power.wavelength, 10 * np.log10(power.sel(port_out=port)), label=f"{port_in} to {port}")
        axes.set(xlabel="wavelength [nm]", ylabel="power [dB]")
        axes.legend()
        return axes

    def warnings(self, settings: Mapping[str, Mapping[str, Any]] | None = None) -> list[str]:
        """What is legal but unlike anything built, "INSTANCE.SETTING: sentence" each: impossible amplifiers, measured blocks
        that are not passive. Raises ValueError for unknown names and values that a model refuses."""
        return self._netlist.warnings(self._changed(settings))

    def _require_port(self, port: str) -> None:
        if port not in self.ports:
            raise ValueError(f'no port "{port}" (ports of the circuit: {", ".join(self.ports)}). Name one of these.')

    def _changed(self, settings: Mapping[str, Mapping[str, Any]] | None) -> Mapping[str, Mapping[str, Any]]:
        """Settings to replace, by instance."""
        known = {of for name in self._netlist.instances for of in (name, name.partition("<")[0])}
        unknown = [name for name in settings or {} if name not in known]
        if unknown:
            raise ValueError(f'settings of "{unknown[0]}" (no such instance). Name one of the netlist.')
        return settings or {}

    def sdict(self, wavelength_m: Any, settings: Mapping[str, Mapping[str, Any]] | None = None) -> dict[tuple[str, str], Any]:
        """The same as sax has it: {(port in, port out): values}."""
        s = self(wavelength_m, settings)
        return {(a, b): s[..., i, j] for j, a in enumerate(self.ports) for i, b in enumerate(self.ports)}

    def __repr__(self) -> str:
        return f"<Circuit: {len(self._netlist.instances)} instances, ports {', '.join(self.ports)}>"


def _without_arrays(settings: Mapping[str, Any], prefix: str, arrays: dict[str, np.ndarray[Any, Any]]) -> dict[str, Any]:
    """Settings whose values are single, and in `arrays` those that are arrays of numbers, by their path."""
    single: dict[str, Any] = {}
    for name, value in settings.items():
        path = f"{prefix}{name}"
        if isinstance(value, Mapping):
            single[name] = _without_arrays(value, f"{path}.", arrays)
        elif np.ndim(value) == 0:
            single[name] = value
        elif np.ndim(value) == 1 and np.asarray(value).dtype.kind in "fiu":
            arrays[path] = np.asarray(value, float)
        else:
            raise ValueError(f"setting {path} has shape {np.shape(value)} (one number, or one axis with a number a draw). Give these.")
    return single


def _mapping_file(given: str | os.PathLike[str]) -> str:
    """Path of a mapping: that of a file, or of the shipped one of that name."""
    path = os.fspath(given)
    shipped = Path(__file__).parent / "share/optinc/mappings"
    if not os.path.exists(path) and os.path.basename(path) == path and (shipped / f"{path}.toml").exists():
        return str(shipped / f"{path}.toml")
    return path


class _Function:
    """A function as models of sax are, as the reader of netlists asks it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        try:
            parameters = inspect.signature(function).parameters.values()
        except ValueError:  # of a function that is compiled
            self._names = None
            return
        named = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
        self._names = None if any(p.kind is p.VAR_KEYWORD for p in parameters) else named

    def takes(self, setting: str) -> bool:
        """Whether it takes a setting of that name."""
        return setting != "wl" and (self._names is None or setting in self._names)

    def ports(self, settings: dict[str, Any]) -> list[str]:
        """Names of its ports with these settings."""
        return _in_pairs(self._called(np.array([1.55e-6]), settings))[0]

    def scattering(self, wavelengths_m: np.ndarray[Any, Any], settings: dict[str, Any]) -> np.ndarray[Any, Any]:
        """S (wavelengths, ports, ports) in the order of ports()."""
        names, values = _in_pairs(self._called(wavelengths_m, settings))
        s = np.zeros((len(wavelengths_m), len(names), len(names)), complex)
        for (a, b), field in values.items():
            s[:, b, a] = field
        return s

    def _called(self, wavelengths_m: np.ndarray[Any, Any], settings: dict[str, Any]) -> Any:
        wl = {"wl": wavelengths_m * 1e6} if self._names is None or "wl" in self._names else {}
        return self._function(**wl, **settings)


def _in_pairs(found: Any) -> tuple[list[str], dict[tuple[int, int], Any]]:
    """Names of ports and {(in, out): values}, from what a model of sax returns: a mapping, or (S, ports) or (out, in, values,
    ports) with ports {name: index}, S (.., out, in) and values (.., pairs)."""
    if isinstance(found, Mapping):
        names = list(dict.fromkeys(port for pair in found for port in pair))
        at = {name: i for i, name in enumerate(names)}
        return names, {(at[a], at[b]): np.asarray(field) for (a, b), field in found.items()}
    if not isinstance(found, Sequence) or len(found) not in (2, 4) or not isinstance(found[-1], Mapping):
        raise TypeError(f"a model returned {type(found).__name__} (known are {{(port, port): values}}, (S, ports) and (out, in, "
                        "values, ports) as in sax). Return one of these.")
    names = sorted(found[-1], key=found[-1].__getitem__)
    if len(found) == 2:
        s = np.asarray(found[0])
        return names, {(a, b): s[..., b, a] for a in range(len(names)) for b in range(len(names))}
    pairs: dict[tuple[int, int], Any] = {}
    for k, (b, a) in enumerate(zip(np.asarray(found[0]), np.asarray(found[1]))):
        pairs[int(a), int(b)] = pairs.get((int(a), int(b)), 0) + np.asarray(found[2])[..., k]  # the same pair adds up
    return names, pairs
