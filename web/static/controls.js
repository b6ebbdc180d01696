// How a person moves: cards of a hand, buttons of what is legal, or a line of text; with the keyboard.

import { html, useEffect, useState } from "./vendor/preact.js";
import { RANKS, RankHand, chosenText, countsOf, isRanks, sorted } from "./cards.js";
import { t } from "./words.js";

const MOST_BUTTONS = 40;
const typing = (event) => ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);

// Whether moves of this view are made of the cards of the hand.
export const playsCards = (view) => {
  const own = view.you === null ? null : view.seats[view.you];
  return Boolean(own?.cards && isRanks(own.cards) && (view.legal.length === 0 || view.legal.every((move) => move === "pass" || isRanks([...move]))));
};

function useKeys(enabled, handle) {
  useEffect(() => {
    if (!enabled) return undefined;
    const hear = (event) => {
      if (typing(event) || event.ctrlKey || event.altKey || event.metaKey) return;
      if (handle(event)) event.preventDefault();
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  });
}

function rankOfKey(event) {
  const digit = /^Digit([2-9])$/.exec(event.code ?? "");
  const key = digit ? digit[1] : event.key.toUpperCase() === "0" ? "T" : event.key.toUpperCase();
  return RANKS.includes(key) ? key : null;
}

export function CardControls({ view, busy, play, hint, say, keys }) {
  const [chosen, setChosen] = useState({});
  const own = view.seats[view.you].cards;
  const turn = view.to_move === view.you && !view.over && !busy;
  const legal = new Map(view.legal.map((move) => [move === "pass" ? "pass" : sorted(move), move]));
  const text = chosenText(chosen);
  const move = legal.get(text);
  const mayPass = legal.has("pass");
  useEffect(() => setChosen((before) => fitting(before, own)), [own.join("")]);
  const submit = (what) => {
    if (!turn) return;
    if (!what) {
      say(t("not_legal"));
      return;
    }
    setChosen({});
    play(what);
  };
  const askHint = async () => {
    if (!turn) return;
    const found = await hint(legal, text);
    if (found) setChosen(found === "pass" ? {} : countsOf(found));
    if (found === "pass") say(t("pass"));
  };
  useKeys(keys && !view.over, (event) => {
    const rank = rankOfKey(event);
    if (rank) {
      const held = own.filter((card) => card === rank).length;
      if (!held) return true;
      const count = chosen[rank] ?? 0;
      setChosen({ ...chosen, [rank]: event.shiftKey ? (count === held ? 0 : held) : (count + 1) % (held + 1) });
      return true;
    }
    const onButton = event.target.tagName === "BUTTON" && !event.target.closest(".hand");
    if (event.key === "Enter" && !onButton) submit(move);
    else if (event.key === " " && !onButton) submit(mayPass ? "pass" : null);
    else if (event.key === "/") askHint();
    else if (event.key === "Escape") setChosen({});
    else return false;
    return true;
  });
  return html`<div class="controls">
    <${RankHand} cards=${own} chosen=${chosen} choose=${setChosen} disabled=${view.over} label=${t("you")} />
    <div class="row buttons">
      <button type="button" class="primary" disabled=${!turn || !move} onClick=${() => submit(move)}>${t("play")}</button>
      <button type="button" disabled=${!turn || !mayPass} onClick=${() => submit("pass")}>${t("pass")}</button>
      <button type="button" disabled=${!turn} onClick=${askHint}>${t("hint")}</button>
      <button type="button" disabled=${!text} onClick=${() => setChosen({})}>${t("clear")}</button>
    </div>
    ${turn && legal.size === 1 && mayPass && html`<p class="muted small">${t("cannot_beat")}</p>`}
    <${TypedMove} turn=${turn} play=${submit} />
  </div>`;
}

// Keeps what is still in the hand.
function fitting(chosen, cards) {
  const kept = {};
  for (const [rank, count] of Object.entries(chosen)) kept[rank] = Math.min(count, cards.filter((card) => card === rank).length);
  return kept;
}

function TypedMove({ turn, play }) {
  const [text, setText] = useState("");
  const submit = (event) => {
    event.preventDefault();
    if (text.trim()) play(text.trim());
    setText("");
  };
  return html`<form class="row typed" onSubmit=${submit}><input aria-label=${t("type_move")} placeholder=${t("type_move")} value=${text}
    autocapitalize="off" autocomplete="off" spellcheck=${false} disabled=${!turn} onInput=${(event) => setText(event.target.value)} /></form>`;
}

// Any other game: a button for each legal move, and a line to type.
export function ButtonControls({ view, busy, play, hint, say, keys }) {
  const turn = view.to_move === view.you && !view.over && !busy;
  const [suggested, setSuggested] = useState(null);
  useEffect(() => setSuggested(null), [view.ply]);
  const askHint = async () => {
    if (turn) setSuggested(await hint(new Map(view.legal.map((move) => [move, move])), suggested ?? ""));
  };
  useKeys(keys && !view.over, (event) => {
    const place = Number(event.key) - 1;
    if (turn && place >= 0 && place < view.legal.length) play(view.legal[place]);
    else if (turn && /^[a-z]$/.test(event.key) && view.legal.filter((move) => move[0] === event.key).length === 1) play(view.legal.find((move) => move[0] === event.key));
    else if (event.key === "/") askHint();
    else if (event.key === "Enter" && suggested && event.target.tagName !== "BUTTON") play(suggested);
    else return false;
    return true;
  });
  return html`<div class="controls">
    <div class="row buttons">${turn && view.legal.slice(0, MOST_BUTTONS).map((move, k) => html`<button type="button" key=${move}
      class=${move === suggested ? "primary" : ""} onClick=${() => play(move)}>${move} <kbd>${k < 9 ? k + 1 : ""}</kbd></button>`)}
      <button type="button" disabled=${!turn} onClick=${askHint}>${t("hint")}</button></div>
    <${TypedMove} turn=${turn} play=${(move) => (turn ? play(move) : say(t("not_legal")))} />
  </div>`;
}
