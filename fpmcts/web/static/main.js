// The page: the part of the address after "#" selects what is shown.
//
//   #            the lobby            #t=ID     a table
//   #g=GAME&seed=N  a lobby with this deal     #puzzles, #editor

import { h, html, render, useEffect, useRef, useState } from "./vendor/preact.js";
import { Connection, get, post } from "./connection.js";
import { setVolume } from "./effects.js";
import { keep, kept, useKeys } from "./keys.js";
import { Lobby } from "./lobby.js";
import { Play } from "./play.js";
import { learnGames, preparingText } from "./players.js";
import { Editor, Puzzles } from "./tools.js";
import { setDetails, setLanguage, systemLanguage, t } from "./words.js";
import { Sheet, button, check, element, field, figure, icon, input, segments } from "./parts.js";

const KEPT = "fpmcts.settings";
const TOAST_MS = 5000;
const LOOK_MS = 1000; // between polls of the games, until all are prepared
const GEAR =
  "M10.200 2h3.600l.5 2.600 1.700.7 2.200-1.500 2.500 2.500-1.500 2.200.7 1.700 2.600.5v3.600\
l-2.600.5-.7 1.700 1.500 2.200-2.500 2.500-2.200-1.500-1.700.7-.5 2.600h-3.600l-.5-2.600\
-1.700-.7-2.200 1.500-2.500-2.500 1.500-2.200-.7-1.700-2.600-.5v-3.600l2.600-.5.7-1.700\
-1.500-2.200 2.500-2.500 2.200 1.500 1.700-.7zM12 8.400a3.600 3.600 0 1 0 0 7.200 3.600\
 3.600 0 0 0 0-7.200z";

const SWITCHES = "keys motion four_colours counter suits autopass combine bb coach details".split(
  " ",
);

function readPrefs() {
  return kept(KEPT, {
    language: systemLanguage(),
    keys: true,
    motion: true,
    volume: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 1,
    theme: "auto",
    four_colours: true,
    counter: true,
    bb: true,
  });
}

function place() {
  const text = location.hash.slice(1);
  if (["puzzles", "editor"].includes(text)) return { page: text };
  const fields = Object.fromEntries(new URLSearchParams(text));
  return fields.t ? { page: "table", id: fields.t } : { page: "lobby", wish: fields };
}

function Settings({ prefs, change }) {
  const dialog = useRef(null);
  const show = () => dialog.current.showModal();
  useKeys(true, (event) => event.key === "?" && (show(), true));
  const languages = segments(
    t("language"),
    [
      ["en", "EN", { lang: "en" }],
      ["zh", "中文", { lang: "zh" }],
    ],
    prefs.language,
    (language) => change({ language }),
  );
  return html`
    <nav class="settings" aria-label=${t("settings")}>
      ${languages} ${icon("settings", show, figure(GEAR))}
      <${Sheet} ...${{ dialog }} name=${t("settings")}>
        <div class="row">
          <h2>${t("settings")}</h2>
          <span class="spread"></span>
          ${languages}
        </div>
        <p class="checks">
          ${SWITCHES.map((name) => check(t(name), prefs[name], (on) => change({ [name]: on })))}
        </p>
        <p class="row">
          ${segments(
            t("theme_colours"),
            ["auto", "light", "dark"].map((one) => [one, t(`colours_${one}`)]),
            prefs.theme,
            (theme) => change({ theme }),
          )}
          ${field(
            t("volume"),
            input(prefs.volume, (volume) => change({ volume: Number(volume) }), {
              type: "range",
              max: 1,
              step: 0.1,
            }),
            "",
            "inline",
          )}
        </p>
        <dl class="keys">
          ${t("help").map(([keys, what]) =>
            element("div", [element("dt", element("kbd", keys)), element("dd", what)]),
          )}
        </dl>
      <//>
    </nav>
  `;
}

function App({ connection }) {
  const [prefs, setPrefs] = useState(readPrefs);
  const [at, setAt] = useState(place);
  const [config, setConfig] = useState(null);
  const [engine, setEngine] = useState({ state: "starting", warm: 0 });
  const [online, setOnline] = useState(true);
  const [toast, setToast] = useState("");
  const [spoken, setSpoken] = useState(""); // the one live region
  const timer = useRef(0);
  const say = (text) => {
    setToast(text);
    setSpoken(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setToast(""), TOAST_MS);
  };
  const fail = (error) => say(t.known(`error_${error.code}`) ?? error.message ?? error.text);
  const learn = (found) => {
    learnGames(found);
    setConfig(found);
    return found;
  };
  const look = () =>
    get("/api/config")
      .then(learn, fail)
      .then((found) => (found && !found.preparing) || setTimeout(look, LOOK_MS));
  const prepare = (game) => get(`/api/config?game=${encodeURIComponent(game)}`).then(learn, fail);
  setLanguage(prefs.language);
  setVolume(prefs.volume);
  const change = (some) => setPrefs({ ...prefs, ...some });
  setDetails(prefs.details, (details) => change({ details }));
  useEffect(() => {
    const moved = () => {
      setAt(place());
      setToast("");
    };
    addEventListener("hashchange", moved);
    const stop = connection.listen((message) => {
      if (message.type === "welcome" || message.type === "engine") setEngine(message);
      if (message.type === "connected") setOnline(true);
      if (message.type === "disconnected") setOnline(false);
    });
    connection.open(); // now that its first message is heard
    look();
    return stop;
  }, []);
  useEffect(() => {
    keep(KEPT, prefs);
    document.documentElement.style.colorScheme = prefs.theme === "auto" ? "" : prefs.theme;
    document.documentElement.classList.toggle("calm", !prefs.motion);
    document.documentElement.classList.toggle("two-colours", !prefs.four_colours);
    if (at.page !== "table") document.title = t("title");
  }, [prefs, at.page]);
  const go = (hash) => {
    location.hash = hash;
  };
  const open = (id) => go(`t=${id}`);
  const make = (table) => post("/api/tables", table).then((made) => open(made.id), fail);
  const shared = {
    config,
    connection,
    prefs,
    engine,
    prepare,
    go,
    open,
    make,
    say,
    announce: setSpoken,
    fail,
  };
  const pages = { lobby: Lobby, table: Play, puzzles: Puzzles, editor: Editor };
  const Page = pages[at.page];
  const shows = config && (config.games.length > 0 || at.page === "lobby");
  return html`
    <div class="page">
      ${h(Settings, { prefs, change })}
      ${!online &&
      element(
        "p",
        [t("lost"), " ", button(t("try_now"), () => connection.again(), "link")],
        "notice",
      )}
      ${shows
        ? h(Page, {
            key: at.page === "table" ? at.id : at.page,
            ...shared,
            id: at.id,
            wish: at.wish ?? {},
          })
        : element("p", config ? preparingText(config, engine) : "…", "starting")}
      <div class="toast" aria-hidden="true">${toast}</div>
      <div class="sr" role="status" aria-live="polite">${spoken}</div>
    </div>
  `;
}

const connection = new Connection();
const root = document.getElementById("app");
root.replaceChildren();
render(h(App, { connection }), root);
