// The lobby: what is played, who sits where, and the tables and files that are there.

import { html, useEffect, useRef, useState } from "./vendor/preact.js";
import { get, post, upload } from "./connection.js";
import { t } from "./words.js";

export const YOU = "you";

export const gameTitle = (name) => name.split("_").map((word) => word[0].toUpperCase() + word.slice(1)).join(" ");
export const playerTitle = (player, config) => {
  if (player === YOU) return t("you");
  const found = config?.games.flatMap((game) => game.players).find((one) => one.name === player);
  return found ? `${found.label}${found.playouts ? ` ${found.playouts}` : ""}` : player;
};

export function seatTitle(game, seat) {
  const { name, team } = game.seats[seat];
  return game.name === name || game.teams[team] === name ? name : `${name} · ${game.teams[team]}`;
}

function SeatPicker({ game, seat, value, change }) {
  return html`<label class="field">
    <span>${seatTitle(game, seat)}</span>
    <select value=${value} onChange=${(event) => change(event.target.value)}>
      <option value=${YOU}>${t("you")}</option>
      ${[...new Set(game.players.map((player) => player.group))].map((group) => html`<optgroup label=${group}>
        ${game.players.filter((player) => player.group === group).map((player) => html`<option value=${player.name}>
          ${player.label}${player.playouts ? ` · ${player.playouts}` : ""}</option>`)}
      </optgroup>`)}
    </select>
  </label>`;
}

function defaultSeats(game) {
  const strong = game.players.find((player) => player.playouts === 64) ?? game.players.find((player) => player.analyses) ?? game.players[0];
  return game.seats.map((_, seat) => (seat === 0 ? YOU : strong?.name));
}

function NewTable({ config, wish, open, fail }) {
  const [name, setName] = useState(wish.g && config.games.some((game) => game.name === wish.g) ? wish.g : config.games[0].name);
  const game = config.games.find((one) => one.name === name);
  const [seats, setSeats] = useState(defaultSeats(game));
  const [mode, setMode] = useState("hints");
  const [seed, setSeed] = useState(wish.seed ?? "");
  const [greedy, setGreedy] = useState(false);
  const choose = (next) => {
    setName(next);
    setSeats(defaultSeats(config.games.find((one) => one.name === next)));
  };
  const watching = !seats.includes(YOU);
  const place = (seat, player) =>
    setSeats(seats.map((other, k) => (k === seat ? player : player === YOU && other === YOU ? game.players[0].name : other)));
  const start = async (event) => {
    event.preventDefault();
    const body = { game: name, seats, mode: watching ? "open" : mode };
    if (seed !== "") body.seed = Number(seed);
    if (game.mixes) body.greedy = greedy;
    try {
      open((await post("/api/tables", body)).id);
    } catch (error) {
      fail(error);
    }
  };
  return html`<form class="panel new" onSubmit=${start}>
    <div class="choices" role="radiogroup" aria-label=${t("game")}>
      ${config.games.map((one) => html`<label class=${`choice ${one.name === name ? "on" : ""}`}>
        <input type="radio" name="game" value=${one.name} checked=${one.name === name} onChange=${() => choose(one.name)} />
        <span>${gameTitle(one.name)}</span></label>`)}
    </div>
    <div class="fields">${game.seats.map((_, seat) => html`<${SeatPicker} key=${seat} game=${game} seat=${seat} value=${seats[seat]}
      change=${(player) => place(seat, player)} />`)}</div>
    ${watching
      ? html`<p class="muted">${t("watch")} · ${t("open_text")}</p>`
      : html`<div class="choices" role="radiogroup" aria-label=${t("mode")}>${config.modes.map((one) => html`<label class=${`choice tall ${one === mode ? "on" : ""}`}>
          <input type="radio" name="mode" value=${one} checked=${one === mode} onChange=${() => setMode(one)} />
          <span><b>${t(one)}</b><small>${t(`${one}_text`)}</small></span></label>`)}</div>`}
    <div class="row">
      <label class="field slim"><span>${t("seed")}</span>
        <input inputmode="numeric" pattern="[0-9]*" placeholder=${t("random")} value=${seed} onInput=${(event) => setSeed(event.target.value.replace(/\D/g, ""))} /></label>
      ${game.mixes && html`<label class="check"><input type="checkbox" checked=${greedy} onChange=${(event) => setGreedy(event.target.checked)} /> ${t("greedy")}</label>`}
      <button class="primary" type="submit">${watching ? t("watch") : t("start")}</button>
    </div>
  </form>`;
}

function Recent({ tables, config, open }) {
  if (!tables.length) return html`<p class="muted">${t("nothing_yet")}</p>`;
  return html`<ul class="recent">${tables.slice(0, 30).map((one) => html`<li key=${one.id}>
    <button type="button" class="link" onClick=${() => open(one.id)}>
      <b>${gameTitle(one.game)}</b>
      <span class="muted">${one.seats.map((player) => playerTitle(player, config)).join(" · ")}</span>
      <span class="tag">${one.over ? t("over") : t("move_n", one.plies)}</span>
    </button></li>`)}</ul>`;
}

function Statistics() {
  const [stats, setStats] = useState([]);
  useEffect(() => {
    get("/api/stats").then((answer) => setStats(answer.stats), () => setStats([]));
  }, []);
  if (!stats.length) return null;
  return html`<section class="panel"><h2>${t("statistics")}</h2>
    <table><thead><tr><th>${t("game")}</th><th>${t("against")}</th><th>${t("games")}</th><th>${t("won")}</th><th>${t("mean")}</th></tr></thead>
    <tbody>${stats.map((row) => {
      const mean = row.returns / row.games;
      const error = row.games > 1 ? Math.sqrt(Math.max(0, row.squares / row.games - mean * mean) / (row.games - 1)) : null;
      return html`<tr><td>${gameTitle(row.game)} · ${row.team}</td><td>${row.opponents.join(", ")}</td><td>${row.games}</td><td>${row.wins}</td>
        <td>${mean.toFixed(2)}${error === null ? "" : ` ± ${error.toFixed(2)}`}</td></tr>`;
    })}</tbody></table></section>`;
}

export function Lobby({ config, wish, open, go, fail }) {
  const [tables, setTables] = useState([]);
  const file = useRef(null);
  const refresh = () => get("/api/tables").then((answer) => setTables(answer.tables), fail);
  useEffect(() => void refresh(), []);
  const read = async (event) => {
    const chosen = event.target.files[0];
    if (!chosen) return;
    try {
      const answer = await upload("/api/records", await chosen.text());
      if (answer.failed.length) fail(new Error(answer.failed.map((one) => `${one.line}: ${one.text}`).join("; ")));
      if (answer.tables.length === 1) open(answer.tables[0].id);
      else refresh();
    } catch (error) {
      fail(error);
    }
    event.target.value = "";
  };
  return html`<main class="lobby">
    <h1>${t("title")}</h1>
    <p class="muted">${t("tagline")}</p>
    <${NewTable} config=${config} wish=${wish} open=${open} fail=${fail} />
    <section class="panel"><h2>${t("recent")}</h2>
      <${Recent} tables=${tables} config=${config} open=${open} />
      <div class="row">
        <input type="file" ref=${file} hidden accept=".jsonl,.json,.txt" onChange=${read} />
        <button type="button" onClick=${() => file.current.click()}>${t("open_file")}</button>
        <button type="button" onClick=${() => go("puzzles")}>${t("puzzles")}</button>
        <button type="button" onClick=${() => go("editor")}>${t("editor")}</button>
      </div>
    </section>
    <${Statistics} />
  </main>`;
}
