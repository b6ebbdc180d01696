"""Checks on every request: the host name, the origin and the cookie; and the headers of every
response.

A page of another site can make a browser send requests to this server and open WebSockets; browsers
do not prevent this (CVE-2024-28179). Hence ``Host`` must be one of ours, against DNS rebinding, and
every request that can change something must have the ``Origin`` of our own page.

There is one token per server, and a signed cookie per device. The token is in a file beside the
games, readable only by its owner, so it survives a restart. A browser that presents it gets a
cookie with a new session id, signed with the token: the server need not store anything to recognise
it. Cookies are shared by all ports of a host, so the name of ours differs between servers.
"""

import hashlib
import hmac
import ipaddress
import os
import re
import secrets
import socket
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from fpmcts.web.errors import RefusedError

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
"""Headers of every response, including errors."""
OPEN_PATHS = ("/api/health",)
"""What is answered without a cookie."""
SAFE = ("GET", "HEAD")
EVERYWHERE = ("0.0.0.0", "::")
NOT_KEPT = {"cache-control": "no-store"}
NO_TOKEN = "Open the address that play.py printed in the terminal: it contains the token."
NO_TOKEN_ZH = "请打开 play.py 在终端里显示的网址，其中含有令牌。"
TOKEN_BYTES = 24
_TOKEN = re.compile(r"[A-Za-z0-9_-]{32}")
MAX_AGE = 365 * 24 * 3600
"""Seconds that a browser keeps the cookie."""


def refusal(refused: RefusedError, status: int | None = None) -> Response:
    """Returns the response to a refused request."""
    return JSONResponse({"error": refused.fields()}, status or refused.status, NOT_KEPT)


def write_private(path: Path, text: str) -> None:
    """Writes a new file that only its owner can read. Raises OSError."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(text)


def read_token(path: Path) -> str:
    """Returns the token in a file, which is created (mode 600) if missing.

    Raises:
        ValueError: The file holds something else.
        OSError: It cannot be read or created.
    """
    try:
        text = path.read_text(encoding="ascii", errors="replace").strip()
    except FileNotFoundError:
        text = secrets.token_urlsafe(TOKEN_BYTES)
        write_private(path, text + "\n")
    if not _TOKEN.fullmatch(text):
        raise ValueError(
            f"{path}: expected a token of 32 letters and digits; remove the file to get a new one"
        )
    os.chmod(path, 0o600)
    return text


class Access:
    """Issues and verifies cookies.

    Args:
        token: The token of the server.
    """

    def __init__(self, token: str) -> None:
        self._token = token.encode()
        self.cookie_name = "table-" + hashlib.sha256(b"name" + self._token).hexdigest()[:8]

    def opens(self, token: str) -> bool:
        """Returns whether this is the token, compared in constant time."""
        return hmac.compare_digest(token.encode(), self._token)

    def _sign(self, session: str) -> str:
        return hmac.new(self._token, b"session " + session.encode(), hashlib.sha256).hexdigest()

    def cookie(self, session: str | None) -> str:
        """Returns the ``Set-Cookie`` header of a session, or of a new one for None.

        Browsers also send the cookie when a link in a mail or a chat opens the page; requests that
        change something are checked by their origin.
        """
        session = session or secrets.token_urlsafe(12)
        value = f"{session}.{self._sign(session)}"
        return f"{self.cookie_name}={value}; HttpOnly; SameSite=Lax; Path=/; Max-Age={MAX_AGE}"

    def session_of(self, cookies: str) -> str | None:
        """Returns the session of a ``Cookie`` header, None without a valid cookie of ours."""
        found = re.search(rf"(?:^|;) ?{self.cookie_name}=([\w-]{{8,64}})\.(\w+)(?:;|$)", cookies)
        if found is None or not hmac.compare_digest(
            found[2].encode(), self._sign(found[1]).encode()
        ):
            return None
        return found[1]


class Guard:
    """ASGI middleware that admits only requests of the server's own page.

    An admitted request carries its session in ``scope["session"]``.

    Args:
        app: The guarded application.
        access: Decides which requests are admitted.
        host: The host the server listens on.
        port: Its port.
    """

    def __init__(self, app: ASGIApp, access: Access, host: str, port: int) -> None:
        self._app, self._access, self._port = app, access, port
        names = {"127.0.0.1", "localhost", "[::1]"}
        self._any_address = host in EVERYWHERE
        if self._any_address:
            names.add(socket.gethostname().lower())
        elif host not in ("127.0.0.1", "localhost", "::1"):
            names = {f"[{host}]" if ":" in host else host.lower()}
        self._hosts = {f"{name}:{port}" for name in names}

    def knows(self, host: str) -> bool:
        """Returns whether a ``Host`` header names this server: one of our addresses or names, and
        the port.
        """
        if self._port == 80 and not host.endswith(":80"):
            host += ":80"  # which browsers leave out
        name, _, port = host.rpartition(":")
        if host.lower() in self._hosts or not self._any_address:
            return host.lower() in self._hosts
        try:  # unlike a name, an address cannot be rebound
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return port == str(self._port)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Rejects inadmissible requests, and passes on the others."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        async def guarded_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer: ASGIApp | None
        try:
            answer = self._check(HTTPConnection(scope))
        except RefusedError as refused:
            # Closing a socket before accepting it sends a 403.
            answer = WebSocketClose(1008) if scope["type"] == "websocket" else refusal(refused)
        await (answer or self._app)(scope, receive, guarded_send)

    def _check(self, request: HTTPConnection) -> Response | None:
        """Sets the session of an admitted request and returns None; returns the response to one
        with the token.

        Raises:
            RefusedError: The request is inadmissible.
        """
        scope = request.scope
        host, origin = (_only(request.headers, name) for name in ("host", "origin"))
        is_safe = scope["type"] == "http" and scope["method"] in SAFE
        if not self.knows(host or ""):
            raise RefusedError(
                "forbidden", "unknown host name; use the address that the server printed"
            )
        cross_site = request.headers.get("sec-fetch-site") == "cross-site"
        if (not (is_safe and origin is None) and origin != f"http://{host}") or (
            cross_site and request.headers.get("sec-fetch-mode") != "navigate"
        ):
            raise RefusedError("forbidden", "this request comes from another page")
        session = self._access.session_of("; ".join(request.headers.getlist("cookie")))
        token = request.query_params.get("token", "")
        if is_safe and scope["path"] == "/" and self._access.opens(token):
            cookie = {"set-cookie": self._access.cookie(session)}
            return RedirectResponse("/", 303, NOT_KEPT | cookie)
        if session is None and scope["path"] == "/":
            return HTMLResponse(
                f"<p lang=en>{NO_TOKEN}</p><p lang=zh>{NO_TOKEN_ZH}</p>", 401, NOT_KEPT
            )
        if session is None and scope["path"] not in OPEN_PATHS:
            raise RefusedError(
                "unauthorised", "open the address that the server printed, with its token"
            )
        scope["session"] = session
        return None


def _only(headers: Headers, name: str) -> str | None:
    """Returns a header; None if it occurs several times."""
    return "\n".join(headers.getlist(name)) if name in headers else None
