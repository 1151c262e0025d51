"""The parameters of tools: their JSON Schema, and a reading of what models really send.

Invariants: lenient about form (numbers and booleans as strings, lists as JSON or comma-separated text,
``null`` for "not given", ``topK`` or ``top-k`` for ``top_k``, the habitual synonyms of each parameter),
strict about meaning: an unknown parameter, a missing one, a value of another kind or the same parameter twice
is an ``InvalidRequestError`` with the nearest valid name, because a misspelt filter that is ignored searches
the wrong documents without a word. Pure; called on the event loop.
"""

from __future__ import annotations

import difflib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mdmemd.errors import InvalidRequestError

TRUE_WORDS = frozenset({"true", "yes", "on", "1"})
FALSE_WORDS = frozenset({"false", "no", "off", "0", ""})


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter(ABC):
    """One parameter of a tool. ``synonyms`` are other names that models use for it, written like ``name``.

    ``may_be_empty``: giving a required one without content counts as giving it.
    """

    name: str
    description: str = ""
    required: bool = False
    synonyms: tuple[str, ...] = ()
    may_be_empty: bool = False

    @property
    @abstractmethod
    def default(self) -> Any:
        """The value where the parameter is not given."""

    @abstractmethod
    def type_schema(self) -> dict[str, Any]:
        """The part of the JSON Schema that depends on the kind of parameter."""

    @abstractmethod
    def read(self, value: Any) -> Any:
        """The value that was meant, or ``InvalidRequestError``; ``value`` is parsed JSON, never ``None``."""

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of this parameter."""
        described = {"description": self.description} if self.description else {}
        return self.type_schema() | described

    def refusal(self, value: Any, *, expected: str) -> InvalidRequestError:
        """The error for a value of another kind."""
        shown = json.dumps(value, ensure_ascii=False)
        shown = shown if len(shown) <= 60 else shown[:59] + "…"
        return InvalidRequestError(
            f"'{self.name}' must be {expected}, not {shown}.", remedy="Correct it and call again."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Parameter):
    """A string of bounded length. A list of strings is joined with ``joiner`` where there is one."""

    joiner: str | None = None
    characters_max: int = 4096

    @property
    def default(self) -> str:
        """Not given: the empty string."""
        return ""

    def type_schema(self) -> dict[str, Any]:
        """A string."""
        return {"type": "string"}

    def read(self, value: Any) -> str:
        """Strings as they are; a number is the text that somebody meant to write (an error code, a year)."""
        if isinstance(value, str):
            return self._bounded(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, list) and (len(value) == 1 or self.joiner is not None):
            return self._bounded((self.joiner or "").join(self.read(item) for item in value))
        raise self.refusal(value, expected="a string")

    def _bounded(self, text: str) -> str:
        if len(text) <= self.characters_max:
            return text
        raise InvalidRequestError(
            f"'{self.name}' has {len(text)} characters; {self.characters_max} are allowed.",
            remedy="Give the part that matters.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeNumber(Parameter):
    """A whole number; a value outside of ``minimum`` to ``maximum`` is moved to the nearer end."""

    default_number: int | None = None
    minimum: int = 1
    maximum: int | None = None

    @property
    def default(self) -> int | None:
        """As declared."""
        return self.default_number

    def type_schema(self) -> dict[str, Any]:
        """An integer with its bounds."""
        schema: dict[str, Any] = {"type": "integer", "minimum": self.minimum}
        if self.maximum is not None:
            schema["maximum"] = self.maximum
        if self.default_number is not None:
            schema["default"] = self.default_number
        return schema

    def read(self, value: Any) -> int | None:
        """``5``, ``5.0``, ``"5"`` and ``"5.0"`` are five; an empty string is "not given"."""
        if isinstance(value, str) and not value.strip():
            return self.default_number
        try:
            number = (
                float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None
            )
        except (ValueError, OverflowError):
            number = None
        if number is None or not number.is_integer():
            raise self.refusal(value, expected="a whole number")
        whole = max(self.minimum, int(number))
        return whole if self.maximum is None else min(self.maximum, whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag(Parameter):
    """Yes or no; not given is no."""

    @property
    def default(self) -> bool:
        """Not given: no."""
        return False

    def type_schema(self) -> dict[str, Any]:
        """A boolean."""
        return {"type": "boolean", "default": False}

    def read(self, value: Any) -> bool:
        """Booleans, the numbers 0 and 1, and the usual words for them."""
        word = str(value).strip().casefold() if isinstance(value, str | bool | int) else ""
        if isinstance(value, str | bool | int) and word in TRUE_WORDS | FALSE_WORDS:
            return word in TRUE_WORDS
        raise self.refusal(value, expected="true or false")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Parameter):
    """One word of a fixed list; the first is the default."""

    choices: tuple[str, ...]

    @property
    def default(self) -> str:
        """The first choice."""
        return self.choices[0]

    def type_schema(self) -> dict[str, Any]:
        """The list of choices."""
        return {"type": "string", "enum": list(self.choices), "default": self.choices[0]}

    def read(self, value: Any) -> str:
        """The choice in any case; an empty string is "not given"."""
        word = value.strip().casefold() if isinstance(value, str) else None
        if word == "":
            return self.default
        if word in self.choices:
            return word
        raise self.refusal(value, expected="one of " + ", ".join(self.choices))


@dataclass(frozen=True, slots=True, kw_only=True)
class Names(Parameter):
    """Any number of names: one string, comma-separated text, a list, or a list as JSON text.

    ``what`` one of them is called when something else was given.
    """

    what: str = "name"

    @property
    def default(self) -> tuple[str, ...]:
        """Not given: no names."""
        return ()

    def type_schema(self) -> dict[str, Any]:
        """A string, because that is what one looks like; lists are taken too."""
        return {"type": "string"}

    def read(self, value: Any) -> tuple[str, ...]:
        """They without surrounding space, without empty and repeated ones, in the order given."""
        items = self._listed(value) if isinstance(value, str) else value
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise self.refusal(value, expected=f"a {self.what} or a list of {self.what}s")
        stripped = (item.strip() for item in items)
        return tuple(dict.fromkeys(name for name in stripped if name))

    def _listed(self, text: str) -> Any:
        if text.lstrip().startswith("["):
            try:
                return json.loads(text)
            except ValueError:
                return [text]
        return self.pieces(text)

    def pieces(self, text: str) -> list[str]:
        """The names in a text that is no JSON list."""
        return text.split(",")


def input_schema(parameters: tuple[Parameter, ...]) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments; synonyms are not advertised."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {item.name: item.schema() for item in parameters},
    }
    required = [item.name for item in parameters if item.required]
    return schema | ({"required": required} if required else {})


def read_arguments(
    tool: str, parameters: tuple[Parameter, ...], *, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """The value of every parameter of ``tool``, given or default; raises ``InvalidRequestError``."""
    names = {_folded(alias): item for item in parameters for alias in (*item.synonyms, item.name)}
    given: dict[str, Any] = {}
    for key, value in arguments.items():
        parameter = names.get(_folded(key))
        if parameter is None:
            raise _unknown(tool, key, names=names)
        if value is None:
            continue
        meant = parameter.read(value)
        if given.setdefault(parameter.name, meant) != meant:
            raise InvalidRequestError(
                f"'{parameter.name}' of {tool} is given twice with different values.", remedy="Give it once."
            )
    for parameter in parameters:
        is_given = parameter.name in given if parameter.may_be_empty else given.get(parameter.name)
        if parameter.required and not is_given:
            raise InvalidRequestError(f"{tool} needs '{parameter.name}'.", remedy=parameter.description)
    return {parameter.name: given.get(parameter.name, parameter.default) for parameter in parameters}


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()


def _unknown(tool: str, key: str, *, names: Mapping[str, Parameter]) -> InvalidRequestError:
    nearest = difflib.get_close_matches(_folded(key), names, n=1, cutoff=0.5)
    valid = tuple(dict.fromkeys(parameter.name for parameter in names.values()))
    remedy = f"Did you mean '{names[nearest[0]].name}'?" if nearest else "Use only the parameters listed."
    shown = json.dumps(key if len(key) <= 60 else key[:59] + "…", ensure_ascii=False)
    return InvalidRequestError(f"{tool} has no parameter {shown}.", remedy=remedy, candidates=valid)
