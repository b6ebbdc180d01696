"""The browser table: a server of tables for people, over HTTP and WebSockets
(``docs/web-protocol.md``).

From lowest to highest: ``engine`` queries the players, which run in their own process; ``tables``
holds the catalogue, the tables and their stored games; ``review`` runs analyses and reviews;
``server`` handles access, messages and connections. ``config``, ``errors`` and ``clock`` lie below
all of them; ``static`` is the page.
"""
