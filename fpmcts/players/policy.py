"""The policy network without search, optionally with endgames solved."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fpmcts.players.sure_wins import immediate_moves, sure_win
from fpmcts.players.trained import NetworkOptions
from fpmcts.search.policy_kernels import sample_policy
from games.base.settings import setting
from games.kernels import Stream, kernel, streams
from games.kernels.generic import legal, stake
from games.kernels.rows import Rules, States, num_rows, take
from games.play.agent import Agent
from games.play.decision import RETURN, SOLVED, SURE_WIN, WINS, Decision
from games.play.interface import EndgameSolver, Game, Records, observed_by_movers
from games.play.question import Limits, Question
from games.play.registry import Host, player
from inference.determinizer import Determinizer
from networks.decode import legal_logits, softmax
from networks.device import one_thread
from networks.evaluator import Outputs

CHUNK = 16_384
"""Views per batch of probabilities."""
WORLDS = 16
"""Worlds of an endgame that are solved."""


@player("policy", states_policy=True)
@dataclass
class PolicyOptions(NetworkOptions):
    """The policy network without search.

    Attributes:
        temperature: 0 plays the most likely move, T > 0 draws from softmax(logits / T). None: 1 in
            games where good play mixes, such as poker, else 0.
        solve: Whether to play every win that the rules can prove from the player's own hand and the
            unseen cards (``games.kernels.generic.forced_win``). None: true if the search of
            training assumed sure wins (``search.solve``). false: the network plays every move.
        endgames: Whether to infer the hidden cards near the end of a game and to solve the worlds
            drawn, which overrules the network (``Game.endgame``); only in Doudizhu.
    """

    temperature: float | None = setting(None, least=0, most=100)
    solve: bool | None = None
    endgames: bool = False

    def make(self, host: Host) -> Agent:
        """Returns the player."""
        trained = self.networks(host)
        temperature = float(host.game.spec.mixes) if self.temperature is None else self.temperature
        solve = trained.has_values and trained.search.solve if self.solve is None else self.solve
        win_only = trained.objective == "wp"
        policy = PolicyAgent(
            trained.game, trained.evaluator.evaluate, temperature, win_only=win_only, solve=solve
        )
        if not self.endgames:
            return policy
        endgame = trained.game.endgame(points=not win_only, searched=False)
        if endgame is None or temperature > 0.0:
            raise ValueError("endgames=true: expected Doudizhu and temperature=0")
        return EndgameAgent(policy, endgame, trained.determinizer_maker(trained.inference))


@kernel
def _probabilities(
    rules: Rules,
    decoder: np.ndarray,
    views: States,
    first: int,
    policy: np.ndarray,
    temperature: float,
    sure: np.ndarray,
    out: np.ndarray,
) -> None:
    """Writes the probabilities of the legal actions of the views from ``first`` on to ``out``,
    which holds zeros.

    Args:
        policy: float32 ``[n, policy_size]``, outputs of the mover's network for n views.
        sure: int16 ``[N]``, actions with probability 1; -1 = none.
        out: float64 ``[N, max_legal]``, for all views.
    """
    actions = np.empty(out.shape[1], np.int16)
    for k in range(len(policy)):
        row = out[first + k]
        num_legal = legal(rules, views, first + k, actions)
        if sure[first + k] >= 0:
            row[np.searchsorted(actions[:num_legal], sure[first + k])] = 1.0
            continue
        legal_logits(decoder, policy, k, actions, num_legal, row)
        if temperature > 0.0:
            softmax(row, num_legal, temperature, row)
        else:
            best = np.argmax(row[:num_legal])
            row[:num_legal] = 0.0
            row[best] = 1.0


class PolicyAgent(Agent):
    """Plays from the policy networks.

    Args:
        game: The game.
        evaluate: (observations int8 ``[N, C, L]``, roles int8 ``[N]``) -> Outputs.
        temperature: 0 plays the most likely move; T > 0 draws from softmax(logits / T).
        win_only: Whether values are of wins (objective "wp") or of returns ("adp"); None: unknown,
            and no values are reported.
        solve: Whether sure wins are played, overriding the networks.
    """

    name = "policy"
    needs_moves = False

    def __init__(
        self,
        game: Game,
        evaluate: Callable[[np.ndarray, np.ndarray], Outputs],
        temperature: float = 0.0,
        win_only: bool | None = None,
        solve: bool = False,
    ) -> None:
        self.game, self.evaluate, self.temperature = game, evaluate, temperature
        self.win_only, self.solve = win_only, solve

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view; row k belongs to game
        ``games[k]``.
        """
        n, spec = len(games), self.game.spec
        rows = np.arange(n)
        outputs = self._evaluated(views, rows)
        actions = np.empty(n, np.int16)
        rng = self.rng[games]
        sample_policy(
            self.game.rules,
            self.game.decoder,
            views,
            rows,
            outputs.policy,
            self.temperature,
            rng,
            actions,
            *np.empty((2, n), np.float32),
            np.empty(spec.max_legal, np.int16),
            np.empty(spec.max_legal),
        )
        self.rng[games] = rng
        if self.solve:
            sure = immediate_moves(self.game, views)
            actions[sure >= 0] = sure[sure >= 0]
        return actions

    def _evaluated(self, views: States, rows: np.ndarray) -> Outputs:
        """Returns the outputs of the networks for some rows."""
        return self.evaluate(*observed_by_movers(self.game, views, rows))

    def probabilities(self, views: States) -> np.ndarray:
        """Returns the probability of each legal action at each view, see
        ``games.play.agent.OpenPolicy``.
        """
        return self.probabilities_at(views, self.temperature, self.solve)

    def probabilities_at(
        self, views: States, temperature: float, solve: bool = False
    ) -> np.ndarray:
        """Returns the policy at a temperature: float64 ``[n, max_legal]``."""
        total, game = num_rows(views), self.game
        result = np.zeros((total, game.spec.max_legal))
        sure = immediate_moves(game, views) if solve else np.full(total, -1, np.int16)
        for first in range(0, total, CHUNK):
            policy = self._evaluated(views, np.arange(first, min(first + CHUNK, total))).policy
            _probabilities(
                game.rules, game.decoder, views, first, policy, temperature, sure, result
            )
        return result

    def answer(self, question: Question, limits: Limits) -> Decision:
        """Returns the decision with the network's policy (that of temperature 1 if it is 0) and
        value; or a sure win.
        """
        if self.solve and (sure := sure_win(question, bool(self.win_only))) is not None:
            return sure
        with one_thread():
            return self._answered(question)

    def _answered(self, question: Question) -> Decision:
        """Returns the decision of the network."""
        outputs = self._evaluated(question.view, np.zeros(1, np.int64))
        policies = np.zeros((1, self.game.spec.max_legal))
        _probabilities(
            self.game.rules,
            self.game.decoder,
            question.view,
            0,
            outputs.policy,
            self.temperature or 1.0,
            np.full(1, -1, np.int16),
            policies,
        )
        policy = policies[0, : len(question.legal)]
        decision = self._moved(question, policy, likeliest=self.temperature <= 0.0)
        if self.win_only is None:
            return decision
        value = float(outputs.value[0])
        if self.win_only:
            return replace(decision, value=(1.0 + value) / 2.0, unit=WINS)
        return replace(
            decision, value=value * stake(self.game.rules, question.view, 0), unit=RETURN
        )


class EndgameAgent(Agent):
    """Plays from the policy networks and solves endgames in worlds that fit what was played.

    Args:
        policy: The networks' player.
        endgame: Corrects its choices near the end of a game.
        make_determinizer: Makes the source of worlds for a number of games.
    """

    name = "policy"

    def __init__(
        self,
        policy: PolicyAgent,
        endgame: EndgameSolver,
        make_determinizer: Callable[[int], Determinizer],
    ) -> None:
        self.game, self._policy, self._endgame = policy.game, policy, endgame
        self._make_determinizer = make_determinizer
        self._determinizer: Determinizer | None = None

    def start(self, num_games: int, seed: int) -> None:
        """Prepares for games 0 .. num_games - 1."""
        super().start(num_games, seed)
        self._policy.start(num_games, seed)
        self._policy.rng = streams(seed, num_games, Stream.PLAY)  # the worlds have the first
        self._determinizer = self._make_determinizer(num_games)

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view; row k belongs to game
        ``games[k]``.
        """
        assert self._determinizer is not None, "act before start"
        moves = self._policy.act(games, views, records)
        rows = np.flatnonzero(self._endgame.is_near(views))
        rows = rows[immediate_moves(self.game, take(views, rows), self._policy.solve) < 0]
        if not rows.size:
            return moves
        views, lanes = take(views, rows), games[rows]
        worlds, _ = self._determinizer.worlds(lanes, views, records, self.rng, WORLDS)
        policy = self._policy.probabilities_at(views, 1.0).astype(np.float32)
        actions = np.zeros(policy.shape, np.int16)
        num_legal = np.zeros(len(rows), np.int32)
        for k in range(len(rows)):
            legal_moves = self.game.legal_actions(views, k)
            num_legal[k] = len(legal_moves)
            actions[k, : num_legal[k]] = legal_moves
        moves[rows] = self._endgame.choose(worlds, actions, policy, num_legal, moves[rows])
        return moves

    def answer(self, question: Question, limits: Limits) -> Decision:
        """Returns the decision of the networks, corrected if all moves were asked about."""
        decision = self._policy.answer(question, limits)
        may_solve = question.about_all and decision.reason != SURE_WIN
        if not may_solve or not self._endgame.is_near(question.view)[0]:
            return decision
        self.start(1, question.seed)
        action = int(self.act(np.zeros(1, np.int64), question.view, question.records)[0])
        if action == decision.action:
            return decision
        return replace(decision, move=question.text(action), action=action, reason=SOLVED)
