"""Circuits of devices from netlists: scattering matrices with reflections, over wavelength."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Union

import numpy as np

from ._core import CircuitSolver, circuit_models, direct_readings, model_emission, model_ports, model_scattering

Model = Union[str, Callable[..., Mapping[tuple[str, str], Any]]]
"""A model of circuit_models() by its name, or a function of wavelength and settings as sax has them: of `wl` in um, it
returns {(port, port): values}."""


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
    "a,in0"). A mapping of several netlists is a hierarchy: the first is the circuit, the others are components.

    A component is a model of circuit_models(), unless `models` has another for it: the name of one, or a function
    f(wl=.., **settings) as models of sax are (wl in um), which returns {(port, port): values}.

        circuit = optinc.Circuit({"instances": {"bus": "coupler", "turn": "waveguide"},
                                  "connections": {"bus,out1": "turn,in0", "turn,out0": "bus,in1"},
                                  "ports": {"in": "bus,in0", "out": "bus,out0"}})
        circuit(np.linspace(1.54e-6, 1.56e-6, 1000))[:, 1, 0]

    Ports that face nothing are errors unless `absorb_unconnected`. Raises ValueError, naming instance and port, for a netlist
    that is none, ImportError for a YAML file without PyYAML.
    """

    def __init__(self, netlist: Mapping[str, Any] | str | os.PathLike[str], models: Mapping[str, Model] | None = None,
                 absorb_unconnected: bool = False) -> None:
        top, others = _top(netlist if isinstance(netlist, Mapping) else _read(Path(netlist)))
        self._elements = [_element(str(name), given, dict(models or {}), others, absorb_unconnected)
                          for name, given in _part(top, "instances").items()]
        pairs = [(_port(a), _port(b)) for a, b in _part(top, "connections").items()]
        pairs += [(_port(net["p1"]), _port(net["p2"])) for net in top.get("nets") or []]
        ports = {str(name): _port(inner) for name, inner in _part(top, "ports").items()}
        self.ports = tuple(ports)
        """Names of its ports, in the order of its matrices."""
        self._solver = CircuitSolver([(e.name, list(e.ports)) for e in self._elements], pairs, list(ports.items()), absorb_unconnected)
        self._emits = any(e.emits for e in self._elements)

    def __call__(self, wavelength_m: Any, settings: Mapping[str, Mapping[str, Any]] | None = None) -> np.ndarray[Any, Any]:
        """Scattering matrices, complex128 (.., ports, ports), at wavelengths of any shape [m].

        S[.., i, j]: field out of port i for a field of 1 into port j. `settings` replaces some of the netlist's, by
        instance. Raises ValueError for unknown names, values that a model refuses, a loop in resonance that loses no
        light, and one in which an amplifier makes up for the loss. Only the wavelengths asked for are checked: ask at the
        peak of every amplifier, too.
        """
        wavelengths = np.asarray(wavelength_m, float)
        at, changed = wavelengths.ravel(), self._changed(settings)
        found = self._solver.scattering([e.scattering(at, changed.get(e.name, {})) for e in self._elements])
        return found.reshape(*wavelengths.shape, len(self.ports), len(self.ports))

    def emission(self, wavelength_m: Any, settings: Mapping[str, Mapping[str, Any]] | None = None) -> np.ndarray[Any, Any]:
        """Correlations of the waves that its amplifiers send out of its ports [W/Hz], one polarisation: complex128
        (.., ports, ports), at wavelengths of any shape [m].

        C[.., i, i] is the power density of spontaneous emission out of port i. Functions of `models` emit nothing. Raises
        ValueError as a call does.
        """
        wavelengths = np.asarray(wavelength_m, float)
        at, changed = wavelengths.ravel(), self._changed(settings)
        of_instances = [e.scattering(at, changed.get(e.name, {})) for e in self._elements]
        found = self._solver.emission(of_instances, [e.emission(at, changed.get(e.name, {})) for e in self._elements])
        return found.reshape(*wavelengths.shape, len(self.ports), len(self.ports))

    def detect(self, wavelength_m: Any, port: str, power_w: float, receiver: Mapping[str, float] | None = None,
               settings: Mapping[str, Mapping[str, Any]] | None = None) -> Readings:
        """What direct receivers at all ports read where light of `power_w` [W] enters a port.

        `receiver` replaces some of direct_receiver_settings(). Emission counts as flat over the receiver's optical filter.
        Raises ValueError as a call does, and for an unknown port and impossible values.
        """
        if port not in self.ports:
            raise ValueError(f'no port "{port}" (ports of the circuit: {", ".join(self.ports)}). Name one of these.')
        wavelengths = np.asarray(wavelength_m, float)
        at = wavelengths.ravel()
        read = direct_readings(self(at, settings), self.emission(at, settings), self.ports.index(port), power_w, dict(receiver or {}))
        return Readings(*(values.reshape(*wavelengths.shape, len(self.ports)) for values in read))

    def _changed(self, settings: Mapping[str, Mapping[str, Any]] | None) -> dict[str, dict[str, Any]]:
        """Settings to replace, by instance."""
        unknown = [name for name in settings or {} if name not in {e.name for e in self._elements}]
        if unknown:
            raise ValueError(f'settings of "{unknown[0]}" (no such instance). Name one of the netlist.')
        return {name: dict(of) for name, of in (settings or {}).items()}

    def sdict(self, wavelength_m: Any, settings: Mapping[str, Mapping[str, Any]] | None = None) -> dict[tuple[str, str], Any]:
        """The same as sax has it: {(port in, port out): values}."""
        s = self(wavelength_m, settings)
        return {(a, b): s[..., i, j] for j, a in enumerate(self.ports) for i, b in enumerate(self.ports)}

    def __repr__(self) -> str:
        return f"<Circuit: {len(self._elements)} instances, ports {', '.join(self.ports)}>"


class _Element:
    """An instance: what it is made of, and its settings in the netlist."""

    def __init__(self, name: str, ports: Sequence[str], settings: dict[str, Any],
                 compute: Callable[[Any, dict[str, Any]], np.ndarray[Any, Any]],
                 emit: Callable[[Any, dict[str, Any]], np.ndarray[Any, Any] | None] | None) -> None:
        self.name, self.ports = name, ports
        self._settings, self._compute, self._emit = settings, compute, emit
        self.emits = emit is not None

    def scattering(self, wavelengths_m: Any, changed: dict[str, Any]) -> np.ndarray[Any, Any]:
        found = self._asked(self._compute, wavelengths_m, changed)
        assert found is not None
        return found

    def emission(self, wavelengths_m: Any, changed: dict[str, Any]) -> np.ndarray[Any, Any] | None:
        """Correlations of what it emits; None: nothing."""
        return self._asked(self._emit, wavelengths_m, changed) if self._emit else None

    def _asked(self, compute: Callable[[Any, dict[str, Any]], np.ndarray[Any, Any] | None], wavelengths_m: Any,
               changed: dict[str, Any]) -> np.ndarray[Any, Any] | None:
        try:
            return compute(wavelengths_m, _merged(self._settings, changed))
        except (ValueError, TypeError) as error:
            raise type(error)(f'instance "{self.name}": {error}') from error


def _merged(settings: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with some changed, at every level of a hierarchy."""
    merged = dict(settings)
    for name, value in changed.items():
        inner = merged.get(name)
        merged[name] = _merged(inner, value) if isinstance(inner, Mapping) and isinstance(value, Mapping) else value
    return merged


def _element(name: str, given: Any, models: dict[str, Model], others: dict[str, Any], absorb: bool) -> _Element:
    if isinstance(given, Mapping):
        component, settings = given.get("component"), dict(given.get("settings") or {})
    else:
        component, settings = given, {}
    if not isinstance(component, str):
        raise ValueError(f'instance "{name}" names no component (it is {component!r}). Give the name of a model.')
    if component in others:
        inner = Circuit({component: others[component], **{k: v for k, v in others.items() if k != component}}, models, absorb)
        return _Element(name, inner.ports, settings, inner, inner.emission if inner._emits else None)
    model = models.get(component, component)
    if callable(model):
        return _of_function(name, model, settings)
    known: str = model
    try:
        ports = model_ports(known)
    except ValueError as error:
        raise ValueError(f'instance "{name}": {error}') from error
    emits = model_emission(known, {}, np.array([1.55e-6])) is not None
    return _Element(name, ports, settings, lambda at, values: model_scattering(known, values, at),
                    (lambda at, values: model_emission(known, values, at)) if emits else None)


def _of_function(name: str, model: Callable[..., Mapping[tuple[str, str], Any]], settings: dict[str, Any]) -> _Element:
    ports = list(dict.fromkeys(port for pair in model(**settings) for port in pair))

    def compute(at: Any, values: dict[str, Any]) -> np.ndarray[Any, Any]:
        s = np.zeros((len(at), len(ports), len(ports)), complex)
        for (a, b), field in model(wl=at * 1e6, **values).items():
            s[:, ports.index(b), ports.index(a)] = np.asarray(field)
        return s

    return _Element(name, ports, settings, compute, None)


def _top(netlist: Mapping[str, Any]) -> tuple[Mapping[str, Any], dict[str, Any]]:
    """The circuit itself, and the netlists of its components."""
    if "instances" in netlist:
        return netlist, {}
    if not netlist:
        raise ValueError('a netlist without "instances" (name: component). Give some.')
    first, *rest = netlist
    return netlist[first], {name: netlist[name] for name in rest}


def _part(netlist: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = netlist.get(name) or {}
    if not isinstance(part, Mapping):
        raise ValueError(f'"{name}" of the netlist is a {type(part).__name__} (a mapping is needed). See optinc.Circuit.')
    return part


def _port(text: Any) -> tuple[str, str]:
    instance, comma, port = str(text).rpartition(",")
    if not comma:
        raise ValueError(f'"{text}" is not a port (a port is "INSTANCE,PORT"). Write, for example, "bus,in0".')
    return instance.strip(), port.strip()


def _read(path: Path) -> Mapping[str, Any]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        found = json.loads(text)
    else:
        try:
            import yaml  # type: ignore[import-untyped,unused-ignore]
        except ImportError as missing:
            raise ImportError(f"{path} is read by PyYAML. Run pip install pyyaml, or write it as JSON.") from missing
        found = yaml.safe_load(text)
    if not isinstance(found, Mapping):
        raise ValueError(f"{path} is not a netlist (a mapping is needed). See optinc.Circuit.")
    return found
