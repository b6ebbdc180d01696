// One table: the game as it goes, the thoughts beside it, and the review after it.

import { html, useEffect, useReducer, useRef, useState } from "./vendor/preact.js";
import { Cards, MoveText } from "./cards.js";
import { get, post } from "./connection.js";
import { ButtonControls, CardControls, playsCards } from "./controls.js";
import { gameTitle, playerTitle } from "./lobby.js";
import { Replay } from "./replay.js";
import { Review } from "./review.js";
import { Board, Log, Seat } from "./seats.js";
import { Hands, Moves } from "./thoughts.js";
import { number, t } from "./words.js";

const EMPTY = { summary: null, view: null, thinking: null, job: null, result: null, paused: false, factor: 1, record: null };

// The state of the table, from the messages of the server.
function follow(state, message) {
  switch (message.type) {
    case "forget":
      return EMPTY;
    case "state":
      return { ...state, summary: message.summary, view: message.view, paused: message.paused, factor: message.factor, thinking: null, result: null };
    case "moved":
      return { ...state, view: message.view, thinking: null, result: null };
    case "thinking":
      return { ...state, thinking: message, result: message.rows ? message : state.result };
    case "over":
      return { ...state, summary: message.summary, view: message.view, record: message.record, thinking: null };
    case "asked":
      return { ...state, job: message.job, result: null };
    case "result":
      if (message.job !== state.job || message.review || message.tried) return state;
      return { ...state, result: message, job: message.final ? null : state.job };
    case "disconnected":
      return { ...state, job: null };
    default:
      return state;
  }
}

export function Play({ id, config, connection, bus, prefs, engine, go, open, say, fail }) {
  const [state, tell] = useReducer(follow, EMPTY);
  const [review, setReview] = useState(false);
  const tabs = useRef(null);
  useEffect(() => {
    tell({ type: "forget" });
    setReview(false);
    const stop = bus.listen((message) => {
      if (message.table !== undefined && message.table !== id) return;
      if (message.type === "next") open(message.next);
      else if (message.type === "error" && message.code !== "stale") say(message.text);
      tell(message);
    });
    connection.join(id);
    return () => {
      stop();
      connection.leave();
    };
  }, [id]);
  const { summary, view } = state;
  if (!view) return html`<main class="panel"><p class="muted">…</p></main>`;
  const game = config.games.find((one) => one.name === view.game) ?? { players: [], seats: view.seats, teams: [], analyst: null, mixes: false };
  const watching = view.you === null;
  const maySearch = game.analyst && (view.over || summary.mode !== "fair");
  const play = (move) => connection.ask({ type: "play", move, rev: undefined }).catch((error) => say(error.message));
  const analyse = (playouts = 256, moves) => {
    const job = connection.send({ type: "analyse", playouts, ...(moves ? { moves } : {}) });
    tell({ type: "asked", job });
    return job;
  };
  const hint = async (legal, now) => {
    const texts = [...legal.values()];
    if (!maySearch) {
      const keys = [...legal.keys()];
      return texts[(keys.indexOf(now) + 1) % texts.length];
    }
    return new Promise((resolve) => {
      const job = analyse(64);
      const stop = bus.listen((message) => {
        if (message.type === "error" && message.id === job) (stop(), resolve(null));
        if (message.type !== "result" || message.job !== job || !message.final) return;
        stop();
        const best = message.rows?.[0]?.move ?? Object.entries(message.policy ?? {}).sort((a, b) => b[1] - a[1])[0]?.[0];
        resolve(best ?? null);
      });
    });
  };
  const share = () => copy(summary.seed === null ? location.href : `${location.origin}/#g=${summary.game}&seed=${summary.seed}`, say);
  const outside = () => get(`/api/tables/${id}/outside`).then((text) => copy(JSON.stringify(text), say), fail);
  const again = () =>
    post("/api/tables", { game: summary.game, seats: summary.seats, mode: summary.mode }).then((made) => open(made.id), fail);
  const order = view.you === null ? view.seats.map((_, k) => k) : view.seats.map((_, k) => (view.you + k) % view.seats.length).slice(1);
  const won = view.returns && view.you !== null && view.returns[view.you] > 0;
  const Controls = playsCards(view) ? CardControls : ButtonControls;
  const progress = state.thinking?.total ? `${state.thinking.done} / ${state.thinking.total}` : "";
  return html`<main class=${`play ${view.over ? "over" : ""}`}>
    <header class="bar-top">
      <button type="button" onClick=${() => go("")}>${t("lobby")}</button>
      <b>${gameTitle(view.game)}</b><span class="tag">${t(summary.mode)}</span>
      ${summary.series?.games > 0 || game.mixes ? html`<span class="tag">${t("hand_no", summary.series?.number ?? 1)}</span>` : ""}
      <span class="spread"></span>
      ${summary.mode !== "fair" && !view.over && html`<button type="button" disabled=${view.ply === 0} onClick=${() => connection.send({ type: "undo" })}>${t("undo")}</button>`}
      ${watching && !view.over && html`<${Watching} state=${state} connection=${connection} />`}
    </header>
    ${engine.state !== "ready" && html`<p class="notice" role="status">${t("waiting", number(100 * (engine.warm ?? 0)))}</p>`}
    <div class="felt">
      <div class=${`seats n-${order.length}`}>${order.map((seat) => html`<${Seat} key=${seat} view=${view} seat=${seat} config=${config}
        turn=${view.to_move === seat} thinking=${state.thinking?.seat === seat} progress=${progress} />`)}</div>
      <${Board} view=${view} />
      ${view.you !== null && html`<div class="me">
        <${Seat} view=${view} seat=${view.you} config=${config} turn=${view.to_move === view.you} showHand=${false} />
        <p class="status" role="status" aria-live="polite">${statusText(view, config, won, state)}</p>
        ${!playsCards(view) && view.seats[view.you].cards && html`<${Cards} cards=${view.seats[view.you].cards} />`}
        ${!view.over && html`<${Controls} view=${view} busy=${engine.state === "starting" && false} play=${play} hint=${hint} say=${say} keys=${prefs.keys} />`}
      </div>`}
      ${view.over && html`<div class="row buttons after">
        ${(game.mixes || summary.series?.games > 1) && html`<button type="button" class="primary" onClick=${() => connection.send({ type: "next" })}>${t("next")}</button>`}
        ${!game.mixes && !summary.imported && html`<button type="button" class="primary" onClick=${again}>${t("again")}</button>`}
        ${game.analyst && html`<button type="button" onClick=${() => setReview(true)}>${t("review")}</button>`}
        <a class="button" href=${`/api/tables/${id}/record`} download>${t("download")}</a>
        <button type="button" onClick=${share}>${t("share")}</button>
        ${summary.series && summary.series.games > 1 && html`<span class="tag">${t("total")}: ${summary.series.returns.map((value, k) => `${playerTitle(summary.series.players[k], config)} ${number(value, 1)}`).join(" · ")}</span>`}
      </div>`}
    </div>
    <aside class="side" ref=${tabs}>
      ${maySearch && !view.over && view.to_move !== null && (watching || view.to_move === view.you || summary.mode === "open") && html`<section class="panel">
        <h2>${t("thoughts")}</h2>
        <div class="row">${state.job === null
          ? [64, 256, 1024].map((n) => html`<button type="button" key=${n} onClick=${() => analyse(n)}>${t("analyse")} · ${n}</button>`)
          : html`<button type="button" onClick=${() => connection.send({ type: "cancel", job: state.job })}>${t("stop")}</button>`}</div>
        ${state.result && html`<${Moves} result=${state.result} choose=${view.to_move === view.you ? play : null} />
          <${Hands} hidden=${state.result.hidden} name=${(seat) => playerTitle(view.seats[seat].player, config)} />`}
      </section>`}
      ${view.over && review && html`<${Review} id=${id} view=${view} game=${game} config=${config} connection=${connection} bus=${bus} prefs=${prefs} say=${say} />`}
      ${(view.over || summary.mode === "open") && !review && html`<${Replay} id=${id} over=${view.over} ply=${view.ply} config=${config} fail=${fail} />`}
      <section class="panel"><h2>${t("log")}</h2><${Log} view=${view} config=${config} />
        ${!view.over && view.to_move !== null && (view.to_move === view.you || summary.mode === "open") && html`<button type="button" class="link small" onClick=${outside}>${t("outside")}</button>`}</section>
    </aside>
  </main>`;
}

function statusText(view, config, won, state) {
  if (view.over) {
    const points = Number.isFinite(view.returns?.[view.you]) ? t("points", number(view.returns[view.you], Number.isInteger(view.returns[view.you]) ? 0 : 2)) : "";
    return `${won ? t("won_game") : t("lost_game")} · ${points}`;
  }
  if (view.to_move !== view.you) return t("thinks", playerTitle(view.seats[view.to_move]?.player, config));
  const beat = view.facts?.to_beat;
  return html`${t("your_turn")} · ${beat ? html`${t("to_beat")} <${MoveText} move=${beat} pass=${t("pass")} />` : view.facts && "to_beat" in view.facts ? t("lead") : ""}`;
}

function Watching({ state, connection }) {
  return html`<button type="button" onClick=${() => connection.send({ type: "pause", on: !state.paused })}>${state.paused ? t("go_on") : t("pause")}</button>
    ${state.paused && html`<button type="button" onClick=${() => connection.send({ type: "step" })}>${t("step")}</button>`}
    <label class="field slim inline"><span>${t("tempo")}</span><select value=${String(state.factor)} onChange=${(event) => connection.send({ type: "speed", factor: Number(event.target.value) })}>
      ${[0.25, 0.5, 1, 2, 4].map((factor) => html`<option value=${String(factor)}>× ${factor}</option>`)}</select></label>`;
}

export async function copy(text, say) {
  try {
    await navigator.clipboard.writeText(text);
    say(t("copied"));
  } catch {
    say(text);
  }
}
