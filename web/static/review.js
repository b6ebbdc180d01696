// The review of a finished game: the curve, the mistakes with their errors, and another try before the answer is shown.

import { html, useEffect, useState } from "./vendor/preact.js";
import { MoveText } from "./cards.js";
import { playerTitle } from "./lobby.js";
import { Position, Steps, useArrows, useReplay } from "./replay.js";
import { Curve, Hands, Moves } from "./thoughts.js";
import { number, t } from "./words.js";

const WRONG = ["inaccuracy", "mistake", "blunder"];

export function Review({ id, view, game, config, connection, bus, prefs, say }) {
  const [speed, setSpeed] = useState("fast");
  const [job, setJob] = useState(null);
  const [progress, setProgress] = useState(null);
  const [decisions, setDecisions] = useState([]);
  const [summary, setSummary] = useState(null);
  const [ply, choose] = useState(0);
  const [show, setShow] = useState("moves");
  const plies = useReplay(id, view.ply);
  const merge = (found) =>
    setDecisions((before) => {
      const all = new Map(before.map((one) => [one.ply, one]));
      for (const one of found) all.set(one.ply, { ...all.get(one.ply), ...one });
      return [...all.values()].sort((a, b) => a.ply - b.ply);
    });
  useEffect(
    () =>
      bus.listen((message) => {
        if (message.type === "progress" && message.job === job) {
          setProgress(message);
          merge(message.decisions ?? []);
        } else if (message.type === "revealed") merge(message.decisions);
        else if (message.type === "result" && message.final && message.job === job && message.review) {
          merge(message.review.decisions);
          setSummary(message.review.summary);
          setJob(null);
          setProgress(null);
        } else if (message.type === "result" && message.final && message.job === job) {
          setJob(null);
          setProgress(null);
          if (message.error) say(message.error.text);
        }
      }),
    [job],
  );
  const start = () => setJob(connection.send({ type: "review", speed }));
  const wrong = decisions.filter((one) => WRONG.includes(one.class));
  const turn = (by) => {
    if (!wrong.length) return;
    const later = by > 0 ? wrong.find((one) => one.ply > ply) : [...wrong].reverse().find((one) => one.ply < ply);
    choose((later ?? wrong[by > 0 ? 0 : wrong.length - 1]).ply);
  };
  const last = plies ? plies.length - 1 : 0;
  const here = decisions.find((one) => one.ply === ply);
  useArrows(ply, last, choose, prefs.keys ? { n: () => turn(1), N: () => turn(-1), h: () => setShow("hands"), t: () => setShow("moves") } : {});
  return html`<section class="panel review">
    <h2>${t("review")}</h2>
    <div class="row no-print">
      ${job === null
        ? html`<select aria-label=${t("review")} value=${speed} onChange=${(event) => setSpeed(event.target.value)}>${config.review_speeds.map((one) => html`<option value=${one}>${t(one)}</option>`)}</select>
            <button type="button" class="primary" onClick=${start}>${t("review")}</button>`
        : html`<button type="button" onClick=${() => connection.send({ type: "cancel", job })}>${t("stop")}</button>
            <span role="status">${progress ? t("reviewing", progress.done, progress.total) : "…"}</span>`}
      ${summary && html`<button type="button" onClick=${() => turn(1)} disabled=${!wrong.length}>${t("next_mistake")} (${wrong.length})</button>
        <button type="button" onClick=${() => print()}>${t("print")}</button>`}
    </div>
    ${summary && html`<${Summary} rows=${summary} view=${view} config=${config} />`}
    <${Curve} decisions=${decisions} ply=${ply} choose=${choose} />
    ${plies?.[ply] && html`<${Position} at=${plies[ply]} config=${config} />`}
    <${Steps} ply=${ply} last=${last} choose=${choose} />
    ${here && html`<${Decision} key=${here.ply} one=${here} at=${plies?.[ply]} show=${show} view=${view} config=${config} connection=${connection} bus=${bus} merge=${merge} />`}
    <ul class="print-only">${wrong.map((one) => html`<li>${one.ply}: ${one.move} – ${t(one.class)}, ${lossText(one)}</li>`)}</ul>
    ${decisions.length > 0 && html`<p class="muted small">${t("caption")}</p>`}
  </section>`;
}

const lossText = (one) => t("loss", number(one.loss, 1), number(one.se, 1));

function Summary({ rows, view, config }) {
  const classes = ["best", "inaccuracy", "mistake", "blunder", "unclear", "better"];
  return html`<div class="scroll"><table><thead><tr><th></th>${classes.map((name) => html`<th>${t(name)}</th>`)}<th></th></tr></thead>
    <tbody>${rows.map((row) => html`<tr><th>${playerTitle(view.seats[row.seat].player, config)}</th>${classes.map((name) => html`<td>${row[name]}</td>`)}<td>${lossText(row)}</td></tr>`)}</tbody></table></div>`;
}

// One decision: its class, and another try as long as the answer is kept back.
function Decision({ one, at, show, view, config, connection, bus, merge }) {
  const [tried, setTried] = useState(null);
  const [asking, setAsking] = useState(null);
  const [trying, setTrying] = useState(false);
  useEffect(
    () =>
      bus.listen((message) => {
        if (message.type !== "result" || !message.tried || message.tried.ply !== one.ply) return;
        setTried(message.tried);
        setAsking(null);
        if (message.tried.decision) merge([{ ...message.tried.decision, hidden: false }]);
      }),
    [one.ply],
  );
  const attempt = (move) => {
    setTrying(false);
    setAsking(connection.send({ type: "try", ply: one.ply, move }));
  };
  return html`<div class=${`decision ${one.class ?? ""}`}>
    <p><b class="class">${one.class ? t(one.class) : "…"}</b> <${MoveText} move=${one.move} pass=${t("pass")} /> ${one.class && one.class !== "best" && lossText(one)}</p>
    ${one.hidden
      ? html`<div class="row no-print">
          <button type="button" class="primary" disabled=${asking !== null} onClick=${() => setTrying(!trying)}>${t("retry")}</button>
          <button type="button" onClick=${() => connection.send({ type: "reveal", ply: one.ply })}>${t("show")}</button></div>
          ${trying && html`<form class="row" onSubmit=${(event) => (event.preventDefault(), attempt(event.target.elements.move.value.trim()))}>
            <input name="move" aria-label=${t("your_try")} placeholder=${t("your_try")} autocomplete="off" autofocus /><button type="submit">${t("play")}</button></form>`}`
      : one.best && html`<p>${t("best_was", "")} <${MoveText} move=${one.best} pass=${t("pass")} /></p>`}
    ${asking !== null && html`<p class="muted" role="status">…</p>`}
    ${tried && html`<p role="status" class=${tried.right ? "gain" : "lose"}>${tried.right ? t("right") : t("not_right", number(tried.loss, 1))}</p>`}
    ${!one.hidden && one.rows && (show === "moves" ? html`<${Moves} result=${one} />` : html`<${Hands} hidden=${one.hidden_hands} name=${(seat) => playerTitle(view.seats[seat].player, config)} />`)}
  </div>`;
}
