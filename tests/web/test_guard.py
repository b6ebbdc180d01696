"""Who is let in, and what every answer carries."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from fpmcts.web.server.guard import HEADERS, Access, Guard, read_token
from tests.web.conftest import HOST, ORIGIN, SOCKET, TOKEN, Site, Tab, new_table

FOREIGN = [
    "http://evil.example",
    "null",
    None,
    "http://127.0.0.1:8001",
    "https://127.0.0.1:8000",
    "http://127.0.0.1:8000.evil.example",
]


def refuses_a_socket(client: TestClient, headers: dict[str, str]) -> None:
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(SOCKET, headers=headers):
        pass


@pytest.mark.parametrize("origin", FOREIGN)
def test_other_pages_are_refused(client: TestClient, origin: str | None) -> None:
    headers = {} if origin is None else {"origin": origin}
    del client.headers["origin"]
    refuses_a_socket(client, headers)
    answer = client.post("/api/tables", json={}, headers=headers)
    assert answer.status_code == 403 and answer.json()["error"]["code"] == "forbidden"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8000",
        "127.0.0.1",
        "127.0.0.1:8001",
        "127.0.0.1:8000.evil.example",
        "",
        "[::1",
        ":8000",
    ],
)
def test_foreign_hosts_are_refused(client: TestClient, host: str) -> None:
    headers = {"host": host, "origin": f"http://{host}"}
    for path in ("/", "/api/health", "/api/tables"):
        assert client.get(path, headers=headers).status_code == 403
    refuses_a_socket(client, headers)


def test_names_of_a_server_for_others() -> None:
    def guard(host: str) -> Guard:
        return Guard(lambda *_: None, Access(TOKEN), host, 80)  # type: ignore[arg-type, return-value]

    everywhere = guard("0.0.0.0")
    assert (
        everywhere.knows("192.168.1.7:80")
        and everywhere.knows("localhost:80")
        and everywhere.knows("[fe80::1]:80")
    )
    assert not everywhere.knows("rebound.example:80") and not everywhere.knows("192.168.1.7:81")
    one = guard("192.168.1.7")
    assert (
        one.knows("192.168.1.7:80")
        and not one.knows("127.0.0.1:80")
        and not one.knows("192.168.1.8:80")
    )


def test_cross_site_requests_without_origin_are_refused(client: TestClient) -> None:
    del client.headers["origin"]
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    assert client.get("/api/tables", headers=headers).status_code == 403
    assert client.get("/api/tables").status_code == 200


def test_token_becomes_a_cookie(site: Site) -> None:
    with site.client() as client:
        for path in (
            "/",
            "/api/tables",
            "/api/config",
            "/static/app.js",
            "/nothing",
            "/?token=wrong",
            "/?token=",
        ):
            assert client.get(path).status_code == 401, path
        refuses_a_socket(client, ORIGIN)
        assert client.get("/api/health").json() == {"state": "ready", "warm": 1.0}
        answer = client.get(f"/?token={TOKEN}")
        assert answer.status_code == 303 and answer.headers["location"] == "/"
        assert (
            "HttpOnly" in answer.headers["set-cookie"]
            and "SameSite=Strict" in answer.headers["set-cookie"]
        )
        assert client.get("/api/tables").status_code == 200
        again = client.get(f"/?token={TOKEN}")
        assert (
            again.status_code == 303 and "set-cookie" not in again.headers
        )  # who is known stays the same session


def test_devices_have_tables_of_their_own(site: Site) -> None:
    with site.client() as client:
        client.headers.update(ORIGIN)
        client.get(f"/?token={TOKEN}")
        table = new_table(client)["id"]
        first = dict(client.cookies)
        client.cookies.clear()
        client.get(f"/?token={TOKEN}")
        assert dict(client.cookies) != first
        for path in ("", "/record", "/replay", "/outside"):
            assert client.get(f"/api/tables/{table}{path}").status_code == 404
        with Tab(client) as tab:
            assert tab.refused("join", table=table) == "unknown_table"
        assert client.get("/api/tables").json() == {"tables": []}


@pytest.mark.parametrize(
    "change",
    [
        lambda v: v[:-1] + ("0" if v[-1] != "0" else "1"),
        lambda v: "x" + v,
        lambda v: v.split(".")[0],
        lambda v: "",
    ],
)
def test_forged_cookies_are_refused(client: TestClient, site: Site, change: object) -> None:
    value = client.cookies[site.access.cookie_name]
    client.cookies.clear()
    answer = client.get(
        "/api/tables", headers={"cookie": f"{site.access.cookie_name}={change(value)}"}
    )  # type: ignore[operator]
    assert answer.status_code == 401


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


def test_every_answer_has_the_headers(client: TestClient, site: Site) -> None:
    answers = [
        client.get(path)
        for path in (
            "/",
            "/api/health",
            "/api/config",
            "/api/tables/none",
            "/nothing",
            "/static/none.js",
            f"/?token={TOKEN}",
        )
    ]
    answers += [
        client.post("/api/tables", content=b"{"),
        client.get("/api/health", headers={"host": "evil.example"}),
    ]
    answers += [
        client.get("/api/tables", headers={"cookie": "", "origin": "null"}),
        client.delete("/api/tables"),
    ]
    for answer in answers:
        for name, value in HEADERS.items():
            assert answer.headers[name] == value or name == "cache-control", (answer.url, name)
        assert "access-control-allow-origin" not in answer.headers
    policy = HEADERS["content-security-policy"]
    assert (
        policy.startswith("default-src 'none'") and "unsafe" not in policy and "http" not in policy
    )
    assert HOST not in str(site)


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2f..%2fplay.py",
        "/static//etc/passwd",
    ],
)
def test_static_files_stay_in_their_folder(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404
