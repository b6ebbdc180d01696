// The thoughts of a player: the searched moves, its beliefs about hidden hands, the value over the
// game.

import { h, html } from "./vendor/preact.js";
import { cardName, highFirst, moveText, moveWord, rankTitle } from "./cards.js";
import {
  amount,
  classes,
  detailed,
  number,
  percent,
  plusMinus,
  showDetails,
  shownChips,
  t,
  unitText,
} from "./words.js";
import { button, check, element, note, useFew } from "./parts.js";

const FEW_ROWS = 6;
const FEW_HANDS = 8;
const LEAST_ESS = 5; // below it beliefs rest on a few guesses
const LEAST_SHARE = 0.03; // of the likeliest hand

export function scoreText(row, digits = 1) {
  const wins = (row.wp ?? null) !== null;
  const places = row.se >= 0.01 ? 0 : digits; // a decimal says nothing beside an error of points
  const text = (x) => (wins ? percent(x, places) : number(shownChips(x), 2));
  const value = row.wp ?? row.points;
  if ((value ?? null) === null) return "–";
  if (row.se === 0 && !row.visits) return text(value); // exact
  return `${text(value)} ± ${row.se ? text(row.se) : "?"}`;
}

const gauge = (share, style = "gauge") =>
  h(
    "span",
    { class: style, "aria-hidden": "true" },
    h("span", { style: { width: `${100 * share}%` } }),
  );

// Why the first move is recommended.
function Why({ why, word }) {
  const text = why && t.known(`why_${why.case}`);
  if (!text) return null;
  return element(
    "p",
    t(
      `why_${why.case}`,
      percent(why.prior),
      word(why.move) ?? moveWord(why.move),
      why.playouts,
      why.equal,
    ),
    "why small",
  );
}

// A row for each move, from the search or from the policy alone, in the order of the server: the
// recommended one first. Those equal to it within the error are marked ≈. `choose` makes moves
// buttons. `word` names a move. Exact values have no error and no visits; they show what each move
// costs against the best one.
export function Moves({ result, choose, mark, word = moveWord }) {
  const known = (name) => rows.some((row) => (row[name] ?? null) !== null);
  const policy = Object.entries(result.policy ?? {}).sort((a, b) => b[1] - a[1]);
  const rows = result.rows?.length ? result.rows : policy.map(([move, prior]) => ({ move, prior }));
  const [few, more] = useFew(rows, FEW_ROWS);
  if (!rows.length) return null;
  const searched = rows.some((row) => row.visits > 0); // no visits if values are exact
  const again = rows.some((row) => row.stage === 2);
  const points = known("points");
  const valued = points || known("wp");
  const shared = searched && known("share");
  const stated = known("prior"); // not by every player
  const exact = points && !searched && rows.every((row) => row.points !== null && !row.se);
  const top = exact ? Math.max(...rows.map((row) => row.points)) : 0;
  const cost = (row) => (top - row.points > 0.005 ? number(shownChips(top - row.points), 2) : null);
  const ties = rows.filter((row) => row.equal).length > 1;
  const look = (row, k) =>
    classes(
      row.move === mark ? "marked" : valued && (k ? row.equal && "equal" : "first"),
      again && row.stage === 1 && "once",
    );
  // Heading, its explanation, what a row shows, and its style.
  const columns = [
    detailed &&
      shared && [
        `${t("choice")} %`,
        "choice_help",
        (row) => [percent(row.share, 1), row.share > 0 && gauge(row.share)],
      ],
    valued && [
      points ? t("pts") + unitText() : `${t("wp")} %`,
      points ? "pts_help" : "wp_help",
      (row) => [
        !detailed && !points && gauge(row.wp ?? 0),
        (ties && row.equal && row !== rows[0] ? "≈ " : "") +
          scoreText(detailed ? row : { ...row, se: 0, visits: 0 }, detailed ? 1 : 0),
      ],
      () => "worth",
    ],
    exact && [
      t("cost"),
      "cost_help",
      (row) => cost(row) ?? "–",
      (row) => (cost(row) ? "lose" : "muted"),
    ],
    detailed && searched && [t("visits"), "visits_help", (row) => row.visits ?? "–"],
    (detailed || !valued) &&
      stated && [
        `${t(searched ? "prior" : "policy")} %`,
        searched ? "prior_help" : "policy",
        (row) => [percent(row.prior, 1), !searched && gauge(row.prior ?? 0)],
      ],
  ].filter(Boolean);
  return html`
    ${h(Why, { word, why: result.why })}
    <table class="moves">
      <caption class="sr">${t("moves")}</caption>
      <thead>
        <tr>
          <th scope="col">${t("move")}</th>
          ${columns.map(([title, help]) => h("th", { scope: "col", title: t(help) }, title))}
        </tr>
      </thead>
      <tbody>
        ${few.map(
          (row, k) => html`
            <tr key=${row.move} class=${look(row, k)}>
              <td>
                ${choose
                  ? button(
                      moveText(row.move, "tiny", word(row.move)),
                      () => choose(row.move),
                      "link",
                      { title: t("play") },
                    )
                  : moveText(row.move, "tiny", word(row.move))}
                ${valued && k === 0 && element("b", t("best"), "badge")}
                ${row.move === mark && element("small", `← ${t("you_played")}`)}
              </td>
              ${columns.map(([, help, cell, style]) =>
                element("td", cell(row), classes("num", style?.(row))),
              )}
            </tr>
          `,
        )}
      </tbody>
    </table>
    ${ties && note(`≈ ${t("equal")}`)}
    ${again && rows.some((row) => row.stage === 1) && note(t("once"))}
    ${element(
      "div",
      [more, element("span", "", "spread"), valued && check(t("details"), detailed, showDetails)],
      "row no-print",
    )}
  `;
}

// For each hidden seat, the probability of at least n cards of each kind. Whole hands are listed,
// most likely first.
export function Hands({ hidden, name }) {
  if (!hidden) return null;
  const whole = hidden.p.every((seat) => seat.every((counts) => counts.length <= 2));
  const vague = whole
    ? hidden.p.every((seat) => seat.every((counts) => (counts[1] ?? 0) < LEAST_SHARE))
    : hidden.active && !hidden.listed && hidden.ess !== null && hidden.ess < LEAST_ESS;
  const kinds = highFirst(hidden.kinds.map((kind, k) => [kind, k])); // as in the counter of cards
  return html`
    <div class="hidden-hands">
      <h3>${t("hands")}</h3>
      ${!whole && !vague && note(t(detailed ? "at_least" : "at_least_one"))}
      ${(vague ? [] : hidden.seats).map(
        (seat, s) => html`
          <figure class="belief">
            <figcaption>${name(seat)}</figcaption>
            ${whole
              ? element(
                  "ol",
                  hidden.kinds
                    .map((kind, k) => [kind, hidden.p[s][k][1] ?? 0])
                    .sort((a, b) => b[1] - a[1])
                    .slice(0, FEW_HANDS)
                    .filter((one) => one[1] > 0.0005)
                    .map(([kind, p]) =>
                      element("li", [
                        element("span", handName(kind)),
                        gauge(p),
                        element("span", `${percent(p, 1)} %`, "num"),
                      ]),
                    ),
                  "posterior",
                )
              : html`
                  <table class="heat">
                    <tbody>
                      <tr>
                        <td></td>
                        ${kinds.map(([kind]) => h("th", { scope: "col" }, rankTitle(kind)))}
                      </tr>
                      ${(detailed ? [4, 3, 2, 1] : [1]).map(
                        (count) => html`
                          <tr>
                            <th scope="row">≥ ${count}</th>
                            ${kinds.map(([kind, k]) => {
                              const counts = hidden.p[s][k];
                              const share = counts.slice(count).reduce((a, b) => a + b, 0);
                              const dense = share > 0.55;
                              return h(
                                "td",
                                {
                                  title: `${cardName(kind)} × ${count}: ${percent(share)} %`,
                                  class: dense && "dense",
                                },
                                h("span", {
                                  class: "heat-cell",
                                  style: { opacity: dense ? 0.82 + 0.18 * share : 0.65 * share },
                                }),
                                element(
                                  "span",
                                  share >= 0.995 ? "✓" : share < 0.005 ? "" : percent(share),
                                  "heat-number",
                                ),
                              );
                            })}
                          </tr>
                        `,
                      )}
                    </tbody>
                  </table>
                `}
          </figure>
        `,
      )}
      ${(vague || detailed) &&
      note(
        vague
          ? t("vague")
          : hidden.listed
            ? t("listed")
            : hidden.active
              ? t("ess", number(hidden.ess, 0))
              : t("prior_only"),
      )}
    </div>
  `;
}

const handName = (kind) =>
  /^([2-9TJQKA][shdc])+$/.test(kind) ? kind.match(/../g).map(cardName).join(" ") : cardName(kind);

// The value of a position in one line: that of the recommended move, else of the position itself,
// which a search averages over the moves it tried.
export function Value({ result }) {
  const [{ points: won, wp, se } = {}] = result.rows ?? [];
  const points = result.unit === "points";
  const best = won ?? wp ?? result.value ?? null;
  if (best === null) return null;
  const text = points ? (x) => number(shownChips(x), 2) : percent;
  const value =
    (points && best > 0 ? "+" : "") +
    plusMinus(best, detailed && (se ?? result.se), text) +
    (points ? unitText() : "");
  return element(
    "p",
    [
      element("b", t(points ? "value_points" : "value_now", value)),
      !points && gauge(best, "win-bar"),
    ],
    "value",
  );
}

const WIDTH = 360;
const HEIGHT = 150;
const LEFT = 34;
export const WRONG = ["inaccuracy", "mistake", "blunder"];
export const MARKS = {
  best: "✓",
  good: "✓",
  unclear: "~",
  inaccuracy: "?!",
  mistake: "?",
  blunder: "??",
  better: "!",
};

// Values of an axis that has both ends in it: multiples of 1, 2 or 5 times a power of ten.
export function ticks(low, high) {
  const ten = 10 ** Math.floor(Math.log10((high - low) / 5));
  const step = ten * [1, 2, 5, 10].find((one) => (high - low) / (one * ten) <= 5);
  const first = Math.floor(low / step);
  return Array.from({ length: Math.ceil(high / step) - first + 1 }, (_, k) => step * (first + k));
}

// The value at each decision, with a band of two standard errors, none where it is exact; points
// can be selected.
export function Curve({
  points,
  unit,
  ply,
  choose,
  names,
  title = t("curve"),
  tag = (one) => t("move_n", one.ply + 1),
}) {
  const shown = points.filter((one) => Number.isFinite(one.value));
  if (shown.length < 2) return null;
  const wins = unit !== "points";
  const values = shown.flatMap(({ value, se = 0 }) => [value - 2 * se, value + 2 * se]);
  const least = Math.min(0, ...values);
  const axis = wins ? [0, 0.5, 1] : ticks(least, Math.max(0, ...values, least + 0.1));
  const [low, high] = [axis[0], axis.at(-1)];
  const last = Math.max(...shown.map((one) => one.ply), 1);
  const x = (one) => LEFT + ((WIDTH - LEFT - 14) * one.ply) / last;
  const y = (value) =>
    HEIGHT - 16 - ((HEIGHT - 32) * (Math.min(high, Math.max(low, value)) - low)) / (high - low);
  const seats = [...new Set(shown.map((one) => one.seat))];
  const path = (seat) =>
    shown
      .filter((one) => one.seat === seat)
      .map((one, k) => `${k ? "L" : "M"}${x(one).toFixed(1)} ${y(one.value).toFixed(1)}`)
      .join("");
  const said = (one) =>
    `${tag(one)}: ${one.move === null ? "" : `${moveWord(one.move)}, `}${tell(one)}` +
    (one.class ? `, ${t(one.class)}` : "");
  const tell = (one) => plusMinus(one.value, one.se, wins ? percent : amount) + (wins ? " %" : "");
  return html`
    <figure class="curve-box">
      <figcaption>
        ${title} ${detailed && shown.some((one) => one.se) && element("span", t("band"), "muted")}
        ${seats.length > 1 &&
        seats.map((seat) => element("span", names?.(seat) ?? seat, `key seat-${seat}`))}
      </figcaption>
      <svg class="curve" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label=${title}>
        ${axis.map((v) => [
          h("path", { d: `M${LEFT} ${y(v)}H${WIDTH - 8}`, class: "axis" }),
          h(
            "text",
            { x: LEFT - 5, y: y(v) + 4, "text-anchor": "end" },
            wins ? percent(v) : amount(v),
          ),
        ])}
        ${seats.map((seat) => {
          const edge = (sign) =>
            shown
              .filter((one) => one.seat === seat)
              .map(
                (one) => `${x(one).toFixed(1)},${y(one.value + sign * (one.se ?? 0)).toFixed(1)}`,
              );
          return h("polygon", {
            class: `band seat-${seat}`,
            "aria-hidden": "true",
            points: [...edge(2), ...edge(-2).reverse()].join(" "),
          });
        })}
        ${seats.map((seat) => h("path", { d: path(seat), class: `line seat-${seat}` }))}
        ${shown.map((one) => {
          const wrong = WRONG.includes(one.class);
          const pick = choose && {
            tabindex: one === (shown.find((each) => each.ply === ply) ?? shown[0]) ? 0 : -1,
            role: "button",
            onClick: () => choose(one.ply),
            onKeyDown: (event) =>
              (event.key === "Enter" || event.key === " ") &&
              (event.preventDefault(), event.stopPropagation(), choose(one.ply)),
          };
          return html`
            <g
              key=${one.ply}
              class=${classes("point", `seat-${one.seat}`, one.class, one.ply === ply && "here")}
              aria-label=${said(one)}
              ...${pick ?? { role: "img" }}
            >
              <circle cx=${x(one)} cy=${y(one.value)} r="13" class="target" />
              <circle cx=${x(one)} cy=${y(one.value)} r=${wrong ? 8.5 : 4} class="dot" />
              ${wrong &&
              h(
                "text",
                { x: x(one), y: y(one.value) + 4, "text-anchor": "middle", class: "glyph" },
                MARKS[one.class],
              )}
              <title>${said(one)}</title>
            </g>
          `;
        })}
      </svg>
    </figure>
  `;
}
