"""The command ``fpmcts export botzone FILE``: a bot in one file for Botzone's FightTheLandlord2.

The file holds ``games/doudizhu/botzone/prelude.py``, the functions of the game that ``bot.py``
there imports and those that they use, as plain Python, the moves of the rule set ``botzone``, the
weights (float32) and ``bot.py``.
"""

import argparse
import ast
import base64
import importlib
import inspect
import zlib
from collections.abc import Iterable, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from fpmcts.players.trained import checkpoint_of, load_trained
from games import make
from games.base.files import write
from games.base.help import say
from games.play.interface import Game
from networks.checkpoint import CheckpointError
from networks.resnet import ConvNorm, PolicyValueNet

OPTIONS = {"bidding": "call", "forced": True, "rules": "botzone"}
MOST_BYTES = 6_000_000
GIVEN = {
    "kernel",
    "size",
    "trailing_zeros",
    "leading_zeros",
    "mix64",
    "namedtuple",
    "IntEnum",
    "np",
}
"""Names of the prelude that stand for those of the game."""
BOT, OWN = "games.doudizhu.botzone.bot", "games.doudizhu.botzone.prelude"
SPEED = """
def legal__append(rules, hand, category, length, tops, actions, n):
    while tops:
        top = trailing_zeros(tops) >> 2
        tops &= tops - 1
        begin = rules.first[category, length, top]
        found = [begin]
        if legal_HAS_KICKERS[category]:
            found = contained(rules, hand, begin, rules.first[category, length, top + 1])
        actions[n : n + len(found)] = found
        n += len(found)
    return n


def beaters_holds_top(rules, cards, category, length, top):
    if not legal_HAS_KICKERS[category]:
        return True
    begin, end = rules.first[category, length, top], rules.first[category, length, top + 1]
    return bool(contained(rules, cards, begin, end))


beaters_holds_top = remembered(beaters_holds_top)
beaters_highest_beater = remembered(beaters_highest_beater)
beaters_is_beatable = remembered(beaters_is_beatable)
legal_leads = remembered_moves(legal_leads)
legal_replies = remembered_moves(legal_replies)


forced_win__beaters = remembered_moves(forced_win__beaters)
forced_win__make_positions = functools.lru_cache(None)(forced_win__make_positions)


def beaters_whole_move(rules, cards):
    return rules.ids.get(cards, 0)


forced_win_MAX_NODES = MAX_NODES
"""
"""Faster forms of some functions, with the same results but for the shorter proofs. The buffers of
a proof are written before they are read, so all share one.
"""
MAX_NODES = 250
"""Positions that the proof of a forced win visits: about 50 ms as plain Python."""


@cache
def _module(name: str) -> tuple[dict[str, ast.stmt], dict[str, tuple[str, str]]]:
    """Returns the statements of a module by the names that they bind, and its imports by the name:
    (module, name there).
    """
    tree = ast.parse(inspect.getsource(importlib.import_module(name)))
    bound: dict[str, ast.stmt] = {}
    imports: dict[str, tuple[str, str]] = {}
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                imports[alias.asname or alias.name] = (statement.module or "", alias.name)
        elif isinstance(statement, ast.FunctionDef | ast.ClassDef):
            bound[statement.name] = statement
        elif isinstance(statement, ast.Assign):
            for node in ast.walk(statement.targets[0]):
                if isinstance(node, ast.Name):
                    bound[node.id] = statement
    return bound, imports


class Inliner(ast.NodeTransformer):
    """Collects the functions of the game that a module uses, as plain Python of version 3.6.

    Attributes:
        parts: Their source, each after what it needs.
    """

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._done = set[int]()
        self._module = ""
        self._local: frozenset[str] = frozenset()

    def source(self, name: str) -> str:
        """Returns the source of a module without its imports, all names resolved."""
        tree = ast.parse(inspect.getsource(importlib.import_module(name)))
        body = [one for one in tree.body if not isinstance(one, ast.ImportFrom)]
        return "\n\n".join(self._plain(name, statement) for statement in body)

    def _plain(self, module: str, statement: ast.stmt) -> str:
        """Returns the source of a statement of a module."""
        before = self._module, self._local
        self._module, self._local = module, frozenset()
        plain = self.visit(deepcopy(statement))
        self._module, self._local = before
        return "" if plain is None else ast.unparse(ast.fix_missing_locations(plain))

    def _resolved(self, name: str) -> str:
        """Returns the name of something in the file, after adding it."""
        module = self._module
        bound, imports = _module(module)
        while name not in bound and name in imports:
            module, name = imports[name]
            if module == OWN or name in GIVEN:
                return name
            bound, imports = _module(module)
        if name not in bound or name in GIVEN or module == BOT:
            return name
        if id(bound[name]) not in self._done:
            self._done.add(id(bound[name]))
            self.parts.append(self._plain(module, bound[name]))
        return f"{module.rpartition('.')[2]}_{name}"

    def visit_Name(self, node: ast.Name) -> ast.AST:  # noqa: N802
        """Renames what is not local."""
        if node.id not in self._local:
            node.id = self._resolved(node.id)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:  # noqa: N802
        """Returns a function without decorators, annotations and documentation."""
        if self._module != BOT:
            node.decorator_list = []
        node.returns = None
        for argument in node.args.args:
            argument.annotation = None
        if ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
        names = {argument.arg for argument in node.args.args} | {
            one.id
            for one in ast.walk(node)
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
        }
        before, self._local = self._local, self._local | names
        self.generic_visit(node)
        self._local = before
        if not before and self._module != BOT:
            node.name = f"{self._module.rpartition('.')[2]}_{node.name}"
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:  # noqa: N802
        """Returns a class; a NamedTuple as a call of ``namedtuple``."""
        own = self._module == BOT
        name = node.name if own else f"{self._module.rpartition('.')[2]}_{node.name}"
        if any(isinstance(base, ast.Name) and base.id == "NamedTuple" for base in node.bases):
            fields = [one.target.id for one in node.body if isinstance(one, ast.AnnAssign)]  # type: ignore[union-attr]
            return ast.parse(f"{name} = namedtuple({name!r}, {fields!r})").body[0]
        if own:
            self.generic_visit(node)
        else:  # an IntEnum
            node.body = [one for one in node.body if isinstance(one, ast.Assign)]
        node.name = name
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:  # noqa: N802
        """Drops documentation of constants."""
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else self.generic_visit(node)


def _packed(array: np.ndarray) -> str:
    return base64.b64encode(zlib.compress(array.tobytes(), 9)).decode()


def _layers(net: PolicyValueNet) -> Iterable[tuple[str, np.ndarray, np.ndarray]]:
    """Yields the name, the weight ``[O, I]`` (of a convolution: over its positions, then its
    inputs) and the bias of each layer, normalization and scales folded in.
    """

    def folded(layer: ConvNorm, scale: Any = None) -> tuple[np.ndarray, np.ndarray]:
        weight, bias = layer.folded()
        weight = weight if scale is None else weight * scale[:, None, None]
        return weight[:, :, 0].permute(0, 2, 1).flatten(1).numpy(), bias.numpy()

    yield "stem", *folded(net.stem, net.scale)
    for block in net.blocks:
        yield "block", *folded(block.first)  # type: ignore[arg-type, union-attr]
        yield "block", *folded(block.second)  # type: ignore[arg-type, union-attr]
    assert net.planes.bias is not None
    local = slice(net.num_planes)
    yield (
        "planes",
        net.planes.weight[local].flatten(1).detach().numpy(),
        net.planes.bias[local].detach().numpy(),
    )
    yield "squeeze", *folded(net.squeeze)
    yield "units", net.units.weight.detach().numpy(), net.units.bias.detach().numpy()
    further = slice(net.num_extra)
    yield (
        "globals",
        net.globals.weight[further].detach().numpy(),
        net.globals.bias[further].detach().numpy(),
    )


def source_of(game: Game, path: Path, long_running: bool) -> str:
    """Returns the program with the networks of a checkpoint.

    Raises:
        CheckpointError: They are of another kind, or were trained for another game.
    """
    trained = load_trained(path, "doudizhu", "float32")
    nets = [trained.networks.role(role) for role in range(game.spec.num_roles)]
    if game.adopted(trained.game).learned_options() != game.learned_options():
        raise CheckpointError(f"{path}: expected networks of doudizhu with bidding=call")
    if nets[0].config.dense or game.adopted(trained.game).options.encoding != "default":
        raise CheckpointError(f"{path}: expected encoding=default and no dense networks")
    layers = [[*_layers(net)] for net in nets]
    weights = b"".join(
        array.astype("<f4").tobytes() for net in layers for _, *arrays in net for array in arrays
    )
    shapes = [[(name, *weight.shape) for name, weight, _ in net] for net in layers]
    rules = game.rules
    tables = np.stack([rules.category, rules.top, rules.length, rules.size])
    inliner = Inliner()
    program = inliner.source(BOT)
    text = inspect.getsource(importlib.import_module(OWN))
    tables_text = ", ".join(repr(_packed(array)) for array in (rules.cards, tables, rules.first))
    columns = game.decoder.shape[1]
    return "\n\n".join(
        [
            f'"""A bot for Botzone, made by fpmcts (Apache-2.0) of {path.name}."""',
            ast.unparse(ast.parse(text).body[1:]),  # type: ignore[arg-type]
            f"LONG_RUNNING = {long_running}\nPLANES = {game.spec.observation_shape[0]}",
            f"RULES = Rules({tables_text})",
            f"DECODER = stored({_packed(game.decoder)!r}, '<i2').reshape(-1, {columns})",
            f"NETS = nets({base64.b64encode(weights).decode()!r}, {shapes!r})",
            *inliner.parts,
            SPEED.replace("MAX_NODES\n", f"{MAX_NODES}\n"),
            program + "\n",
        ]
    )


def main(arguments: Sequence[str], command: str = "fpmcts export botzone") -> int:
    """Runs a command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog=command, description=(__doc__ or "").split(":")[0])
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("checkpoint", nargs="?", metavar="checkpoint=RUN")
    parser.add_argument(
        "--long-running", action="store_true", help="one process for a match (Botzone: 长时运行)"
    )
    options = parser.parse_args(arguments)
    given = options.checkpoint
    if given is not None and not given.startswith("checkpoint="):
        parser.error(f"{given}: expected checkpoint=RUN")
    game = make("doudizhu", **OPTIONS)
    path = checkpoint_of(game, None if given is None else given.removeprefix("checkpoint="))
    text = source_of(game, path, options.long_running)
    if len(text) > MOST_BYTES:
        raise CheckpointError(f"{path}: a bot of {len(text):,} bytes; expected {MOST_BYTES:,}")
    write(options.file, text)
    say(f"{options.file}: {len(text) / 1e6:.1f} MB")
    return 0
