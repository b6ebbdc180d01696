"""Worlds for limit poker: the other players' hands listed, and weighed by the policies with which they bet.

    hands of the others ─▶ times the policy of each of their bets, move by move ─▶ posterior ─▶ worlds

All hands that the searching seat cannot rule out are equally likely at the deal, so the posterior is exact: it is in proportion
to the product of the policies. Where there are more hands than ``particles``, that many are drawn instead. The cards still to
come are dealt at random to each world. A lane draws from its own random stream alone. Source: DeltaDou, 4.3 (the posterior).
"""

from typing import NamedTuple

import numpy as np

from games.interface import Records, States, take
from games.kernels import kernel, random_below, random_float
from games.poker.game import LimitPoker
from games.poker.state import HIDDEN, Rules, current_seat, infoset_key, legal, observe, step
from inference.determinizer import Diagnostics, Evaluates, InferenceSettings, no_diagnostics
from inference.posterior import resample
from inference.replay import Decisions, make_decisions, score_decisions

_UNKNOWN = -1
_GOLDEN_RATIO = 0.6180339887498949


class Candidates(NamedTuple):
    """Hands of the others for S slots (lane * seats + seat), K each.

    Attributes:
        hands: int8 ``[S, K, H]``, the private cards of the other seats in the order of the seats.
        log_weight: float64 ``[S, K]``, log-likelihood (nats) of the moves so far; -inf = impossible, or no candidate.
        moves: int16 ``[S]``, moves that are accounted for; -1 = the slot has no candidates.
    """

    hands: np.ndarray
    log_weight: np.ndarray
    moves: np.ndarray


@kernel
def _unseen(rules: Rules, cards: np.ndarray, seat: int, unseen: np.ndarray) -> int:
    """Returns the number of cards that a seat does not see, and writes them, ascending, to ``unseen`` (int8).

    Args:
        cards: int8 ``[K]``, its view.
    """
    count, board = 0, rules.betting.paid.shape[1] * rules.num_private
    for card in range(rules.num_cards):
        seen = False
        for k in range(cards.size):
            seen = seen or (cards[k] == card and (k >= board or k // rules.num_private == seat))
        if not seen:
            unseen[count] = card
            count += 1
    return count


@kernel
def _list_hands(unseen: np.ndarray, count: int, num_private: int, hands: np.ndarray) -> int:
    """Returns the number of ways to deal hands of ``num_private`` unseen cards to the others, and lists them; -1 if too many.

    Args:
        unseen: int8, the first ``count`` of it. hands: int8 ``[K, H]``, written; cards of a hand ascend.
    """
    size = hands.shape[1]
    at = np.zeros(size, np.int64)  # indices into unseen
    total, depth = 0, 0
    at[0] = -1
    while depth >= 0:
        at[depth] += 1
        if at[depth] >= count:
            depth -= 1
            continue
        taken = False
        for k in range(depth):
            taken = taken or at[k] == at[depth]
        if taken:
            continue
        if depth + 1 < size:
            depth += 1
            at[depth] = at[depth - 1] if depth % num_private else -1
            continue
        if total == hands.shape[0]:
            return -1
        for k in range(size):
            hands[total, k] = unseen[at[k]]
        total += 1
    return total


@kernel
def _draw_hands(unseen: np.ndarray, count: int, rng: np.ndarray, lane: int, hands: np.ndarray) -> None:
    """Writes random hands of the others to every row of ``hands`` (int8 ``[K, H]``), all equally likely."""
    for j in range(hands.shape[0]):
        for k in range(hands.shape[1]):
            drawn = k + random_below(rng, lane, count - k)
            unseen[k], unseen[drawn] = unseen[drawn], unseen[k]
            hands[j, k] = unseen[k]


@kernel
def _prepare(
    rules: Rules, views: States, seats: np.ndarray, lanes: np.ndarray, slots: np.ndarray, rng: np.ndarray, candidates: Candidates
) -> None:
    """Lists or draws candidates for the slots that have none."""
    unseen = np.empty(rules.num_cards, np.int8)
    for i in range(slots.size):
        slot = slots[i]
        if candidates.moves[slot] >= 0:
            continue
        count = _unseen(rules, views.cards[i], seats[i], unseen)
        listed = _list_hands(unseen, count, rules.num_private, candidates.hands[slot])
        if listed < 0:
            _draw_hands(unseen, count, rng, lanes[i], candidates.hands[slot])
            listed = candidates.hands.shape[1]
        candidates.log_weight[slot] = -np.inf
        candidates.log_weight[slot, :listed] = 0.0
        candidates.moves[slot] = 0


@kernel
def _fill(rules: Rules, views: States, i: int, seat: int, hand: np.ndarray, row: States, j: int) -> bool:
    """Writes the view of a seat with a hand of the others to ``row``; returns False if the hand has a card of the table."""
    num_private, num_seats = rules.num_private, rules.betting.paid.shape[1]
    board = num_private * num_seats
    for k in range(views.cards.shape[1]):
        row.cards[j, k] = views.cards[i, k]
    at = 0
    for k in range(board):
        if k // num_private != seat:
            row.cards[j, k] = hand[at]
            for public in range(board, views.cards.shape[1]):
                if views.cards[i, public] == hand[at]:
                    return False
            at += 1
    row.node[j] = views.node[i]
    return True


@kernel
def _collect(
    rules: Rules, views: States, seats: np.ndarray, lanes: np.ndarray, slots: np.ndarray, records: Records,
    candidates: Candidates, cursor: int, decisions: Decisions, row: States,
) -> tuple[int, int]:  # fmt: skip
    """Replays what is new for the candidates from the ``cursor``-th on, until the buffer is full or all are done.

    Candidates that hold a card of the table become impossible.

    Returns:
        (the next cursor, the number of decisions in the buffer).
    """
    count, per_slot = 0, candidates.hands.shape[1]
    longest = records.moves.shape[1]
    while cursor < slots.size * per_slot:
        i, k = cursor // per_slot, cursor % per_slot
        slot, length = slots[i], records.lengths[lanes[i]]
        if candidates.log_weight[slot, k] == -np.inf:
            cursor += 1
            continue
        if count + longest > decisions.seats.size:
            break
        if not _fill(rules, views, i, seats[i], candidates.hands[slot, k], row, 0):
            candidates.log_weight[slot, k] = -np.inf
            cursor += 1
            continue
        row.node[0] = 0
        for j in range(length):
            mover = rules.betting.player[row.node[0]]
            action = records.moves[lanes[i], j]
            if j >= candidates.moves[slot] and mover != seats[i]:
                start = decisions.first[count]
                actions = decisions.legal[start : start + rules.betting.actions.shape[1]]
                num_legal = legal(rules, row, 0, actions)
                if num_legal > 1:
                    observe(rules, row, 0, mover, decisions.observations[count])
                    decisions.seats[count] = mover
                    decisions.rows[count] = i
                    decisions.particles[count] = k
                    decisions.chosen[count] = np.searchsorted(actions[:num_legal], action)
                    decisions.first[count + 1] = start + num_legal
                    count += 1
            step(rules, row, 0, action)
        cursor += 1
    return cursor, count


@kernel
def _is_record(rules: Rules, views: States, i: int, records: Records, lane: int, row: States) -> bool:
    """Returns whether the moves of a lane are legal and lead to the position of a view."""
    actions = np.empty(rules.betting.actions.shape[1], np.int16)
    row.cards[0] = views.cards[i]
    row.node[0] = 0
    for j in range(records.lengths[lane]):
        num_legal = legal(rules, row, 0, actions)
        action = records.moves[lane, j]
        if num_legal == 0 or action < actions[0] or action > actions[num_legal - 1]:
            return False
        step(rules, row, 0, action)
    seat = current_seat(rules, views, i)
    return infoset_key(rules, row, 0, seat) == infoset_key(rules, views, i, seat)


@kernel
def _first_wrong(rules: Rules, views: States, records: Records, lanes: np.ndarray, row: States) -> int:
    """Returns the first row whose record does not lead to its view, -1 if there is none."""
    for i in range(lanes.size):
        if not _is_record(rules, views, i, records, lanes[i], row):
            return i
    return -1


@kernel
def _deal_rest(rules: Rules, rng: np.ndarray, lane: int, first: float, cards: np.ndarray) -> None:
    """Deals the hidden cards of the table in a world at random.

    Args:
        first: In [0, 1), where the first of them lies among the cards left: worlds share them out evenly.
        cards: int8 ``[K]``, changed in place.
    """
    board = rules.betting.paid.shape[1] * rules.num_private
    left = np.empty(rules.num_cards, np.int8)
    count = 0
    for card in range(rules.num_cards):
        used = False
        for k in range(cards.size):
            used = used or cards[k] == card
        if not used:
            left[count] = card
            count += 1
    fresh = True
    for k in range(board, cards.size):
        if cards[k] == HIDDEN:
            drawn = int(first * count) if fresh else random_below(rng, lane, count)
            cards[k] = left[drawn]
            count -= 1
            left[drawn] = left[count]
            fresh = False


@kernel
def _draw_worlds(
    rules: Rules, views: States, seats: np.ndarray, lanes: np.ndarray, slots: np.ndarray, candidates: Candidates, num_worlds: int,
    rng: np.ndarray, worlds: States, ess: np.ndarray,
) -> None:  # fmt: skip
    """Draws worlds from the posterior of each slot; writes the share of the candidates that count (effective sample size)."""
    picks = np.empty(num_worlds, np.int64)
    weights = np.empty(candidates.hands.shape[1])
    for i in range(slots.size):
        slot = slots[i]
        top, total, squares, possible = candidates.log_weight[slot].max(), 0.0, 0.0, 0
        for k in range(weights.size):
            weights[k] = np.exp(candidates.log_weight[slot, k] - top)
            total += weights[k]
            squares += weights[k] ** 2
            possible += weights[k] > 0.0
        ess[i] = total * total / squares / possible
        for k in range(weights.size):
            weights[k] /= total
        resample(weights, rng, lanes[i], picks)
        offset = random_float(rng, lanes[i])
        for w in range(num_worlds):
            j = i * num_worlds + w
            _fill(rules, views, i, seats[i], candidates.hands[slot, picks[w]], worlds, j)
            _deal_rest(rules, rng, lanes[i], (offset + w * _GOLDEN_RATIO) % 1.0, worlds.cards[j])


@kernel
def _judge_truth(
    rules: Rules, truth: States, seats: np.ndarray, slots: np.ndarray, candidates: Candidates, gain: np.ndarray, rank: np.ndarray
) -> None:
    """Writes what the posterior says of the true hands; NaN where they are not among the candidates. See ``Diagnostics``."""
    for i in range(slots.size):
        slot = slots[i]
        own = candidates.log_weight[slot]
        gain[i], rank[i] = np.nan, np.nan
        true, total, possible = -np.inf, 0.0, 0
        for k in range(own.size):
            if own[k] == -np.inf:
                continue
            total += np.exp(own[k])
            possible += 1
            at, same = 0, True
            for c in range(rules.betting.paid.shape[1] * rules.num_private):
                if c // rules.num_private != seats[i]:
                    held = False  # hands are sets: the cards of the truth may stand in another order
                    first = at - at % rules.num_private
                    for d in range(first, first + rules.num_private):
                        held = held or candidates.hands[slot, k, d] == truth.cards[i, c]
                    same = same and held
                    at += 1
            if same:
                true = own[k]
        if true == -np.inf:
            continue
        heavier = 0.0
        for k in range(own.size):
            heavier += 1.0 if own[k] > true else 0.5 if own[k] == true else 0.0
        gain[i] = true - np.log(total / possible)
        rank[i] = heavier / possible


class HandEnumerator:
    """Deals worlds to the players who search; ``inference.determinizer.Determinizer`` for limit poker.

    Of the settings, ``phase2``, ``particles`` (the most hands of the others that are listed), ``temperature`` and ``epsilon``
    apply; there is no phase 1, since the prior is exact.

    Args:
        game: The game.
        evaluator: The networks of all seats.
        settings: See InferenceSettings.
        num_lanes: Games played side by side.
    """

    def __init__(self, game: LimitPoker, evaluator: Evaluates, settings: InferenceSettings, num_lanes: int) -> None:
        self.game, self.settings, self.num_lanes = game, settings, num_lanes
        self._evaluator = evaluator
        slots, others = num_lanes * game.spec.num_seats, (game.spec.num_seats - 1) * game.rules.num_private
        self._candidates = Candidates(
            hands=np.zeros((slots, settings.particles, others), np.int8),
            log_weight=np.full((slots, settings.particles), -np.inf),
            moves=np.full(slots, _UNKNOWN, np.int16),
        )
        self._decisions = make_decisions(game, 8192)
        self._row = game.empty(1)
        self._scratch = np.zeros(game.spec.max_legal)

    def reset(self, lanes: np.ndarray) -> None:
        """Forgets the candidates of lanes (int ``[n]``) in which a new game starts."""
        self._candidates.moves.reshape(self.num_lanes, -1)[lanes] = _UNKNOWN

    def worlds(
        self,
        lanes: np.ndarray,
        views: States,
        records: Records,
        rng: np.ndarray,
        num_worlds: int,
        truth: States | None = None,
    ) -> tuple[States, Diagnostics]:
        """Returns worlds for the seats to move, and diagnostics; the arguments are those of ``Determinizer.worlds``.

        Raises:
            ValueError: A record does not lead to its view.
        """
        rules, candidates = self.game.rules, self._candidates
        lanes = np.asarray(lanes, np.int64)
        wrong = _first_wrong(rules, views, records, lanes, self._row)
        if wrong >= 0:
            raise ValueError(
                f"lane {lanes[wrong]}: the record does not lead to the view; pass the moves of all lanes since the deal"
            )
        seats = rules.betting.player[views.node].astype(np.int64)
        slots = lanes * self.game.spec.num_seats + seats
        _prepare(rules, views, seats, lanes, slots, rng, candidates)
        num_evaluations = self._weigh(views, seats, lanes, slots, records)
        lost = np.flatnonzero((candidates.log_weight[slots] == -np.inf).all(axis=1))
        if lost.size:  # all drawn hands are ruled out by the table: draw anew, and weigh by all moves
            candidates.moves[slots[lost]] = _UNKNOWN
            part = (take(views, lost), seats[lost], lanes[lost], slots[lost])
            _prepare(rules, *part, rng, candidates)
            num_evaluations[lost] += self._weigh(*part, records)
        worlds = self.game.empty(len(lanes) * num_worlds)
        ess = np.empty(len(lanes))
        _draw_worlds(rules, views, seats, lanes, slots, candidates, num_worlds, rng, worlds, ess)
        diagnostics = no_diagnostics(len(lanes))._replace(num_evaluations=num_evaluations, ess_share=ess)
        if truth is not None:
            _judge_truth(rules, truth, seats, slots, candidates, diagnostics.gain, diagnostics.rank)
        return worlds, diagnostics

    def _weigh(
        self, views: States, seats: np.ndarray, lanes: np.ndarray, slots: np.ndarray, records: Records
    ) -> np.ndarray:
        """Weighs the candidates by the moves that are new; returns the observations evaluated for each row."""
        game, candidates, decisions, settings = self.game, self._candidates, self._decisions, self.settings
        evidence = np.zeros((len(slots), candidates.hands.shape[1]))
        num_evaluations, cursor = np.zeros(len(slots), np.int64), 0
        if not settings.phase2:
            candidates.moves[slots] = records.lengths[lanes]
        while cursor < evidence.size:
            cursor, count = _collect(
                game.rules, views, seats, lanes, slots, records, candidates, cursor, decisions, self._row
            )
            if count:
                policy = self._evaluator.evaluate(decisions.observations[:count], decisions.seats[:count]).policy
                score_decisions(
                    game.decoder, policy, decisions, count, settings.temperature, settings.epsilon, evidence, self._scratch
                )
                num_evaluations += np.bincount(decisions.rows[:count], minlength=len(slots))
        candidates.log_weight[slots] += evidence
        candidates.moves[slots] = records.lengths[lanes]
        return num_evaluations
