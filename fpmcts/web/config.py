"""The keys of ``fpmcts play``."""

from dataclasses import dataclass

from games.base.settings import setting


@dataclass
class PlayConfig:
    """The keys of ``fpmcts play``.

    Attributes:
        host: Address to listen on. 127.0.0.1 serves this machine only; 0.0.0.0 serves your network,
            where anyone with the token can play and nothing is encrypted.
        port: Port to listen on; 0 picks a free one.
        browser: Whether to open the page.
        games: SQLite file that stores the games; the access token is kept next to it.
        checkpoint: Run folder or checkpoint whose players are added to the lobby; may be given
            several times.
        puzzles: A file of puzzles (``fpmcts puzzles``) to show beside those that come with the
            project.
        review: A file of saved games (``evaluate.py save=FILE``) to show in the lobby.
    """

    host: str = "127.0.0.1"
    port: int = setting(8000, least=0, most=65_535)
    browser: bool = True
    games: str = "runs/play.sqlite"
    checkpoint: list[str] = setting(default_factory=list)
    puzzles: str | None = None
    review: str | None = None
