"""RLCard's Doudizhu as a referee of ours: a game is played in both, and both are compared after
every move::

    referee = Referee(make("doudizhu"))
    referee.judge(Table(referee.game, seed=7), lambda table: player.decide(table).move)

The comparison covers the seat to move, the legal moves, the state that RLCard shows this seat, the
end and the winners. Known differences are listed in ``KNOWN`` and counted; any other raises
``Disagreement``. Needs RLCard (the extra ``interop``).
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

from fpmcts.adapters.rlcard_states import card_letters, doudizhu, package
from games.play.interface import Game
from games.play.table import Table

JOKERS, POINTS = "both jokers as kickers", "points doubled by bombs"
KNOWN = {
    JOKERS: "rules=douzero only, 1,475 moves: RLCard lets a plane or a four take one joker, "
    "never both",
    POINTS: "RLCard pays every winner 1 and every loser 0; here 1 is won and 1 lost, doubled by "
    "each bomb and by the rocket",
}
"""The known differences, with the rule behind each."""


class Disagreement(ValueError):  # noqa: N818 (the name says it)
    """The two games disagree; the message holds the position."""


class _Stacked:
    """Replaces RLCard's random generator and shuffles to a given order.

    Args:
        cards: Letters of the cards, in order.
    """

    def __init__(self, cards: str) -> None:
        self._cards = cards

    def shuffle(self, deck: list[Any]) -> None:
        left = defaultdict(list)
        for card in deck:
            left[card.rank or card.suit[0]].append(card)
        deck[:] = [left[letter].pop() for letter in self._cards]


class Referee:
    """Plays RLCard's game in parallel with ours.

    Args:
        game: Doudizhu, with either rule set.

    Attributes:
        game: The game.
        plies: Moves that were compared.
        games: Games that were played to their end in both.
        differences: How often each difference in ``KNOWN`` occurred.
    """

    def __init__(self, game: Game) -> None:
        self.game, self.plies, self.games, self.differences = game, 0, 0, Counter[str]()
        self._theirs = package().make("doudizhu").game

    def judge(self, table: Table, choose: Callable[[Table], str]) -> bool:
        """Plays a game in both and compares them.

        Args:
            table: A table before the first move; it is played to its end.
            choose: Returns the move to play.

        Returns:
            Whether the game was finished; it is not if a move is unknown to RLCard.

        Raises:
            Disagreement: There is an unknown difference.
        """
        state = self._begin(table)
        while not table.is_over:
            names = self._compare(table, state)
            move = table.play(choose(table))
            if card_letters(move.text) not in names:
                return False
            state, _ = self._theirs.step(card_letters(move.text))
        self._finish(table)
        return True

    def _begin(self, table: Table) -> dict[str, Any]:
        """Deals the same cards in RLCard's game and returns what it shows the landlord."""
        views = [table.describe(seat) for seat in range(3)]
        bottom, hands = (
            card_letters(views[0]["bottom"]),
            [card_letters(view["hand"]) for view in views],
        )
        for card in bottom:
            hands[0] = hands[0].replace(card, "", 1)
        self._theirs.np_random = _Stacked("".join(hands) + bottom)
        state: dict[str, Any] = self._theirs.init_game()[0]
        return state

    def _compare(self, table: Table, state: dict[str, Any]) -> list[str]:
        """Compares the position; returns RLCard's legal moves."""
        shown = doudizhu(table.describe())
        ours = {card_letters(move.text) for move in table.legal()}
        theirs: list[str] = state["actions"]
        lacking = {name for name in ours - set(theirs) if "BR" in name and name != "BR"}
        self.differences[JOKERS] += len(lacking)
        self._same(table, "the legal moves", ours - lacking, set(theirs))
        if table.describe()["to_beat"] is not None:
            self._same(table, "the order of the moves", list(shown.moves), theirs)
        for field in shown.raw.keys() - {"actions"}:
            self._same(table, field, shown.raw[field], state[field])
        self.plies += 1
        return theirs

    def _finish(self, table: Table) -> None:
        theirs = self._theirs.judger.judge_payoffs(
            self._theirs.round.landlord_id, self._theirs.winner_id
        )
        returns = table.returns or ()
        self._same(table, "the winners", [int(points > 0) for points in returns], theirs.tolist())
        self.differences[POINTS] += abs(returns[0]) > 1
        self.games += 1

    def _same(self, table: Table, what: str, ours: object, theirs: object) -> None:
        if ours != theirs:
            raise Disagreement(
                f"{what}: here {ours}, in RLCard {theirs}; the game: {table.record()}"
            )
