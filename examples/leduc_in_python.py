"""From nothing to a Leduc player in five minutes: train, measure, plot the curve, play.

``python examples/leduc_in_python.py [MINUTES]``. Run it again to resume.
"""

import sys

import matplotlib.pyplot as plt

from fpmcts import Run, Table, match, nash_conv

minutes = float(sys.argv[1]) if sys.argv[1:] else 4.0
run = Run(
    "runs/leduc-in-python",
    game="leduc",
    budget={"minutes": minutes},
    evaluation={"exact_every": 1},  # iterations between exact measures
)
for report in run:
    print(report)

player, uniform = run.player("policy"), nash_conv("leduc", "random")
print(f"NashConv: {nash_conv('leduc', player):.3f}; uniform play: {uniform:.3f}")
print(match("leduc", player, "always_call", decks=2000))

table = Table(run.game, seed=1)
while not table.is_over:
    print(decision := player.decide(table))
    table.play(decision.move)
print(table)

steps, values = zip(*run.curve("nash_conv/average_policy"), strict=True)
plt.plot(steps, values)
plt.axhline(uniform, linestyle="dotted")
plt.xlabel("iteration")
plt.ylabel("NashConv (chips)")
plt.savefig("leduc.png")
