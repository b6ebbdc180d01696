// Puzzles from reviewed games, and the deal editor.

import { h, html, useEffect, useState } from "./vendor/preact.js";
import { Counter, moveText } from "./cards.js";
import { get, post } from "./connection.js";
import { Controls } from "./controls.js";
import { Felt, Log } from "./felt.js";
import { keep, kept } from "./keys.js";
import { Back, turnText } from "./play.js";
import { byLevel, gameOf, gameTitle, seatTitle, usual } from "./players.js";
import { dealSuits } from "./suits.js";
import { lossOf, ofGame, setUnit, t } from "./words.js";
import { button, element, field, input, panel, select } from "./parts.js";

function Top({ title, go, label, options, value, change }) {
  return html`
    <header class="bar-top">
      ${h(Back, { go })}
      <h1>${title}</h1>
      <span class="spread"></span>
      ${select(value, change, options, { "aria-label": label })}
    </header>
  `;
}

const SOLVED = "fpmcts.solved";
const keyOf = (puzzle) => `${puzzle.table}-${puzzle.ply}`;
const themeOf = ({ game, theme }) =>
  theme ? (ofGame(game, `theme_${theme}`) ?? theme) : t("own_mistakes");

export function Puzzles({ connection, go, prefs, say, announce, fail }) {
  const [puzzles, setPuzzles] = useState(null);
  const [theme, setTheme] = useState("");
  const [at, setAt] = useState(null); // a key
  const [views, setViews] = useState({}); // by key
  const [all, setAll] = useState({}); // what was answered, by key
  const [solved, setSolved] = useState(() => kept(SOLVED, {}));
  const of = (wanted) => (puzzles ?? []).filter((one) => !wanted || themeOf(one) === wanted);
  const shown = of(theme);
  const doneOf = (wanted) => of(wanted).filter((one) => solved[keyOf(one)]).length;
  const place = Math.max(
    0,
    shown.findIndex((one) => (at ? keyOf(one) === at : !solved[keyOf(one)])),
  );
  const puzzle = shown[place];
  const key = puzzle && keyOf(puzzle);
  const view = views[key];
  const { waiting, tried, answer } = all[key] ?? {};
  const note = (fields) =>
    setAll((before) => ({ ...before, [key]: { ...before[key], ...fields } }));
  const game = gameOf(puzzle?.game);
  const digits = game?.reports_wins ? 1 : 2;
  setUnit(1, false);
  if (view) dealSuits(view, puzzle.table, prefs.suits);
  useEffect(() => void get("/api/puzzles").then((found) => setPuzzles(found.puzzles), fail), []);
  useEffect(() => {
    if (!puzzle) return undefined;
    setAt(key);
    connection.join(puzzle.table);
    get(`/api/tables/${puzzle.table}/puzzle?ply=${puzzle.ply}`).then(
      (found) => setViews((before) => ({ ...before, [key]: found.view })),
      fail,
    );
    return () => connection.leave();
  }, [key]);
  const ask = (fields, hear) =>
    connection.send({ ply: puzzle.ply, ...fields }, (message) => {
      if (message.type === "error" || message.error) fail(message.error ?? message);
      if (message.type !== "queued") hear(message);
    });
  const reveal = () =>
    ask({ type: "reveal" }, ({ decisions }) => note({ answer: decisions?.[0].best }));
  const attempt = (move) => {
    note({ waiting: true });
    ask({ type: "try", move }, (found) => {
      note({ waiting: false, tried: found.tried });
      if (found.tried?.right) {
        const marked = { ...solved, [key]: true };
        setSolved(marked);
        keep(SOLVED, marked);
      }
      if (found.tried)
        announce(found.tried.right ? t("solved") : t("not_right", lossOf(found.tried, digits)));
    });
  };
  return html`
    <main class="tool">
      ${h(Top, {
        go,
        title: t("puzzles"),
        label: t("theme"),
        options: ["", ...new Set(of("").map(themeOf))].map((one) => [
          one,
          `${one || t("all")} ${doneOf(one)}/${of(one).length}`,
        ]),
        value: theme,
        change: (next) => (setTheme(next), setAt(null)),
      })}
      ${puzzles && !puzzles.length && element("p", t("no_puzzles"), "panel")}
      ${view &&
      html`
        <p class="row">
          <b>
            ${`${t("puzzle_n", place + 1, shown.length)}${solved[key] ? " ✓" : ""} · `}
            ${`${gameTitle(puzzle.game)} · ${themeOf(puzzle)}`}
          </b>
          <span class="muted">${t("puzzle_text")}</span>
        </p>
        <${Felt}
          view=${view}
          status=${waiting
            ? "…"
            : tried
              ? [
                  element(
                    "b",
                    tried.right ? `✓ ${t("solved")}` : `✗ ${t("not_right", lossOf(tried, digits))}`,
                    tried.right ? "gain" : "lose",
                  ),
                  " ",
                  moveText(tried.move, "tiny"),
                ]
              : turnText(view)}
        >
          ${h(Controls, { key, view, say, play: attempt, keys: prefs.keys })}
        <//>
        <div class="row after">
          ${answer
            ? [element("b", t("best_was")), moveText(answer, "tiny")]
            : button(t("show"), reveal)}
          ${shown.length > 1 &&
          button(t("next_puzzle"), () => setAt(keyOf(shown[(place + 1) % shown.length])))}
        </div>
        ${h(Counter, { view })} ${panel("log", h(Log, { view }))}
      `}
    </main>
  `;
}

export function Editor({ config, prefs, go, make, fail, say }) {
  const able = config.games.filter((game) => game.deal);
  const [name, setName] = useState(able[0]?.name);
  const [fields, setFields] = useState({});
  const [mine, setMine] = useState(0);
  const [against, setAgainst] = useState(null); // null: as the game proposes
  const [good, setGood] = useState(null); // a valid deal, and its view
  const game = able.find((one) => one.name === name);
  if (!game) return "";
  const set = (key, value) => {
    setGood(null);
    setFields({ ...fields, [key]: value });
  };
  // Some games write a hand as a string of ranks, others as a list of cards; the game says which it
  // accepts.
  const asText = (text) => text.toUpperCase().replaceAll("10", "T").replace(/[\s,]/g, "");
  const asList = (text) => text.replaceAll("10", "T").match(/[2-9TJQKAtjqka][shdc]?|\S/g) ?? [];
  const deal = (form) =>
    Object.fromEntries(
      Object.entries(game.deal).map(([key, what]) => [
        key,
        Array.isArray(what)
          ? what.map((_, k) => form(fields[`${key}.${k}`] ?? ""))
          : form(fields[key] ?? ""),
      ]),
    );
  const moves = () => {
    const text = fields.moves ?? ""; // bids contain spaces
    return text
      .split(/[,，]/.test(text) ? /[,，]/ : /\s/)
      .map((move) => move.trim())
      .filter(Boolean);
  };
  const ask = (form) =>
    post("/api/deals", { game: name, deal: deal(form), moves: moves() }).then((answer) => ({
      view: answer.view,
      deal: deal(form),
    }));
  const check = (event) => {
    event.preventDefault();
    const suits = Object.values(fields).some((text) => /[2-9TJQKA][shdc]/.test(text));
    const [first, second] = suits ? [asList, asText] : [asText, asList];
    ask(first)
      .catch((error) => ask(second).catch(() => Promise.reject(error)))
      .then((answer) => (setGood(answer), say(t("deal_good"))), fail);
  };
  const take = () =>
    make({
      game: name,
      mode: "open",
      deal: good.deal,
      moves: moves(),
      seats: game.seats.map((_, seat) => (seat === mine ? "you" : (against ?? usual(game)))),
    });
  if (good) dealSuits(good.view, name, prefs.suits);
  const cards = (text) => t("cards_left", parseInt(text, 10));
  const rows = Object.entries(game.deal).flatMap(([key, what]) =>
    Array.isArray(what)
      ? what.map((one, k) => [`${key}.${k}`, `${seatTitle(game, k)} · ${cards(one)}`])
      : [[key, `${t(key)} · ${cards(what)}`]],
  );
  return html`
    <main class="tool">
      ${h(Top, {
        go,
        title: t("editor"),
        label: t("game"),
        options: able.map((one) => [one.name, gameTitle(one.name)]),
        value: name,
        change: (next) => (
          setName(next),
          setFields({}),
          setGood(null),
          setMine(0),
          setAgainst(null)
        ),
      })}
      <form class="panel" onSubmit=${check}>
        <p class="muted">${t("deal_help")}</p>
        ${rows.map(([key, label]) =>
          field(
            label,
            input(fields[key] ?? "", (text) => set(key, text)),
          ),
        )}
        ${field(
          t("moves_help"),
          input(fields.moves ?? "", (text) => set("moves", text)),
        )}
        ${field(
          t("your_seat"),
          select(
            String(mine),
            (seat) => setMine(Number(seat)),
            game.seats.map((_, seat) => [String(seat), seatTitle(game, seat)]),
          ),
        )}
        ${field(t("opponents"), select(against ?? usual(game), setAgainst, byLevel(game)))}
        <div class="row">
          <button type="submit" class=${good ? "" : "primary"}>${t("check")}</button>
          ${button(t("take"), take, good ? "primary" : "", { disabled: !good })}
        </div>
      </form>
      ${good && h(Felt, { view: good.view })}
    </main>
  `;
}
