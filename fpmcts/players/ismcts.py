"""Information Set MCTS as a player: no networks, random rollouts. Its trees: ``single_observer.py``
and ``shared_tree.py``.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from fpmcts.players.shared_tree import SharedTreeAgent, hides_moves_alone
from fpmcts.players.single_observer import SingleObserverAgent
from fpmcts.players.tree_search import MOST_ITERATIONS
from fpmcts.tabular.hashed_learner import IsMctsOptions
from games.base.settings import setting
from games.play.agent import Agent
from games.play.interface import Game
from games.play.registry import Host, PlayerOptions, player


@player("ismcts", slow=True)
@dataclass
class ISMCTSOptions(PlayerOptions):
    """Information Set MCTS without networks, with random rollouts.

    Attributes:
        iterations: Iterations per move; with ``seconds``, the maximum. None: 10,000, or no limit
            with ``seconds``.
        seconds: Time per move instead of a number of iterations; such a match is not reproducible.
            None: iterations only.
        tree: "shared": statistics of the information sets of all seats, kept from move to move
            (Lisy 2014, algorithm 1); "single_observer": statistics of the player's own sets, over
            sampled deals (Cowling, Powley & Whitehouse 2012). "auto": shared if only moves are
            hidden, single_observer otherwise.
        c: Exploration constant. Single observer: in units of the span of results, None: 0.7, as in
            its paper; shared: of UCT, in rewards, None: as in ``algorithm=ismcts``.
        memory: Memory of the shared tree of a seat in one game, MB; None: 64. A full tree drops the
            least visited sets. A match plays as many games in parallel as fit into about 1,000 MB
            of trees.
        objective: Single observer: "wp", the probability to win, or "adp", points; "auto": the
            first measure that the game's matches report.
        temperature: 0 plays the most visited move, T > 0 draws in proportion to visits^(1/T) or
            mean policy^(1/T). None: 1 in the shared tree and in games where good play mixes, else
            0.
    """

    iterations: int | None = setting(None, least=1, most=MOST_ITERATIONS)
    seconds: float | None = setting(None, least=1e-3, most=3600)
    tree: str = setting("auto", choices=("auto", "shared", "single_observer"))
    c: float | None = setting(None, least=0, most=1000)
    memory: int | None = setting(None, least=1, most=1_000_000)
    objective: str = setting("auto", choices=("auto", "wp", "adp"))
    temperature: float | None = setting(None, least=0, most=100)
    learning: dict[str, Any] = field(default_factory=dict)

    borrowed: ClassVar[dict[str, type]] = {"learning": IsMctsOptions}

    def make(self, host: Host) -> Agent:
        """Returns the player with the tree that the options select."""
        game, spec = host.game, host.game.spec
        agent: SharedTreeAgent | SingleObserverAgent
        if self._is_shared(game):
            own = {"memory": self.memory or 64} | ({} if self.c is None else {"c": self.c})
            options = IsMctsOptions(**self.learning | own)
            agent, usual = SharedTreeAgent(game, options), 1.0
        else:
            by_wins = (
                spec.score.reports_wins if self.objective == "auto" else self.objective == "wp"
            )
            c = 0.7 if self.c is None else self.c
            agent, usual = SingleObserverAgent(game, by_wins, c), float(spec.mixes)
        agent.iterations, agent.seconds = self.iterations, self.seconds
        agent.temperature = usual if self.temperature is None else self.temperature
        return agent

    def _is_shared(self, game: Game) -> bool:
        """Returns whether the options select the shared tree. Raises ValueError for options that
        the tree does not have.
        """
        shared = hides_moves_alone(game) if self.tree == "auto" else self.tree == "shared"
        own = {key: getattr(self, key) for key in ("memory", "c", "objective")}
        given = {key: own[key] for key in own if own[key] not in ("auto", None)}
        given |= self.learning
        foreign = given.keys() & {"objective"} if shared else given.keys() - {"objective", "c"}
        for name in sorted(foreign):
            kinds = ("shared", "single_observer") if shared else ("single_observer", "shared")
            raise ValueError(
                f"{name}={given[name]}: not an option of tree={kinds[0]}, which tree={self.tree} "
                f"means in {game.spec.name}; expected none, or tree={kinds[1]}"
            )
        return shared
