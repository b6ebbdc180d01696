"""The keys of ``play.py``."""

from dataclasses import dataclass

from games.settings import setting


@dataclass
class PlayConfig:
    """The keys of ``python play.py key=value …``.

    Attributes:
        host: Where to listen. 127.0.0.1 serves this machine alone; 0.0.0.0 serves your network:
            anybody with the token can play, and nothing is encrypted.
        port: 0 takes a free one.
        browser: Whether to open the page.
        games: File of the games, in SQLite; the token lies beside it.
        checkpoint: Folder of a run, or a checkpoint, whose players stand in the lobby; may be given
            several times.
        review: A file of saved games (``evaluate.py save=FILE``) that stands in the lobby.
    """

    host: str = "127.0.0.1"
    port: int = setting(8000, least=0, most=65_535)
    browser: bool = True
    games: str = "runs/play.sqlite"
    checkpoint: list[str] = setting(default_factory=list)
    review: str | None = None
