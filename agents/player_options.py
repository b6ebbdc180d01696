"""The options of the players: a dataclass for each kind, whose docstring ``python evaluate.py --help`` shows."""

from dataclasses import dataclass, field


@dataclass
class NoOptions:
    """This player has no options."""


@dataclass
class PolicyOptions:
    """The policy network without search.

    Attributes:
        checkpoint: A checkpoint or the folder of a run; none: the weights that come with the project.
        temperature: 0 plays the most likely move, T > 0 draws from softmax(logits / T). None: 0; in poker, where a good player
            mixes, 1.
    """

    checkpoint: str | None = None
    temperature: float | None = None


@dataclass
class TabularOptions:
    """What a run of a tabular algorithm has learned (``python train.py game=leduc algorithm=smooth_uct``); poker only.

    Attributes:
        run: Folder of the run, or its checkpoint.
        policy: "average", which approaches an equilibrium, each move drawn from it; or "greedy": in UCT and Smooth UCT the
            action of the highest value, else the most probable one.
    """

    run: str = ""
    policy: str = "average"


@dataclass
class LocalBestResponseOptions:
    """A local best response to a player whose policy it is told, in poker for two (``agents/poker/local_best_response.py``).

    Its score over all games is a lower bound on what the other can lose to a best response: the exploitability, half of
    NashConv.

    Attributes:
        against: Label of the other player of the match, which must be one that can state its policy; None: that of the match.
        boards: Boards at which hands are compared before the last round: all there are if that is no more, else so many random
            ones.
    """

    against: str | None = None
    boards: int = 100


@dataclass
class FPMCTSOptions:
    """Fictitious-Play MCTS with inference.

    Attributes:
        checkpoint: A checkpoint or the folder of a run; none: the weights that come with the project.
        root: "gumbel" or "puct".
        playouts: Simulations per move; with ``seconds`` the most there may be.
        seconds: Time per move in place of a number of playouts; such a match cannot be repeated exactly. None: playouts alone.
        worlds: Worlds drawn per move; 0: as many as playouts, at most 256.
        inference: false deals the hidden cards from the prior.
        phase1: "filter", "marginal" or "none"; "trained": as in training.
        particles: Hands that the worlds are drawn from, weighed by the others' past moves; 0: as many as playouts, at most 1,024
            and at least as in training. Of Doudizhu's a seventh has the weight: with few, more playouts see the same few deals.
        ess_floor: Least effective sample size as a share of them, see ``inference.determinizer``; None: as in training.
        c: Exploration constant of p-UCT; None, here and below: as in training.
        strength: gumbel: logits per unit of advantage.
        considered: gumbel: moves that sequential halving starts from.
        prior_floor: gumbel: added to the priors of the root's moves; what those start from that the policy has given up. None:
            0.002 in Doudizhu, in poker as in training.
        rollout: What a leaf is worth. 0: its value; λ in (0, 1]: a play-out by the policies from there, in which values and
            result are blended; 1: the result alone. None: 0.9 in Doudizhu, in poker as in training.
        solve: Whether sure wins are looked for.
        objective: "wp" or "adp"; "trained": as in training.
        temperature: 0 plays the search's choice, T > 0 draws from its policy^(1/T).
    """

    checkpoint: str | None = None
    root: str = "gumbel"
    playouts: int = 64
    seconds: float | None = None
    worlds: int = 0
    inference: bool = True
    phase1: str = "trained"
    particles: int = 0
    ess_floor: float | None = None
    c: float | None = None
    strength: float | None = None
    considered: int | None = None
    prior_floor: float | None = None
    rollout: float | None = None
    solve: bool | None = None
    objective: str = "trained"
    temperature: float = 0.0


@dataclass
class PIMCOptions:
    """Perfect-information Monte Carlo with an exact solver of endgames.

    Attributes:
        worlds: Most worlds per move.
        candidates: Most moves that are compared.
        solver_cards: The solver is asked from this many cards in all hands on.
        max_nodes: Nodes of the solver per position.
        objective: "wp", the chance to win, or "adp", points.
        margin: How much better than the play-outs' choice another move must be, in standard errors of the difference.
        playouts: Who plays the worlds out: "rhcp", or "team", RHCP with rules for partners.
    """

    worlds: int = 64
    candidates: int = 16
    solver_cards: int = 9
    max_nodes: int = 3000
    objective: str = "wp"
    margin: float = 0.0
    playouts: str = "team"


@dataclass
class ExternalOptions:
    """Any program that speaks the protocol of ``docs/external-players.md``.

    Attributes:
        command: How it is started, with arguments.
        seconds: Time that it has for a move.
    """

    command: str = ""
    seconds: float = 10.0


@dataclass
class MixOptions:
    """Different players in the seats.

    Attributes:
        seats: The labels of players, in the order of the seats.
    """

    seats: list[str] = field(default_factory=list)
