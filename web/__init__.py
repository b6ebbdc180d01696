"""The browser table: a server of tables for people, over HTTP and WebSockets (``docs/web-protocol.md``).

The lowest idea first: ``access`` and ``guard`` say who may speak, ``messages`` what can be said, ``limits`` how often;
``catalogue`` and ``rulebook`` what can be played, ``views`` what is told of it, ``store`` what is kept; ``engine`` asks the
players, who live in a process of their own (``engine_process``); ``room`` is one table, ``rooms`` all of them; ``jobs``,
``analysis`` and ``review`` are what is asked besides; ``connection`` is one tab, ``app`` the server, ``server`` its process.
"""
