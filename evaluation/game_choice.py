"""Stands in for ``games.choice`` until it is there."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from games import GAMES, _maker, make
from games.interface import Game
from runtime.settings import ConfigError, did_you_mean


@dataclass(frozen=True)
class Choice:
    name: str
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.name == "doudizhu":
            object.__setattr__(self, "options", {"rules": "standard", **self.options})

    @classmethod
    def parse(cls, fields: Mapping[str, Any]) -> Self:
        return cls(str(fields["name"]), {key: value for key, value in fields.items() if key != "name"})

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.name, **self.options}

    def make(self) -> Game:
        try:
            return make(self.name, **self.options)
        except ValueError as error:
            raise ConfigError(f"game={self.name}: {error}{did_you_mean(self.name, GAMES)}") from error


def option_names(name: str) -> list[str]:
    try:
        return list(inspect.signature(_maker(name)).parameters)
    except ValueError as error:
        raise ConfigError(str(error)) from error


def games_with(option: str) -> list[str]:
    return [name for name in GAMES if option in option_names(name)]


def help_text(topic: str = "") -> str:
    return ""
