"""The luck in each result, from the cards and the players' own random choices, in games with a
passive move.

For every event with known probabilities, a *correction* is the change that the event made to a
baseline value computed for each of its outcomes, minus the mean change. A correction has mean 0 for
any baseline, so results minus corrections are unbiased; the better the baseline predicts results,
the more variance this removes. Events are the deal, public cards, and the moves of players that
state their policies.

The baseline is the payoff if everybody only checked and called from there on: the mean over the
public cards still to come, all hands being known. Before the deal it is 0 by symmetry.

The weight of each kind of correction is fitted on *other* decks than those it is applied to
(``controlled``), so this adds no bias.

Source: Burch, Schmid, Moravcik, Morrill & Bowling, "AIVAT: a new variance reduction technique for
agent evaluation in imperfect information games", AAAI 2018. There the baseline comes from a
solver's counterfactual values, and every correction has weight 1.
"""

from collections.abc import Sequence

import numpy as np

from fpmcts.evaluation.match import PlayedGames
from games.kernels import Stream, kernel, streams
from games.kernels.generic import (
    copy_row,
    current_seat,
    deal_rest,
    fill_world,
    hidden_of,
    legal,
    public_cards,
    step,
    team_return,
)
from games.kernels.rows import Rules, States, take
from games.play.agent import Agent
from games.play.interface import Game, seats_to_move

REDEALS = 400
"""Completions of the remaining cards sampled for each baseline value."""
CHANCES = 4
"""Kinds of corrections for cards: the deal, and the first, the second, and all later deals of
public cards.
"""
FOLDS = 10
FEWEST = 50
"""Minimum decks for fitting corrections; with fewer, they count in full."""


@kernel
def _replay(
    rules: Rules,
    deals: States,
    moves: np.ndarray,
    lengths: np.ndarray,
    first: np.ndarray,
    positions: States,
) -> None:
    """Writes the states of all games before each move and at the end to ``positions``; those of
    game g start at ``first[g]``.
    """
    for g in range(lengths.size):
        copy_row(rules, deals, g, positions, first[g])
        for k in range(lengths[g]):
            at = first[g] + k
            copy_row(rules, positions, at, positions, at + 1)
            step(rules, positions, at + 1, moves[g, k])


@kernel
def _redeal(
    rules: Rules,
    states: States,
    views: States,
    at: int,
    hidden: np.ndarray,
    worlds: States,
    rng: np.ndarray,
) -> None:
    """Writes state ``at`` to every row of ``worlds``, with the cards still to come redealt.

    Args:
        views: Views of seat 0.
        hidden: uint64 ``[W]``, scratch.
        rng: uint64 ``[1]``, changed.
    """
    hidden_of(rules, states, at, 0, hidden)
    fill_world(rules, views, at, 0, hidden, worlds, 0)
    for k in range(1, worlds[0].shape[0]):
        copy_row(rules, worlds, 0, worlds, k)
    deal_rest(rules, worlds, 0, worlds[0].shape[0], rng, 0)


@kernel
def _worth(
    rules: Rules, worlds: States, action: int, passive: int, lane: States, out: np.ndarray
) -> None:
    """Writes each seat's mean winnings after an action (-1: none) followed by passive moves only,
    to ``out`` ``[S]``.
    """
    count = worlds[0].shape[0]
    out[:] = 0.0
    for k in range(count):
        copy_row(rules, worlds, k, lane, 0)
        if action >= 0:
            step(rules, lane, 0, action)
        while current_seat(rules, lane, 0) >= 0:
            step(rules, lane, 0, passive)
        for seat in range(out.size):
            out[seat] += team_return(rules, lane, 0, seat)
    out /= count


@kernel
def _corrections(
    rules: Rules,
    positions: States,
    views: States,
    first: np.ndarray,
    lengths: np.ndarray,
    moves: np.ndarray,
    mover: np.ndarray,
    policies: np.ndarray,
    passive: int,
    words: int,
    seeds: np.ndarray,
    worlds: States,
    lane: States,
    out: np.ndarray,
) -> None:
    """Adds the corrections of every game to ``out`` (float64 ``[G, S, CHANCES + players]``).

    Args:
        positions: All states, see ``_replay``.
        views: Views of seat 0.
        mover: int64 ``[P]``, the player to move, as an index.
        policies: float64 ``[P, A]``, its probabilities of the legal actions; 0: unknown.
        seeds: uint64 ``[G]``.
        worlds: Scratch states, one per redeal.
        lane: One scratch state.
    """
    seats = out.shape[1]
    hidden, rng = np.empty(words, np.uint64), np.empty(1, np.uint64)
    actions = np.empty(policies.shape[1], np.int16)
    played, other, mean = np.empty((3, seats))
    for g in range(lengths.size):
        rng[0] = seeds[g]
        event = 0
        for k in range(lengths[g]):
            at = first[g] + k
            dealt = public_cards(rules, positions, at + 1) > public_cards(rules, positions, at)
            known = policies[at].sum() > 0.0
            if k > 0 and not dealt and not known:
                continue
            _redeal(rules, positions, views, at, hidden, worlds, rng)
            if k == 0:
                _worth(rules, worlds, -1, passive, lane, played)
                out[g, :, 0] += played
            if not dealt and not known:
                continue
            _worth(rules, worlds, moves[g, k], passive, lane, played)
            if known:
                total = 0.0
                mean[:] = 0.0
                for slot in range(legal(rules, positions, at, actions)):
                    chance = policies[at, slot]
                    if chance > 0.0:
                        _worth(rules, worlds, actions[slot], passive, lane, other)
                        mean += chance * other
                        total += chance
                out[g, :, CHANCES + mover[at]] += played - mean / total
            if dealt:
                event = min(event + 1, CHANCES - 1)
                if current_seat(rules, positions, at + 1) < 0:
                    for seat in range(seats):
                        other[seat] = team_return(rules, positions, at + 1, seat)
                else:
                    _redeal(rules, positions, views, at + 1, hidden, worlds, rng)
                    _worth(rules, worlds, -1, passive, lane, other)
                out[g, :, event] += other - played


def corrections(
    game: Game, agents: Sequence[Agent], games: PlayedGames, deals: States, seed: int
) -> np.ndarray:
    """Returns the corrections of games: float64 ``[G, S, CHANCES + players]``, in the game's unit,
    each of mean 0.

    Args:
        game: A game with a passive move (``Game.passive``), without teams, whose deals favour no
            hand.
        agents: The players; for those that state probabilities (``games.play.agent.OpenPolicy``),
            the luck of their own choices is corrected, too.
        games: Games of these players.
        deals: ``[G]``.
        seed: Seed of the redeals.
    """
    assert game.passive is not None
    spec, lengths = game.spec, games.records.lengths.astype(np.int64)
    first = np.concatenate([[0], np.cumsum(lengths + 1)[:-1]])
    positions = game.empty(int((lengths + 1).sum()))
    _replay(game.rules, deals, games.records.moves, lengths, first, positions)
    seats = seats_to_move(game, positions)
    of_game = np.repeat(np.arange(len(lengths)), lengths + 1)
    mover = np.where(seats >= 0, games.seating[of_game, np.maximum(seats, 0)], -1).astype(np.int64)
    policies = np.zeros((len(seats), spec.max_legal))
    for k, agent in enumerate(agents):
        probabilities = getattr(agent, "probabilities", None)
        if probabilities is not None and len(asked := np.flatnonzero(mover == k)):
            stated = probabilities(game.view(take(positions, asked), seats[asked]))
            policies[asked, : stated.shape[1]] = stated
    views = game.view(positions, np.zeros(len(seats), np.int64))
    out = np.zeros((len(lengths), spec.num_seats, CHANCES + len(agents)))
    _corrections(
        game.rules,
        positions,
        views,
        first,
        lengths,
        games.records.moves,
        mover,
        policies,
        game.passive,
        spec.hidden_words,
        streams(seed, len(lengths), Stream.LUCK),
        game.empty(REDEALS),
        game.empty(1),
        out,
    )
    return out


def controlled(scores: np.ndarray, luck: np.ndarray) -> np.ndarray:
    """Returns the scores of decks (float64 ``[D]``) minus weighted corrections (``[D, K]``); the
    expectation is unchanged.

    The weights of the corrections are fitted by least squares on nine tenths of the decks and
    applied to the rest, ten times; with few decks they are 1.
    """
    if len(scores) < FEWEST:
        return scores - luck.sum(axis=1)
    result, fold = np.empty(len(scores)), np.arange(len(scores)) % FOLDS
    for k in range(FOLDS):
        fitted = fold != k
        design = np.column_stack([np.ones(int(fitted.sum())), luck[fitted]])
        weights = np.linalg.lstsq(design, scores[fitted], rcond=1e-9)[0][1:]
        result[~fitted] = scores[~fitted] - luck[~fitted] @ weights
    return result
