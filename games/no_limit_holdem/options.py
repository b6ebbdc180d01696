"""The options of no-limit Hold'em and their checks: each error is one line with the option, the
given value and the expected one.
"""

from dataclasses import dataclass

from games.base.settings import ConfigError, setting
from games.no_limit_holdem.state import MOST_CHIPS, MOST_SEATS, MOST_SIZES

LEAST, ALL_IN = 0.0, float("inf")
"""How ``Rules.sizes`` encodes the two sizes that are not multiples of the pot."""
MOST_POTS = 100.0


@dataclass(frozen=True)
class Options:
    """The players and the stakes; amounts are whole chips."""

    players: int = setting(2, least=2, most=MOST_SEATS, help="Number of players.")
    small_blind: int = setting(50, least=0, help="Chips.")
    big_blind: int = setting(100, least=1, help="Chips.")
    ante: int = setting(0, least=0, help="Chips that every seat posts before the deal.")
    stacks: int | list[int] = setting(
        10_000, help="Chips of every seat before the posts, or a list with those of each."
    )
    least_stack: int | None = setting(
        None,
        least=1,
        help="Stacks are random in each hand, from this up to stacks, evenly on a scale of "
        "logarithms.",
    )
    bet_sizes: list[int | float | str] = setting(
        default_factory=lambda: ["least", 0.5, 1, 2, "all-in"],
        help="What searches and networks may bet: least, all-in, and multiples of the pot after "
        "a call; any other amount can be "
        "played against them.",
    )

    def __post_init__(self) -> None:
        """Checks the options against each other. Raises ConfigError."""
        if self.small_blind > self.big_blind:
            raise ConfigError(
                f"game.small_blind={self.small_blind}: expected whole chips, 0 to the big blind "
                f"({self.big_blind})"
            )
        chips, post = self.chips(), self.big_blind + self.ante
        posts = f"the big blind and the ante ({post})"
        if len(chips) != self.players:
            raise ConfigError(
                f"game.stacks={self.stacks}: expected one number, or {self.players} of them, one "
                "for each player"
            )
        for count in chips:
            if not post <= count <= MOST_CHIPS:
                raise ConfigError(
                    f"game.stacks={count}: expected at least {posts} and at most {MOST_CHIPS}"
                )
        if self.least_stack is not None and not post <= self.least_stack <= min(chips):
            raise ConfigError(
                f"game.least_stack={self.least_stack}: expected {posts} to the smallest of "
                f"stacks ({min(chips)})"
            )
        sizes = self.sizes()
        if not 1 <= len(sizes) <= MOST_SIZES or len({size_text(size) for size in sizes}) < len(
            sizes
        ):
            raise ConfigError(f"game.bet_sizes={self.bet_sizes}: {_EXPECTED}")

    def chips(self) -> list[int]:
        """Returns the chips of each seat."""
        return self.stacks if isinstance(self.stacks, list) else [self.stacks] * self.players

    def sizes(self) -> list[float]:
        """Returns the sizes of ``Rules.sizes``, ascending. Raises ConfigError."""
        return sorted(map(_size, self.bet_sizes))


_EXPECTED = (
    f"expected 1 to {MOST_SIZES} different sizes: least, all-in, multiples of the pot (above 0, "
    f"up to {MOST_POTS:g})"
)


def _size(given: float | str) -> float:
    word = str(given).strip().lower().replace("_", "-")
    if word in ("least", "all-in"):
        return LEAST if word == "least" else ALL_IN
    try:
        size = float(word)
    except ValueError:
        size = -1.0
    if not 0 < size <= MOST_POTS:
        raise ConfigError(f"game.bet_sizes={given}: {_EXPECTED}")
    return size


def size_text(size: float) -> str:
    """Returns the text of a size: ``least``, ``0.5 pot``, ``all-in``."""
    return "least" if size == LEAST else "all-in" if size == ALL_IN else f"{size:g} pot"
