"""RLCard's rule player against the answers of the original (data/rlcard_positions.py)."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from agents.rlcard_rule import RlcardRuleAgent
from games.doudizhu.moves import parse_move, rule_set
from games.interface import Records, take
from tests.agents.positions import positions

ROWS = json.loads((Path(__file__).parent / "data" / "rlcard_positions.json").read_text())
