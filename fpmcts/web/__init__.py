"""The browser table: a server of tables for people, over HTTP and WebSockets
(``docs/web-protocol.md``).

From the lowest up: ``engine`` asks the players, who live in a process of their own; ``tables``
knows what can be played, one table and all of them, and keeps their games; ``review`` answers what
is asked apart from moves; ``server`` says who may speak and what can be said. ``config``,
``errors`` and ``clock`` stand below all of them, ``static`` is the page.
"""
