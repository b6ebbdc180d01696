"""Plays one game at the browser table from a program: ``python examples/web_client.py ADDRESS
[game] [player]``.

ADDRESS is what ``python play.py`` prints, with its token. The interface is described in
``docs/web-protocol.md``.
"""

import json
import sys
import urllib.request
from http.cookiejar import CookieJar
from itertools import count
from urllib.parse import urlsplit

from websockets.sync.client import connect
from websockets.typing import Origin

place = urlsplit(sys.argv[1])
game, player = (sys.argv[2:] + ["doudizhu", "random"][len(sys.argv) - 2 :])[:2]
origin = f"http://{place.netloc}"
cookies = CookieJar()
browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(cookies))
browser.open(sys.argv[1]).close()  # the token becomes a cookie


def request(path: str, body: object = None) -> dict:
    """Returns the answer to a request."""
    data = None if body is None else json.dumps(body).encode()
    return json.load(browser.open(urllib.request.Request(origin + path, data, {"origin": origin})))


offered = request(f"/api/config?game={game}")["games"]  # waits until the game can be played
config = next(found for found in offered if found["name"] == game)
seats = ["you"] + [player] * (len(config["seats"]) - 1)
table = request("/api/tables", {"game": game, "seats": seats, "mode": "fair"})["id"]
cookie = "; ".join(f"{found.name}={found.value}" for found in cookies)
numbers = count(1)

with connect(
    f"ws://{place.netloc}/ws", origin=Origin(origin), additional_headers={"cookie": cookie}
) as socket:

    def say(kind: str, **fields: object) -> None:
        """Sends a message."""
        socket.send(json.dumps({"type": kind, "id": next(numbers), **fields}))

    say("join", table=table)
    for text in socket:
        message = json.loads(text)
        if message["type"] == "error":
            sys.exit(f"{message['code']}: {message['text']}")
        if message["type"] == "over":
            print("returns:", message["returns"])
            break
        if message["type"] in ("state", "moved"):
            view = message["view"]
            if view["moves"]:
                print(view["moves"][-1])
            if view["to_move"] == view["you"] and not view["over"]:
                say("play", move=view["legal"][-1])
