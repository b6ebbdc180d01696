"""Who is let in, and what every answer carries."""

from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from fpmcts.web.server.guard import HEADERS, Access, Guard, read_token
from tests.web.conftest import ORIGIN, SOCKET, TOKEN, Site, Tab, new_table

ORIGINS = [
    "http://evil.example",
    "null",
    "http://127.0.0.1:8001",
    "https://127.0.0.1:8000",
    "http://127.0.0.1:8000.evil.example",
]
HOSTS = [
    *("evil.example:8000", "127.0.0.1", "127.0.0.1:8001", "127.0.0.1:8000.evil.example"),
    *("", "[::1", ":8000"),
]


def refuses_a_socket(client: TestClient, headers: dict[str, str]) -> None:
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(SOCKET, headers=headers):
        pass


def test_other_pages_and_hosts_are_refused(client: TestClient) -> None:
    del client.headers["origin"]
    foreign = [{"host": host, "origin": f"http://{host}"} for host in HOSTS]
    for headers in [{}, *({"origin": origin} for origin in ORIGINS), *foreign]:
        refuses_a_socket(client, headers)
        answer = client.post("/api/tables", json={}, headers=headers)
        assert answer.status_code == 403 and answer.json()["error"]["code"] == "forbidden", headers
    cross_site = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    for headers in [*foreign, cross_site]:
        for path in ("/", "/api/health", "/api/tables"):
            assert client.get(path, headers=headers).status_code == 403, headers
    assert client.get("/api/tables").status_code == 200


@pytest.mark.parametrize(
    ("host", "known", "unknown"),
    [
        (
            "0.0.0.0",
            ("192.168.1.7:80", "192.168.1.7", "localhost", "localhost:80", "[fe80::1]"),
            ("rebound.example:80", "192.168.1.7:81"),
        ),
        ("192.168.1.7", ("192.168.1.7:80",), ("127.0.0.1:80", "192.168.1.8:80")),
    ],
)
def test_names_of_a_server_for_others(
    host: str, known: tuple[str, ...], unknown: tuple[str, ...]
) -> None:
    guard = Guard(lambda *_: None, Access(TOKEN), host, 80)  # type: ignore[arg-type, return-value]
    assert all(map(guard.knows, known)) and not any(map(guard.knows, unknown))


def test_token_becomes_a_cookie(site: Site) -> None:
    with site.client() as client:
        for path in ("/", "/api/tables", "/static/main.js", "/nothing", "/?token=wrong", "/?token"):
            assert client.get(path).status_code == 401, path
        refuses_a_socket(client, ORIGIN)
        assert client.get("/api/health").json() == {"state": "ready", "warm": 1.0}
        answer = client.get(f"/?token={TOKEN}")
        assert answer.status_code == 303 and answer.headers["location"] == "/"
        # Lax: a link in a mail or a chat brings the cookie, so the session continues.
        assert {"HttpOnly", "SameSite=Lax"} <= set(answer.headers["set-cookie"].split("; "))
        assert client.get("/api/tables").status_code == 200
        session = dict(client.cookies)
        again = client.get(f"/?token={TOKEN}")  # a known visitor keeps the session
        assert again.status_code == 303 and dict(client.cookies) == session
        assert "Max-Age" in again.headers["set-cookie"]  # a year more


def test_devices_have_tables_of_their_own(client: TestClient) -> None:
    table, first = new_table(client)["id"], dict(client.cookies)
    client.cookies.clear()
    client.get(f"/?token={TOKEN}")
    assert dict(client.cookies) != first
    for path in ("", "/record", "/replay", "/outside"):
        assert client.get(f"/api/tables/{table}{path}").status_code == 404
    with Tab(client) as tab:
        assert tab.refused("join", table=table) == "unknown_table"
    assert client.get("/api/tables").json() == {"tables": []}


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda name, value: f"{name}={value[:-1]}{int(value[-1] == '0')}", 401),
        (lambda name, value: f"{name}={value.partition('.')[0]}", 401),
        (lambda name, value: f"x{name}={value}", 401),
        # other servers of the machine leave cookies that no standard parser reads
        (lambda name, value: f'a[b]={{"c": 1,"d"}}; no name; {name}={value}; e="f', 200),
    ],
)
def test_cookies_forged_and_odd(
    client: TestClient, site: Site, change: Callable[[str, str], str], status: int
) -> None:
    name = site.access.cookie_name
    cookie = change(name, client.cookies[name])
    client.cookies.clear()
    assert client.get("/api/tables", headers={"cookie": cookie}).status_code == status


def test_token_file_is_private_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "play.sqlite.token"
    token = read_token(path)
    assert path.stat().st_mode & 0o777 == 0o600 and len(token) == 32
    path.chmod(0o644)
    assert read_token(path) == token
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("short\n")
    with pytest.raises(ValueError, match="remove the file"):
        read_token(path)


def test_every_answer_has_the_headers(client: TestClient) -> None:
    paths = ("/", "/api/health", "/api/tables/none", "/nothing", "/static/none.js")
    answers = [
        *map(client.get, (*paths, f"/?token={TOKEN}")),
        client.post("/api/tables", content=b"{"),
        client.delete("/api/tables"),
        client.get("/api/health", headers={"host": "evil.example"}),
        client.get("/api/tables", headers={"cookie": "", "origin": "null"}),
    ]
    for answer in answers:
        for name, value in HEADERS.items():
            assert answer.headers[name] == value or name == "cache-control", (answer.url, name)
        assert "access-control-allow-origin" not in answer.headers
    policy = HEADERS["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy and "http" not in policy


def test_static_files_are_compressed_and_kept(client: TestClient) -> None:
    answer = client.get("/static/words.js")
    assert answer.headers["content-encoding"] == "gzip"
    known = {"if-none-match": answer.headers["etag"]}
    assert client.get("/static/words.js", headers=known).status_code == 304


def test_static_files_stay_in_their_folder(client: TestClient) -> None:
    for path in ("../app.py", "%2e%2e/app.py", "..%2f..%2fplay.py", "/etc/passwd"):
        assert client.get(f"/static/{path}").status_code == 404, path
