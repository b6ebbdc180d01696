// Puzzles from reviewed games, and the deal editor.

import { html, useEffect, useState } from "./vendor/preact.js";
import { Counter, MoveText, unseenCounts } from "./cards.js";
import { get, post } from "./connection.js";
import { Controls, playsCards } from "./controls.js";
import { Felt, Log } from "./felt.js";
import { keep, kept } from "./keys.js";
import { Back } from "./play.js";
import { byLevel, gameTitle, levelTitle, seatTitle, usual } from "./players.js";
import { lossOf, setUnit, t } from "./words.js";

function Top({ title, go, games, name, change }) {
  return html`
    <header class="bar-top">
      <${Back} go=${go} />
      <h1>${title}</h1>
      <span class="spread"></span>
      ${games.length > 1 &&
      html`
        <select
          aria-label=${t("game")}
          value=${name}
          onChange=${(event) => change(event.target.value)}
        >
          ${games.map(
            (one) => html`
              <option value=${one.name} key=${one.name}>${gameTitle(one.name)}</option>
            `,
          )}
        </select>
      `}
    </header>
  `;
}

const SOLVED = "fpmcts.solved";
const keyOf = (puzzle) => `${puzzle.table}-${puzzle.ply}`;
const solvedOf = (puzzles, solved) => puzzles.filter((one) => solved[keyOf(one)]).length;

export function Puzzles({ config, connection, go, prefs, say, announce, fail }) {
  const [puzzles, setPuzzles] = useState(null);
  const [place, setPlace] = useState(0);
  const [all, setAll] = useState({}); // what was answered, by puzzle
  const [solved, setSolved] = useState(() => kept(SOLVED, {}));
  useEffect(() => {
    get("/api/puzzles").then(({ puzzles: found }) => {
      setPuzzles(found);
      setPlace(
        Math.max(
          0,
          found.findIndex((one) => !solved[keyOf(one)]),
        ),
      );
    }, fail);
  }, []);
  const puzzle = puzzles?.[place];
  const key = puzzle && keyOf(puzzle);
  const { waiting, tried, answer } = all[key] ?? {};
  const note = (fields) =>
    setAll((before) => ({ ...before, [key]: { ...before[key], ...fields } }));
  const game = config.games.find((one) => one.name === puzzle?.view.game);
  const digits = game?.reports_wins ? 1 : 2;
  setUnit(1, false);
  useEffect(() => {
    if (puzzle) connection.join(puzzle.table);
    return () => connection.leave();
  }, [puzzle?.table]);
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
      <${Top} title=${t("puzzles")} go=${go} games=${[]} />
      ${puzzles &&
      !puzzles.length &&
      html`
        <p class="panel">${t("no_puzzles")}</p>
      `}
      ${puzzle &&
      html`
        <p class="row">
          <b>
            ${t("puzzle_n", place + 1, puzzles.length)}${solved[key] ? " ✓" : ""}${" "}·${" "}
            ${gameTitle(puzzle.view.game)}
          </b>
          <span class="muted">
            ${t("puzzle_text")}${" "}${t("solved_n", solvedOf(puzzles, solved))}
          </span>
        </p>
        <${Felt}
          view=${puzzle.view}
          config=${config}
          status=${waiting
            ? "…"
            : tried
              ? html`
                  <b class=${tried.right ? "gain" : "lose"}>
                    ${tried.right
                      ? `✓ ${t("solved")}`
                      : `✗ ${t("not_right", lossOf(tried, digits))}`}
                  </b>
                  ${" "}
                  <${MoveText} move=${tried.move} size="tiny" />
                `
              : puzzle.view.facts?.to_beat
                ? html`
                    <b class="yours">${t("your_turn")}</b>
                    ${" "}${t("beat")}${" "}
                    <${MoveText} move=${puzzle.view.facts.to_beat} size="tiny" />
                  `
                : html`
                    <b class="yours">${t("your_turn")}</b>
                  `}
        >
          <${Controls}
            key=${key}
            view=${puzzle.view}
            legal=${puzzle.view.legal}
            play=${attempt}
            say=${say}
            keys=${prefs.keys}
          />
        <//>
        <div class="row after">
          ${answer
            ? html`
                <b>${t("best_was")}</b>
                ${" "}
                <${MoveText} move=${answer} size="tiny" />
              `
            : html`
                <button type="button" onClick=${reveal}>${t("show")}</button>
              `}
          ${puzzles.length > 1 &&
          html`
            <button type="button" onClick=${() => setPlace((place + 1) % puzzles.length)}>
              ${t("next_puzzle")}
            </button>
          `}
        </div>
        ${playsCards(puzzle.view) &&
        html`
          <${Counter} counts=${unseenCounts(puzzle.view)} />
        `}
        <section class="panel">
          <h2>${t("log")}</h2>
          <${Log} view=${puzzle.view} config=${config} />
        </section>
      `}
    </main>
  `;
}

export function Editor({ config, go, open, fail, say }) {
  const able = config.games.filter((game) => game.deal);
  const [name, setName] = useState(able[0]?.name);
  const [fields, setFields] = useState({});
  const [mine, setMine] = useState(0);
  const [against, setAgainst] = useState(null); // null: as the game proposes
  const [good, setGood] = useState(null); // a valid deal, and its view
  const game = able.find((one) => one.name === name);
  if (!game)
    return html`
      <main class="tool">
        <${Top} title=${t("editor")} go=${go} games=${[]} name="" change=${() => {}} />
      </main>
    `;
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
    post("/api/tables", {
      game: name,
      mode: "open",
      deal: good.deal,
      moves: moves(),
      seats: game.seats.map((_, seat) => (seat === mine ? "you" : (against ?? usual(game)))),
    }).then((made) => open(made.id), fail);
  const cards = (text) => t("cards_left", parseInt(text, 10));
  const rows = Object.entries(game.deal).flatMap(([key, what]) =>
    Array.isArray(what)
      ? what.map((one, k) => [`${key}.${k}`, `${seatTitle(game, k)} · ${cards(one)}`])
      : [[key, `${t(key)} · ${cards(what)}`]],
  );
  return html`
    <main class="tool">
      <${Top}
        title=${t("editor")}
        go=${go}
        games=${able}
        name=${name}
        change=${(next) => (
          setName(next),
          setFields({}),
          setGood(null),
          setMine(0),
          setAgainst(null)
        )}
      />
      <form class="panel" onSubmit=${check}>
        <p class="muted">${t("deal_help")}</p>
        ${rows.map(
          ([key, label]) => html`
            <label class="field" key=${key}>
              <span>${label}</span>
              <input
                value=${fields[key] ?? ""}
                onInput=${(event) => set(key, event.target.value)}
                spellcheck=${false}
                autocapitalize="off"
                autocomplete="off"
              />
            </label>
          `,
        )}
        <label class="field">
          <span>${t("moves_help")}</span>
          <input
            value=${fields.moves ?? ""}
            onInput=${(event) => set("moves", event.target.value)}
            spellcheck=${false}
            autocomplete="off"
          />
        </label>
        <label class="field">
          <span>${t("your_seat")}</span>
          <select value=${String(mine)} onChange=${(event) => setMine(Number(event.target.value))}>
            ${game.seats.map(
              (_, seat) => html`
                <option value=${String(seat)} key=${seat}>${seatTitle(game, seat)}</option>
              `,
            )}
          </select>
        </label>
        <label class="field">
          <span>${t("opponents")}</span>
          <select
            value=${against ?? usual(game)}
            onChange=${(event) => setAgainst(event.target.value)}
          >
            ${byLevel(game).map(
              (one) => html`
                <option value=${one.name} key=${one.name}>${levelTitle(game, one, config)}</option>
              `,
            )}
          </select>
        </label>
        <div class="row">
          <button type="submit" class=${good ? "" : "primary"}>${t("check")}</button>
          <button type="button" class=${good ? "primary" : ""} disabled=${!good} onClick=${take}>
            ${t("take")}
          </button>
        </div>
      </form>
      ${good &&
      html`
        <${Felt} view=${good.view} config=${config} />
      `}
    </main>
  `;
}
