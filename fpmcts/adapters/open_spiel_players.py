"""This project's players in OpenSpiel: bots, and policies for its metrics::

    from fpmcts.adapters.open_spiel_players import Bot, Policy

    evaluate_bots.evaluate_bots(state, [Bot(load_player("fpmcts", ours)), other], generator)
    exploitability.nash_conv(game, Policy(game, load_player("tabular", ours)))

They play the games of ``open_spiel_games.load_game`` and those games of OpenSpiel that agree with
ours on every history (``OWN_GAMES``). ``OpenSpielLine`` is the converse: a game of ours as a state
of OpenSpiel.
"""

from typing import Any

import numpy as np
import pyspiel
from open_spiel.python import policy

from games import make
from games.kernels.rows import States
from games.play.agent import Agent
from games.play.table import Table

OWN_GAMES = {"kuhn": "kuhn_poker", "leduc": "leduc_poker"}
"""OpenSpiel's names of identical games, by our names. Cards have the same numbers."""
_OURS = {own: name for name, own in OWN_GAMES.items()}


def offset(state: pyspiel.State) -> int:
    """Returns the offset that turns OpenSpiel's action in a state into ours.

    It is 0 except in OpenSpiel's Kuhn, where 0 is pass and 1 is bet: before a bet these are our
    call and raise, after a bet our fold and call.
    """
    return int(
        state.get_game().get_type().short_name == OWN_GAMES["kuhn"] and 1 not in state.history()[2:]
    )


def table_of(state: pyspiel.State) -> Table:
    """Returns a table at a state: its own, or for OpenSpiel's games one whose future cards are in
    any order.

    Raises:
        ValueError: The game is neither from ``load_game`` nor one of ``OWN_GAMES``, or its cards
            have not been dealt.
    """
    table = getattr(state, "table", None)
    if table is not None:
        return table  # type: ignore[no-any-return]
    name = state.get_game().get_type().short_name
    if name not in _OURS:
        raise ValueError(
            f"a game {name!r}: expected one of open_spiel_games.load_game, or one of "
            f"{', '.join(_OURS)}"
        )
    if state.is_chance_node():
        raise ValueError("chance is to move; expected a state in which a seat moves")
    game: Any = make(_OURS[name])
    played = [
        (step.player == pyspiel.PlayerId.CHANCE, step.action) for step in state.full_history()
    ]
    cards = [action for is_chance, action in played if is_chance]
    size = game.empty(1).cards.shape[1]
    cards += [card for card in range(game.rules.num_cards) if card not in cards][
        : size - len(cards)
    ]
    table = Table(game, deal=game.start(np.array([cards])))
    replayed = state.get_game().new_initial_state()
    for is_chance, action in played:
        if not is_chance:
            table.play(int(action) + offset(replayed))
        replayed.apply_action(action)
    return table


class Bot(pyspiel.Bot):  # type: ignore[misc]
    """A player of this project (``fpmcts.players.load_player``) as a bot; it sees its seat's
    view.
    """

    def __init__(self, player: Agent) -> None:
        super().__init__()
        self._player = player

    def step(self, state: pyspiel.State) -> int:
        """Returns the player's move."""
        return int(self._player.decide(table_of(state)).action) - offset(state)

    def restart_at(self, state: pyspiel.State) -> None:
        """Does nothing: a decision depends only on what the seat has seen."""


class Policy(policy.Policy):  # type: ignore[misc]
    """The policy of one of this project's players that states its probabilities
    (``games.play.agent.OpenPolicy``).

    Args:
        game: A ``pyspiel.Game`` that the bots can play.
        player: The player.

    Raises:
        ValueError: The player does not state its probabilities.
    """

    def __init__(self, game: pyspiel.Game, player: Agent) -> None:
        super().__init__(game, list(range(game.num_players())))
        probabilities = getattr(player, "probabilities", None)
        if probabilities is None:
            raise ValueError(
                f"{player.name} does not state its probabilities: it can be a bot, not a policy"
            )
        self._probabilities = probabilities

    def action_probabilities(
        self, state: pyspiel.State, player_id: int | None = None
    ) -> dict[int, float]:
        """Returns the probability of each legal action of the seat to move."""
        seat = state.current_player() if player_id is None else player_id
        stated = self._probabilities(table_of(state).view(seat))[0]
        return dict(zip(state.legal_actions(), stated.tolist(), strict=False))


class OpenSpielLine:
    """One of our games, played in OpenSpiel.

    Args:
        game: A ``pyspiel.Game`` of ``load_game``, or OpenSpiel's own.
        deal: One row.

    Attributes:
        state: The current state.

    Raises:
        ValueError: The deal is not one of the listed deals.
    """

    def __init__(self, game: pyspiel.Game, deal: States) -> None:
        self.state, self._cards = game.new_initial_state(), list[int]()
        if game.get_type().short_name in _OURS:
            self._cards = deal.cards[0].tolist()[::-1]
        elif self.state.is_chance_node():
            same = [
                (own.reshape(len(own), -1) == given.reshape(1, -1)).all(1)
                for own, given in zip(game.deals, deal, strict=True)
            ]
            found = np.flatnonzero(np.logical_and.reduce(same))
            if not found.size:
                raise ValueError("the deal is not one of the listed deals")
            self._cards = [int(found[0])]
        self._deal()

    def _deal(self) -> None:
        while self.state.is_chance_node():
            self.state.apply_action(self._cards.pop())

    def action(self, move: int) -> int:
        """Returns the action in OpenSpiel of a move of ours."""
        return move - offset(self.state)

    def move(self, action: int) -> int:
        """Returns our move of an action in OpenSpiel."""
        return action + offset(self.state)

    def play(self, action: int) -> None:
        """Plays an action of OpenSpiel."""
        self.state.apply_action(action)
        self._deal()
