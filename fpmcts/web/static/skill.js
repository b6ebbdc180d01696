// What a review says about a person: the thresholds of mistakes, and luck separated from skill.

import { html, useState } from "./vendor/preact.js";
import { keep, kept } from "./keys.js";
import { WRONG } from "./thoughts.js";
import { number, t } from "./words.js";
import { button, element, field, grid, hidden, input, note, scroll } from "./parts.js";

const KEPT = "fpmcts.thresholds";

const good = (values, most) =>
  values.length === 3 &&
  values.every((value, k) => Number.isFinite(value) && value > (k ? values[k - 1] : 0)) &&
  values[2] <= most;

// The thresholds chosen for a game earlier, else the game's defaults.
export function keptThresholds(game) {
  const chosen = kept(KEPT, {})[game.name];
  return Array.isArray(chosen) && good(chosen, game.reports_wins ? 100 : 10000)
    ? chosen
    : game.classes;
}

export function Thresholds({ game, unit, values, change, say }) {
  const [texts, setTexts] = useState(values.map(String));
  const use = (cuts) => {
    setTexts(cuts.map(String));
    keep(KEPT, { ...kept(KEPT, {}), [game.name]: cuts });
    change(cuts);
  };
  const submit = (event) => {
    event.preventDefault();
    const cuts = texts.map((text) => Number(text.replace(",", ".")));
    if (!good(cuts, game.reports_wins ? 100 : 10000)) say(t("thresholds_wrong"));
    else if (cuts.some((cut, k) => cut !== values[k])) use(cuts);
  };
  return html`
    <details class="thresholds no-print">
      <summary>
        ${t("thresholds")}${" "}
        <span class="muted num">
          ${values.map((value) => number(value, value % 1 ? 2 : 0)).join(" · ")}
        </span>
      </summary>
      <form onSubmit=${submit}>
        ${note(
          unit === "points"
            ? t("thresholds_points", t.known(`unit_${game.unit}`) ?? game.unit)
            : t("thresholds_wp"),
        )}
        <div class="row">
          ${WRONG.map((name, k) =>
            field(
              t(name),
              input(texts[k], (text) => setTexts(texts.map((one, j) => (j === k ? text : one))), {
                inputmode: "decimal",
                onBlur: submit,
              }),
            ),
          )}
        </div>
        <div class="row">
          <button type="submit">${t("apply")}</button>
          ${button(t("reset"), () => use(game.classes), "link small")}
        </div>
      </form>
    </details>
  `;
}

const withSign = (value, digits) => {
  const shown = Number(value.toFixed(digits));
  return (shown > 0 ? "+" : "") + number(shown || 0, digits); // no −0
};

// The parts of the result: a column for each reviewed seat, and one for all hands of a series.
export function Luck({ review, name, digits }) {
  const hands = review.hands;
  const columns = review.luck.map((one) => ({
    ...one,
    title: review.luck.length > 1 || !(hands?.reviewed > 1) ? name(one.seat) : t("this_game"),
  }));
  if (hands?.luck && hands.reviewed > 1)
    columns.push({
      ...hands.luck,
      title:
        hands.reviewed < hands.hands
          ? t("some_hands", hands.reviewed, hands.hands)
          : t("all_hands", hands.hands),
    });
  if (!columns.length) return review.no_luck ? note(t("no_luck", review.no_luck)) : null;
  const names = columns[0].parts
    .map((part) => part.name)
    .filter(
      (part) =>
        part !== "later" ||
        columns.some((one) => one.parts.find((each) => each.name === part)?.value),
    );
  const part = (one, which) => one.parts.find((each) => each.name === which);
  const most = columns.map((one) =>
    Math.max(1e-9, Math.abs(one.result), ...one.parts.map((each) => Math.abs(each.value))),
  );
  const bar = (value, k) => html`
    <span class="swing" aria-hidden="true">
      <span
        class=${value < 0 ? "minus" : "plus"}
        style=${{ width: `${(50 * Math.abs(value)) / most[k]}%` }}
      ></span>
    </span>
  `;
  const games = review.luck[0]?.play_outs;
  return html`
    <section class="luck">
      <h3>${t("luck")}</h3>
      ${scroll(
        t("luck"),
        grid(
          [hidden(t("luck")), ...columns.map((one) => one.title)],
          [
            ...names.map((which) => [
              t(`part_${which}`),
              ...columns.map((one, k) => {
                const found = part(one, which);
                return found
                  ? [
                      withSign(found.value, digits),
                      found.se
                        ? html`
                            ${" "}
                            <small>± ${number(found.se, digits)}</small>
                          `
                        : "",
                      columns.length < 3 && bar(found.value, k),
                    ]
                  : "–";
              }),
            ]),
            [
              t("part_result"),
              ...columns.map((one, k) => [
                element(
                  "b",
                  review.unit === "wp" ? number(one.result, digits) : withSign(one.result, digits),
                ),
                columns.length < 3 && bar(one.result, k),
              ]),
            ],
          ],
        ),
      )}
      <p class="muted small">
        ${t("luck_text")} ${games ? t("luck_games", games) : t("luck_exact")}
      </p>
    </section>
  `;
}
