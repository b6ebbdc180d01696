"""From nothing to a player of Leduc in five minutes: train, measure, plot the curve, play.

``python examples/leduc_in_python.py [MINUTES]``. The same again resumes the run.
"""

import sys

import matplotlib.pyplot as plt

from fpmcts import Run, Table, match, nash_conv

minutes = float(sys.argv[1]) if sys.argv[1:] else 4.0
run = Run(
    "runs/leduc-in-python",
    game="leduc",
    budget={"minutes": minutes},
    evaluation={"exact_every": 2},  # iterations between exact measures
)
steps, curve = [0], [nash_conv("leduc", "random")]
for report in run:
    print(report)
    if "nash_conv/average_policy" in report.scalars:
        steps.append(report.step)
        curve.append(report.scalars["nash_conv/average_policy"])

player = run.player("policy")
print(f"NashConv: {nash_conv('leduc', player):.3f}; uniform play: {curve[0]:.3f}")
print(match("leduc", player, "always_call", decks=2000))

table = Table(run.game, seed=1)
while not table.is_over:
    print(decision := player.decide(table))
    table.play(decision.move)
print(table)

plt.plot(steps, curve)
plt.xlabel("self-play games")
plt.ylabel("NashConv (chips)")
plt.savefig("leduc.png")
