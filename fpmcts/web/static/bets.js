// Bets of any amount: fold, check or call, and a raise by field, slider or shares of the pot,
// within the bounds that the game gives.

import { html, useEffect, useRef, useState } from "./vendor/preact.js";
import { moveWord, wordAt } from "./cards.js";
import { isFold, kbd, moveButtons, onButton, useHint, useKeys } from "./keys.js";
import { chips, classes, shownChips, t, takenChips } from "./words.js";
import { button, element, input } from "./parts.js";

const STEPS = 200; // of the slider, which is logarithmic: small bets matter more

const bounds = (view) => (Array.isArray(view.facts?.raise) ? view.facts.raise : null);
const placeOf = (value, [least, most]) =>
  Math.round((STEPS * Math.log(Math.max(1, value) / least)) / Math.log(most / least)) || 0;
const valueAt = (place, [least, most]) => Math.round(least * (most / least) ** (place / STEPS));

// The chips that a text means; NaN if it is no amount.
const chipsOf = (text) =>
  /^\d+([.,]\d{1,2})?$/.test(text.trim()) ? takenChips(Number(text.replace(",", "."))) : NaN;

// Why an amount cannot be bet; null if it can.
export function fault(text, range) {
  const value = chipsOf(text);
  if (value >= range[0] && value <= range[1]) return null;
  return t(range[0] === range[1] ? "amount_only" : "amount_wrong", ...range.map(chips));
}

export function BetControls({ view, turn, play, hint, say, keys }) {
  const range = turn ? bounds(view) : null;
  const moves = turn ? view.legal : [];
  const amounts = view.facts?.amounts ?? [];
  const sizes = range
    ? moves.map((move, k) => [move, amounts[k]]).filter(([, chips]) => typeof chips === "number")
    : [];
  const others = moves.filter((move) => !sizes.some(([size]) => size === move));
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState(null);
  const [suggested, ask] = useHint(view, hint);
  const value = chipsOf(text);
  const field = useRef(null);
  useEffect(() => {
    setText(range ? String(shownChips(range[0])) : "");
    setWrong(null);
  }, [view.ply, range?.[0], range?.[1]]);
  const type = (text) => {
    setText(text);
    setWrong(null);
  };
  const change = (value) => type(String(shownChips(value)));
  const choose = (value, focus) => {
    change(value);
    if (focus) field.current?.focus();
  };
  const raise = (event) => {
    event?.preventDefault();
    if (!range) return;
    const found = fault(text, range);
    setWrong(found);
    if (found) field.current?.focus();
    else play(sizes.find(([, size]) => size === value)?.[0] ?? `r${value}`);
  };
  const askHint = async () => {
    const found = await ask();
    if (!found) return;
    const size =
      sizes.find(([move]) => move === found)?.[1] ??
      (/^r\d+$/.test(found) ? Number(found.slice(1)) : null);
    if (size !== null) change(size);
    else say(`${t("hint")}: ${wordAt(view, found)}`);
  };
  useKeys(keys && !view.over, (event) => {
    const key = event.key.toLowerCase();
    const place = Number(event.key) - 1;
    if (key === "f" && moves.includes("fold")) play("fold");
    else if ((key === "c" || key === "k") && moves.includes("call")) play("call");
    else if ((key === "r" || key === "b") && range)
      (field.current?.focus(), field.current?.select());
    else if (sizes[place] !== undefined) choose(sizes[place][1], true);
    else if (key === "/") askHint();
    else if (key === "enter" && !onButton(event) && suggested && others.includes(suggested))
      play(suggested);
    else return false;
    return true;
  });
  const bets = view.seats.map((one) => one.facts?.bets ?? 0);
  const fixed = range && range[0] === range[1];
  const good = range && fault(text, range) === null;
  const verb =
    good && value === range[1] && sizes.some(([, size]) => size === value)
      ? t("all_in_of", chips(value))
      : t(Math.max(...bets) > 0 ? "raise_to" : "bet_of", good ? chips(value) : "…");
  return html`
    <div class="row buttons">
      ${moveButtons({
        ...{ view, play, suggested, keys },
        moves: others,
        keyOf: (move) => move[0],
        plain: (move) => range || isFold(move), // what is set below is the main button
      })}
      ${range &&
      button(
        verb,
        undefined,
        classes("primary", suggested && !others.includes(suggested) && "suggested"),
        { type: "submit", form: "bet" },
      )}
      ${hint && turn && button(t("hint"), askHint)}
    </div>
    ${range &&
    html`
      <form class=${classes("bet", fixed && "only")} id="bet" onSubmit=${raise} novalidate>
        <div class="row sizes" role="group" aria-label=${t("sizes")}>
          ${sizes.map(([move, size], k) =>
            button(
              [
                element("span", [moveWord(move), keys && k < 9 && kbd(k + 1)]),
                element("small", chips(size)),
              ],
              () => choose(size, false),
              value === size ? "on" : "",
              { "aria-pressed": value === size },
            ),
          )}
        </div>
        <div class="amount">
          ${input(
            placeOf(value || range[0], range),
            (place) => change(valueAt(Number(place), range)),
            {
              type: "range",
              min: 0,
              max: STEPS,
              disabled: fixed,
              "aria-label": t("amount"),
              "aria-valuetext": chips(value || 0),
            },
          )}
          ${input(text, type, {
            ref: field,
            class: "chips",
            inputmode: "decimal",
            maxlength: 9,
            enterkeyhint: "go",
            "aria-label": t("amount"),
            "aria-describedby": "bounds",
            "aria-invalid": wrong !== null,
            onFocus: (event) => event.target.select(),
            onKeyDown: (event) => event.key === "Escape" && event.target.blur(),
          })}
        </div>
        <p
          id="bounds"
          role=${wrong ? "alert" : undefined}
          class=${`small ${wrong ? "wrong" : "muted"}`}
        >
          ${wrong ?? t(fixed ? "amount_only" : "amount_bounds", ...range.map(chips))}
        </p>
      </form>
    `}
  `;
}

// Whether moves of this game carry amounts.
export const isBets = (view) =>
  view.facts !== undefined && "raise" in view.facts && "amounts" in view.facts;
