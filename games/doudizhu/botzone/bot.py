"""The program of an exported bot. ``fpmcts/players/botzone.py`` puts before it: ``prelude.py``, the
imported functions of the game as plain Python, the tables and the weights.

Nothing here may need more than Python 3.6 and numpy. Sets of cards are plain integers.
"""

# mypy: ignore-errors
# ruff: noqa: B905, T201 (Python 3.6)

import json
import sys

import numpy

from games.doudizhu.auction import Phase
from games.doudizhu.botzone.prelude import DECODER, LONG_RUNNING, NETS, PLANES, RULES, Matrix
from games.doudizhu.legal import legal_moves
from games.doudizhu.moves import MAX_LEGAL, PASS, Category
from games.doudizhu.observe import observe
from games.doudizhu.solver.forced_win import forced_win

CALLER = 3
HAND = 17


class SeatState:
    """The state of a game as a seat sees it: one row of ``games.doudizhu.state.States``."""

    def __init__(self, own):
        self.hands, self.played = Matrix([[0, 0, 0]]), Matrix([[0, 0, 0]])
        self.history = Matrix([[-1] * 16])
        self.claims, self.doubled = Matrix([[-1] * 3]), Matrix([[-1] * 3])
        for name in ("bottom", "seat", "target", "passes", "bombs", "landlord", "led"):
            setattr(self, name, [0])
        self.winner, self.phase = [-1], [int(Phase.CALLING)]
        self.own = list(own)

    def begin(self, request):
        """Begins the card play."""
        landlord, me = request["landlord"], request["pos"]
        self.landlord[0], self.phase[0] = landlord, int(Phase.PLAYING)
        self.bottom[0] = packed(request["publiccard"])
        if me == landlord:
            self.own += request["publiccard"]
        for seat in range(3):  # what the others said later is not told
            said = request["finalbid"] if seat == landlord else 0
            is_asked = request["finalbid"] < 3 or seat <= landlord
            if seat == landlord or (self.claims[0, seat] < 0 and is_asked):
                self.claims[0, seat] = said
        self.hands[0, (me - landlord) % 3] = packed(self.own)

    def play(self, cards):
        """Plays cards (numbers) of the seat to move; none is a pass."""
        seat, move = self.seat[0], move_of(cards)
        if cards:
            if self.hands[0, seat]:
                self.hands[0, seat] -= packed(cards)
                self.own = [card for card in self.own if card not in cards]
            self.played[0, seat] += packed(cards)
            self.target[0], self.passes[0] = move, 0
            self.bombs[0] += RULES.category[move] >= Category.BOMB
            self.led[0] += seat == 0
        else:
            self.passes[0] += 1
            if self.passes[0] == 2:
                self.passes[0], self.target[0] = 0, PASS
        self.seat[0] = (seat + 1) % 3
        self.history = Matrix([[move] + self.history[0][:-1]])


def packed(cards):
    """Returns the packed set of cards (numbers)."""
    return sum(1 << 4 * rank_of(card) for card in cards)


def rank_of(card):
    """Returns the rank of a card: the jokers have numbers of their own."""
    return card // 4 if card < 52 else card - 39


def move_of(cards):
    """Returns the move of cards. A space shuttle (33334444), which we have no move for, counts as
    the highest four with pairs: only bombs beat both.
    """
    if not cards:
        return PASS
    found = RULES.ids.get(packed(cards))
    return RULES.first[Category.FOUR_PAIRS, 1, 12] if found is None else found


def scores(role, planes):
    """Returns the policy outputs (float32) of the network of a role for planes int8 [C, 15]."""
    net, x = NETS[role], planes.astype(numpy.float32)

    def conv(layer, x):
        weight, bias = layer
        wide = numpy.zeros((x.shape[0], 17), numpy.float32)
        wide[:, 1:-1] = x
        columns = numpy.concatenate([wide[:, k : k + 15] for k in range(3)])
        return weight.dot(columns) + bias[:, None]

    x = numpy.maximum(conv(net["stem"], x), 0)
    for first, second in net["blocks"]:
        x = numpy.maximum(x + conv(second, numpy.maximum(conv(first, x), 0)), 0)
    weight, bias = net["planes"]
    local = weight.dot(x) + bias[:, None]
    weight, bias = net["squeeze"]
    squeezed = numpy.maximum(weight.dot(x) + bias[:, None], 0).ravel()
    weight, bias = net["units"]
    units = numpy.maximum(weight.dot(squeezed) + bias, 0)
    weight, bias = net["globals"]
    return numpy.concatenate([local.ravel(), weight.dot(units) + bias])


def likeliest(policy, actions):
    """Returns the action with the highest logit, the first of equal ones."""
    outputs = DECODER[actions]
    logits = numpy.zeros(len(actions), numpy.float32)
    for k in range(outputs.shape[1]):
        logits += numpy.where(outputs[:, k] >= 0, policy[outputs[:, k]], numpy.float32(0))
    return actions[int(logits.argmax())]


def decided_call(state, seat):
    """Returns the call of a seat, 0 to 3."""
    state.hands[0, seat] = packed(state.own)
    planes = numpy.zeros((PLANES, 15), numpy.int8)
    observe(RULES, state, 0, seat, planes)
    state.hands[0, seat] = 0
    first = len(RULES.cards)
    highest = max(0, max(state.claims[0]))
    calls = [first] + [first + call for call in range(highest + 1, 4)]
    return likeliest(scores(CALLER, planes), calls) - first


def decided_cards(state):
    """Returns the cards (numbers) to play."""
    role = state.seat[0]
    actions = [0] * MAX_LEGAL
    actions = actions[: legal_moves(RULES, state.hands[0, role], state.target[0], actions)]
    if not all(type(action) is int for action in actions):
        actions = [int(action) for action in actions]
    move = actions[0] if len(actions) == 1 else forced_win(RULES, state, 0)
    if move < 0:
        planes = numpy.zeros((PLANES, 15), numpy.int8)
        observe(RULES, state, 0, (role + state.landlord[0]) % 3, planes)
        move = likeliest(scores(role, planes), actions)
    cards = []
    left = RULES.cards[move]
    for card in sorted(state.own):
        if left >> 4 * rank_of(card) & 15:
            left -= 1 << 4 * rank_of(card)
            cards.append(card)
    return cards


class BotzoneBot:
    """Answers the requests of a match, one after the other."""

    def __init__(self):
        self.state = None
        self.is_playing = False

    def hear(self, request):
        """Takes in a request."""
        if "own" in request and self.state is None:
            self.state = SeatState(request["own"])
        if "bid" in request:
            for seat, call in enumerate(request["bid"]):
                self.state.claims[0, seat] = call
            self.seat = len(request["bid"])
            return
        before = request["history"]
        if not self.is_playing:
            self.state.begin(request)
            self.is_playing = True
            turn = (request["pos"] - request["landlord"]) % 3
            before = before[2 - turn :]
        for cards in before:
            self.state.play(cards)

    def say(self, answer):
        """Takes in its own answer."""
        if self.is_playing:
            self.state.play(answer)
        else:
            self.state.claims[0, self.seat] = answer

    def answer(self):
        """Returns the answer to the last request."""
        if self.is_playing:
            return decided_cards(self.state)
        return decided_call(self.state, self.seat)


def main():
    """Answers the request of a match; with LONG_RUNNING, all further ones, too."""
    bot = BotzoneBot()
    for line in sys.stdin:
        if not line.strip():
            continue
        told = json.loads(line)
        if "requests" in told:
            bot = BotzoneBot()
            for request, response in zip(told["requests"], told["responses"]):
                bot.hear(request)
                bot.say(response)
            told = told["requests"][-1]
        bot.hear(told)
        answer = bot.answer()
        bot.say(answer)
        print(json.dumps({"response": answer}))
        if not LONG_RUNNING:
            return
        print(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
