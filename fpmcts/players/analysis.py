"""Says what to play in a position: ``fpmcts analyse GAME FIELD=… [key=value …]``.

  fpmcts analyse doudizhu hand=334466689TJQQKK2B bottom=77T moves=3
  fpmcts analyse doudizhu hand=… bottom=… moves='3 4 pass 5' playouts=2000
  fpmcts analyse leduc hand=Qh public=Js moves='call call raise' player=tabular

A position is what the player to move knows, by the fields of ``Table.describe``: in Doudizhu hand
(the cards held now), bottom and moves (all since the landlord's first, ``pass`` included); in poker
hand, public and moves. In Doudizhu without an auction the moves can be left out, as on a screen:

  fpmcts analyse doudizhu hand=3445688TJQKK2 played=33,7799,TT to_beat=TT to_beat_seat=2

played is what each seat has played, the landlord first; to_beat (absent: you lead) and its seat;
role where the number of cards does not tell it; bottom and bombs if known.

player=NAME chooses the player, by default fpmcts; checkpoint=FILE its weights. only='4 5' considers
these moves alone (moves= in Python); json=true prints a line of JSON, by the names of Decision.
notation=rlcard (or douzero): cards are written as there (RLCard's B is the little joker); the
answer is in our notation.
Other keys are options of the game (game.KEY=VALUE) or of the player: fpmcts evaluate --help fpmcts
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import yaml

from fpmcts.command import ending as usual_ending
from fpmcts.configuration import pairs
from games import make
from games.base.help import error_text, say
from games.base.settings import ConfigError

if TYPE_CHECKING:
    from fpmcts.players.given import GameLike, PlayerLike
    from games.play.decision import Decision, HiddenCards
    from games.play.interface import Game


def analyse(
    game: "GameLike",
    position: Mapping[str, Any] | None = None,
    player: "PlayerLike" = "fpmcts",
    moves: str | Iterable[str | int] | None = None,
    **options: Any,
) -> "Decision":
    """Returns a player's decision in a position, with the value of each considered move and its
    beliefs about the hidden hands.

    Args:
        game: The game, or its name.
        position: The knowledge of the seat to move, by the fields of ``Table.describe``: in
            Doudizhu ``{"hand": "3444QK2", "bottom": "77T", "moves": [...]}``. See
            ``games.play.position.table_at``. In Doudizhu without an auction it can do without
            moves: ``{"hand": "3445688TJQKK2", "played": ["33", "7799", "TT"], "to_beat": "TT",
            "to_beat_seat": 2}``. The hidden cards are then guessed from the cards played alone, and
            the decision says so (``knows_moves``).
        player: A player, its name, a ``Run`` or a function, as for ``match``.
        moves: The only moves to consider, as for ``Player.decide``, or a text of them; None: all.
        options: Fields of the position (but ``moves``); ``notation``, "douzero" or "rlcard" if
            cards are written as there (the decision is in ours); and for a name the options of
            ``load_player``: ``playouts=2000``.

    Raises:
        ValueError: The position contradicts itself or the rules, or is incomplete; a move in
            ``moves`` is not legal; or an option is unknown.
    """
    from fpmcts.players.given import player_of
    from games.play.position import split_moves, table_at

    chosen = make(game)
    known = dict(position or {})
    for key in fields_of(chosen, options):
        known[key] = options.pop(key)
    if (notation := options.pop("notation", None)) is not None:
        known = chosen.translated(known, str(notation))
        moves = chosen.translated({"moves": moves}, str(notation))["moves"]
    table = table_at(chosen, known)
    only = split_moves(chosen, moves) if isinstance(moves, str) else moves
    return player_of(chosen, player, **options).decide(table, moves=only)


def fields_of(game: "Game", names: Iterable[str]) -> list[str]:
    """Returns those of the names that are fields of a position."""
    from games.play.table import Table

    fields = Table(game, seed=0).describe()
    return [name for name in names if name in fields]


def report(decision: "Decision") -> str:
    """Returns a decision as text for people: moves, values, hidden hands."""
    return "\n".join([decision.text(), *_hidden(decision.hidden, decision.knows_moves)])


def _hidden(hidden: "HiddenCards | None", knows_moves: bool) -> Iterator[str]:
    """Yields the lines about the hidden hands: the expected number of each kind of card."""
    if hidden is None:
        return
    source = "the deal and the cards played"
    if not hidden.prior_only:
        source = "the deal and the moves" if knows_moves else "the network and the cards played"
    if hidden.effective_samples is not None:
        source += f", {hidden.effective_samples:.0f} effective samples"
    yield f"\nexpected cards in the hidden hands, by {source}"
    yield f"{'':8}" + "".join(f"{f'seat {seat}':>8}" for seat in hidden.seats)
    for k, kind in enumerate(hidden.kinds):
        held = [
            sum(count * share for count, share in enumerate(seat[k]))
            for seat in hidden.probabilities
        ]
        if any(number >= 0.005 for number in held):
            yield f"{kind:8}" + "".join(f"{number:8.2f}" for number in held)


def parse(words: Sequence[str]) -> tuple["Game", dict[str, Any], dict[str, Any]]:
    """Returns the game, the position and the other keys of a command line. Raises ConfigError."""
    texts = dict(pairs(list(words[1:])))
    options = {key: texts.pop(key) for key in [*texts] if key.startswith("game.")}
    given = {key.removeprefix("game."): _value(key, text) for key, text in options.items()}
    game = make(words[0], **given)
    fields = fields_of(game, texts)
    # A hand of Doudizhu such as 334466 is not a number.
    position = {
        key: _value(key, text) if (text := texts.pop(key)).startswith("[") else text
        for key in fields
    }
    only = texts.pop("only", None)
    values = {key: text if key == "player" else _value(key, text) for key, text in texts.items()}
    return game, position, values if only is None else {**values, "moves": only.strip("[]")}


def _value(key: str, text: str) -> Any:
    """Returns the value of a text in YAML. Raises ConfigError."""
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"{key}={text}: expected YAML, such as [call,raise]") from error


def main(arguments: Sequence[str], command: str = "fpmcts analyse") -> int:
    """Runs a command line; returns the exit status."""
    if not arguments or arguments[0] in ("-h", "--help"):
        say((__doc__ or "").replace("fpmcts analyse", command))
        return 0
    game, position, options = parse(arguments)
    as_json = options.pop("json", False)
    if not isinstance(as_json, bool):
        raise ConfigError(f"json={as_json}: expected true or false")
    decision = analyse(game, position, options.pop("player", "fpmcts"), **options)
    say(json.dumps(asdict(decision)) if as_json else report(decision))
    return 0


def ending(error: Exception) -> str:
    """Returns the line for an error; raises errors without one."""
    from fpmcts.adapters.players.foreign import ExternalPlayerError

    is_input = isinstance(error, ValueError | ExternalPlayerError)
    return error_text(error) if is_input else usual_ending(error)
