"""Who may come in: one token for the server, and a signed cookie for each device.

The token stands in a file beside the games, readable by its owner only, so it survives a restart.
Whoever shows it gets a cookie with a new session id, signed with the token: nothing has to be kept
to know the cookie again. Cookies do not tell ports apart, so the name of ours tells servers apart.
"""

import hashlib
import hmac
import os
import re
import secrets
from pathlib import Path

TOKEN_BYTES = 24
_TOKEN = re.compile(r"[A-Za-z0-9_-]{32}")
MAX_AGE = 365 * 24 * 3600
"""Seconds that a browser keeps the cookie."""


def read_token(path: Path) -> str:
    """Returns the token in a file, which is made (mode 600) where it is not there.

    Raises:
        ValueError: The file holds something else.
        OSError: It cannot be read or made.
    """
    try:
        text = path.read_text(encoding="ascii", errors="replace").strip()
    except FileNotFoundError:
        text = secrets.token_urlsafe(TOKEN_BYTES)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(text + "\n")
    if not _TOKEN.fullmatch(text):
        raise ValueError(
            f"{path}: expected a token of 32 letters and digits; remove the file to get a new one"
        )
    os.chmod(path, 0o600)
    return text


class Access:
    """Gives and knows cookies.

    Args:
        token: The token of the server.
    """

    def __init__(self, token: str) -> None:
        self._token = token.encode()
        self.cookie_name = "table-" + hashlib.sha256(b"name" + self._token).hexdigest()[:8]

    def opens(self, token: str) -> bool:
        """Returns whether this is the token, in a time that does not tell how much of it was
        right.
        """
        return hmac.compare_digest(token.encode(), self._token)

    def _sign(self, session: str) -> str:
        return hmac.new(self._token, b"session " + session.encode(), hashlib.sha256).hexdigest()

    def new_cookie(self) -> str:
        """Returns the ``Set-Cookie`` header of a new session."""
        session = secrets.token_urlsafe(12)
        value = f"{session}.{self._sign(session)}"
        return f"{self.cookie_name}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={MAX_AGE}"

    def session_of(self, cookies: str) -> str | None:
        """Returns the session of a ``Cookie`` header, None where there is none of ours."""
        found = re.search(rf"(?:^|;) ?{self.cookie_name}=([\w-]{{8,64}})\.(\w+)(?:;|$)", cookies)
        if found is None or not hmac.compare_digest(
            found[2].encode(), self._sign(found[1]).encode()
        ):
            return None
        return found[1]
