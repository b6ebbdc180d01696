"""What stands before every request: the names we answer to, where it comes from, the cookie, and
the headers of every answer.

A page of another site can make a browser send requests to this server, and open WebSockets, which
no browser stops by itself (CVE-2024-28179). Hence ``Host`` must be one of ours, whatever a foreign
name resolves to (DNS rebinding), and everything that can change something must come from our own
page by its ``Origin``.
"""

import ipaddress
import json
import socket
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fpmcts.web.errors import RefusedError
from fpmcts.web.server.access import Access

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src "
        "'self'; connect-src 'self'; "
        "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-cache",
}
"""Of every answer, errors included."""
OPEN_PATHS = ("/api/health",)
"""What is told without a cookie."""
SAFE = ("GET", "HEAD")
EVERYWHERE = ("0.0.0.0", "::")


class Guard:
    """ASGI middleware that lets the server's own page in, and nobody else.

    A request that passes carries its session in ``scope["session"]``.

    Args:
        app: What it guards.
        access: Who may come in.
        host: Where the server listens.
        port: Its port.
    """

    def __init__(self, app: ASGIApp, access: Access, host: str, port: int) -> None:
        self._app, self._access, self._port = app, access, port
        self._names = {"127.0.0.1", "localhost", "[::1]"}
        self._any_address = host in EVERYWHERE
        if self._any_address:
            self._names.add(socket.gethostname().lower())
        elif host not in ("127.0.0.1", "localhost", "::1"):
            self._names = {f"[{host}]" if ":" in host else host.lower()}

    def knows(self, host: str) -> bool:
        """Returns whether a ``Host`` header names this server: an address or a name of ours, and
        the port.
        """
        name, _, port = host.lower().rpartition(":")
        if port != str(self._port) and not (self._port == 80 and host.lower() in self._names):
            return False
        if name in self._names or host.lower() in self._names:
            return True
        if not self._any_address:
            return False
        try:  # an address cannot be made to point elsewhere, as a name can
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request that may not pass, and passes on the others."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers: dict[str, str] = {}
        for pair in scope["headers"]:
            name, value = (text.decode("latin-1") for text in pair)
            headers[name] = f"{headers[name]}\n{value}" if name in headers else value

        async def guarded_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                extra = [
                    (k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in given
                ]
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        try:
            entry = self._check(scope, headers)
        except RefusedError as refused:
            await _refuse(scope, refused, guarded_send)
            return
        if entry is not None:
            headers_out = [
                (b"location", b"/"),
                (b"cache-control", b"no-store"),
                (b"content-length", b"0"),
            ]
            if entry:
                headers_out.append((b"set-cookie", entry.encode()))
            await guarded_send(
                {"type": "http.response.start", "status": 303, "headers": headers_out}
            )
            await guarded_send({"type": "http.response.body", "body": b""})
            return
        await self._app(scope, receive, guarded_send)

    def _check(self, scope: Scope, headers: dict[str, str]) -> str | None:
        """Sets the session of a request that may pass and returns None; returns the new cookie ("":
        none) of one with the token.

        Raises:
            RefusedError: It may not pass.
        """
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self.knows(host):
            raise RefusedError(
                "forbidden", "unknown host name; use the address that play.py printed"
            )
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE
        if (changes or origin is not None) and origin != f"http://{host}":
            raise RefusedError("forbidden", "this request comes from another page")
        if (
            headers.get("sec-fetch-site") == "cross-site"
            and headers.get("sec-fetch-mode") != "navigate"
        ):
            raise RefusedError("forbidden", "this request comes from another page")
        session = self._access.session_of(headers.get("cookie", "").replace("\n", "; "))
        if (
            scope["type"] == "http"
            and scope["method"] in SAFE
            and scope["path"] == "/"
            and scope["query_string"]
        ):
            token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
            if self._access.opens(token):
                return "" if session else self._access.new_cookie()
        if session is None and scope["path"] not in OPEN_PATHS:
            raise RefusedError(
                "unauthorised", "open the address that play.py printed, with its token"
            )
        scope["session"] = session
        return None


async def _refuse(scope: Scope, refused: RefusedError, send: Send) -> None:
    if scope["type"] == "websocket":
        await send(
            {"type": "websocket.close", "code": 1008}
        )  # before it was accepted: the answer is 403
        return
    body = json.dumps({"error": refused.fields()}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
