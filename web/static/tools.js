// Beside the table: puzzles from reviewed games, and the editor of deals.

import { html, useEffect, useState } from "./vendor/preact.js";
import { Cards } from "./cards.js";
import { get, post } from "./connection.js";
import { gameTitle, seatTitle } from "./lobby.js";
import { Board } from "./seats.js";
import { number, t } from "./words.js";

export function Puzzles({ config, connection, bus, go, fail }) {
  const [game, setGame] = useState(config.games[0].name);
  const [puzzles, setPuzzles] = useState(null);
  const [place, setPlace] = useState(0);
  const [tried, setTried] = useState(null);
  useEffect(() => {
    setPuzzles(null);
    get(`/api/puzzles?game=${game}`).then((answer) => setPuzzles(answer.puzzles), fail);
  }, [game]);
  const puzzle = puzzles?.[place];
  useEffect(() => {
    setTried(null);
    if (puzzle) connection.join(puzzle.table);
    return () => connection.leave();
  }, [puzzle?.table, puzzle?.ply]);
  useEffect(() => bus.listen((message) => message.type === "result" && message.tried && setTried(message.tried)), []);
  return html`<main class="tool"><header class="bar-top"><button type="button" onClick=${() => go("")}>${t("lobby")}</button><b>${t("puzzles")}</b>
      <select aria-label=${t("game")} value=${game} onChange=${(event) => setGame(event.target.value)}>${config.games.map((one) => html`<option value=${one.name}>${gameTitle(one.name)}</option>`)}</select></header>
    ${puzzles && !puzzles.length && html`<p class="panel">${t("no_puzzles")}</p>`}
    ${puzzle && html`<section class="panel"><p class="muted">${place + 1} / ${puzzles.length}</p>
      <${Board} view=${puzzle.view} />
      <${Cards} cards=${puzzle.view.seats[puzzle.seat].cards} />
      <div class="row buttons">${puzzle.view.legal.slice(0, 60).map((move) => html`<button type="button" key=${move} onClick=${() => connection.send({ type: "try", ply: puzzle.ply, move })}>${move === "pass" ? t("pass") : move}</button>`)}</div>
      ${tried && html`<p role="status" class=${tried.right ? "gain" : "lose"}>${tried.right ? t("solved") : t("not_right", number(tried.loss, 1))}</p>`}
      <button type="button" onClick=${() => setPlace((place + 1) % puzzles.length)}>${t("following")}</button></section>`}
  </main>`;
}

export function Editor({ config, go, open, fail, say }) {
  const able = config.games.filter((game) => game.deal);
  const [name, setName] = useState(able[0]?.name);
  const [fields, setFields] = useState({});
  const [checked, setChecked] = useState(false);
  const game = able.find((one) => one.name === name);
  if (!game) return html`<main class="tool"><button type="button" onClick=${() => go("")}>${t("lobby")}</button></main>`;
  const set = (key, value) => {
    setChecked(false);
    setFields({ ...fields, [key]: value });
  };
  const deal = () =>
    Object.fromEntries(Object.entries(game.deal).map(([key, what]) => [key, Array.isArray(what) ? what.map((_, k) => fields[`${key}.${k}`] ?? "") : fields[key] ?? ""]));
  const moves = () => (fields.moves ?? "").split(/[\s,]+/).filter(Boolean);
  const check = () => post("/api/deals", { game: name, deal: deal(), moves: moves() }).then(() => (setChecked(true), say("✓")), fail);
  const take = () =>
    post("/api/tables", { game: name, mode: "open", deal: deal(), moves: moves(), seats: game.seats.map((_, seat) => (seat === 0 ? "you" : game.players[0].name)) }).then(
      (made) => open(made.id), fail);
  return html`<main class="tool"><header class="bar-top"><button type="button" onClick=${() => go("")}>${t("lobby")}</button><b>${t("editor")}</b>
      <select aria-label=${t("game")} value=${name} onChange=${(event) => (setName(event.target.value), setFields({}))}>${able.map((one) => html`<option value=${one.name}>${gameTitle(one.name)}</option>`)}</select></header>
    <section class="panel"><p class="muted">${t("deal_help")}</p>
      ${Object.entries(game.deal).flatMap(([key, what]) => (Array.isArray(what) ? what.map((one, k) => [`${key}.${k}`, `${seatTitle(game, k)}: ${one}`]) : [[key, `${t(key)}: ${what}`]])).map(
        ([key, label]) => html`<label class="field" key=${key}><span>${label}</span><input value=${fields[key] ?? ""} onInput=${(event) => set(key, event.target.value)} spellcheck=${false} autocomplete="off" /></label>`)}
      <label class="field"><span>${t("moves")}</span><input value=${fields.moves ?? ""} onInput=${(event) => set("moves", event.target.value)} spellcheck=${false} autocomplete="off" /></label>
      <div class="row"><button type="button" onClick=${check}>${t("check")}</button><button type="button" class="primary" disabled=${!checked} onClick=${take}>${t("take")}</button></div>
    </section></main>`;
}
