// The page: what is shown follows the part of the address behind "#".
//
//   #            the lobby            #t=ID     a table
//   #g=GAME&seed=N  a lobby with this deal     #puzzles, #editor

import { html, render, useEffect, useRef, useState } from "./vendor/preact.js";
import { Connection, get } from "./connection.js";
import { Lobby } from "./lobby.js";
import { Play } from "./play.js";
import { Editor, Puzzles } from "./tools.js";
import { setLanguage, systemLanguage, t } from "./words.js";

const KEPT = "fpmcts.settings";
const TOAST_MS = 5000;

function readPrefs() {
  const own = { language: systemLanguage(), keys: true, calm: false, four: true };
  try {
    return { ...own, ...JSON.parse(localStorage.getItem(KEPT) ?? "{}") };
  } catch {
    return own;
  }
}

function place() {
  const text = location.hash.slice(1);
  if (["puzzles", "editor"].includes(text)) return { page: text };
  const fields = Object.fromEntries(new URLSearchParams(text));
  return fields.t ? { page: "table", id: fields.t } : { page: "lobby", wish: fields };
}

// Messages of the server, to all who listen.
class Bus {
  constructor() {
    this.listeners = new Set();
  }

  listen(hear) {
    this.listeners.add(hear);
    return () => this.listeners.delete(hear);
  }

  tell(message) {
    for (const hear of [...this.listeners]) hear(message);
  }
}

function Settings({ prefs, change }) {
  const box = (name, label) => html`<label class="check"><input type="checkbox" checked=${prefs[name]} onChange=${(event) => change({ [name]: event.target.checked })} /> ${label}</label>`;
  return html`<details class="settings"><summary>${t("settings")}</summary><div class="panel">
    <label class="field"><span>${t("language")}</span><select value=${prefs.language} onChange=${(event) => change({ language: event.target.value })}>
      <option value="en">English</option><option value="zh">中文</option></select></label>
    ${box("keys", t("keys"))} ${box("calm", t("calm"))} ${box("four", t("four_colours"))}
    <p class="muted small">${t("help")}</p></div></details>`;
}

function App({ connection, bus }) {
  const [prefs, setPrefs] = useState(readPrefs);
  const [at, setAt] = useState(place);
  const [config, setConfig] = useState(null);
  const [engine, setEngine] = useState({ state: "starting", warm: 0 });
  const [online, setOnline] = useState(true);
  const [toast, setToast] = useState("");
  const timer = useRef(0);
  const say = (text) => {
    setToast(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setToast(""), TOAST_MS);
  };
  const fail = (error) => say(error.message);
  setLanguage(prefs.language);
  useEffect(() => {
    const moved = () => setAt(place());
    addEventListener("hashchange", moved);
    get("/api/config").then(setConfig, fail);
    return bus.listen((message) => {
      if (message.type === "welcome" || message.type === "engine") setEngine({ state: message.state, warm: message.warm });
      if (message.type === "connected") setOnline(true);
      if (message.type === "disconnected") setOnline(false);
    });
  }, []);
  useEffect(() => {
    localStorage.setItem(KEPT, JSON.stringify(prefs));
    document.documentElement.classList.toggle("calm", prefs.calm);
    document.documentElement.classList.toggle("two-colours", !prefs.four);
    document.title = t("title");
  }, [prefs]);
  const go = (hash) => {
    location.hash = hash;
  };
  const open = (id) => go(`t=${id}`);
  const shared = { config, connection, bus, prefs, engine, go, open, say, fail };
  const pages = { lobby: Lobby, table: Play, puzzles: Puzzles, editor: Editor };
  const Page = pages[at.page];
  return html`<div class="page">
    <${Settings} prefs=${prefs} change=${(some) => setPrefs({ ...prefs, ...some })} />
    ${!online && html`<p class="notice" role="status">${t("lost")}</p>`}
    ${config ? html`<${Page} ...${shared} id=${at.id} key=${at.page === "table" ? at.id : at.page} wish=${at.wish ?? {}} />` : html`<p class="starting">…</p>`}
    <div class="toast" role="alert">${toast}</div>
  </div>`;
}

const bus = new Bus();
const connection = new Connection((message) => bus.tell(message));
const root = document.getElementById("app");
root.replaceChildren();
render(html`<${App} connection=${connection} bus=${bus} />`, root);
