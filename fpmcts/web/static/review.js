// The review of a finished game, shown beside the table: the curve, the mistakes with their errors,
// another try before the answer is shown, and luck apart from skill. `seeks`: to the worst move.

import { h, html, useEffect, useState } from "./vendor/preact.js";
import { moveText } from "./cards.js";
import { get } from "./connection.js";
import { keep, kept, useKeys } from "./keys.js";
import { Curve, MARKS, Moves, WRONG } from "./thoughts.js";
import { lossOf, number, t } from "./words.js";
import { button, element, field, grid, hidden, input, note, scroll, segments } from "./parts.js";

const markOf = (name) =>
  h("span", { class: `mark ${name}`, "aria-hidden": "true" }, MARKS[name] ?? "…");
const KEPT = "fpmcts.review";

// The mistake that lost most; undefined where there is none.
export const costliest = (decisions) =>
  decisions.filter((one) => WRONG.includes(one.class)).sort((a, b) => b.loss - a.loss)[0];

export const lossText = (one, unit) =>
  unit === "wp" ? `${t("loss", lossOf(one, 1))} %` : t("loss", lossOf(one, 2));

export function Review({
  id,
  view,
  game,
  config,
  connection,
  prefs,
  name,
  fail,
  ply,
  choose,
  retry,
  setRetry,
  review,
  setReview,
  progress,
  setProgress,
  seeks,
}) {
  const [speed, setSpeed] = useState(kept(KEPT, { speed: config.review_speeds[0] }).speed);
  const [job, setJob] = useState(null);
  const [decisions, setDecisions] = useState([]);
  const [tried, setTried] = useState({}); // results of tries, by ply
  const merge = (found) =>
    setDecisions((before) => {
      const all = new Map(before.map((one) => [one.ply, one]));
      for (const one of found) all.set(one.ply, { ...all.get(one.ply), ...one });
      return [...all.values()].sort((a, b) => a.ply - b.ply);
    });
  const wrong = decisions.filter((one) => WRONG.includes(one.class) || one.class === "unclear");
  const turn = (by) => {
    if (!wrong.length) return;
    const to = by > 0 ? wrong.find((one) => one.ply > ply) : wrong.findLast((one) => one.ply < ply);
    choose((to ?? wrong.at(by > 0 ? 0 : -1)).ply);
  };
  const one = decisions.find((each) => each.ply === ply);
  const trial = tried[ply];
  const tryAgain = async () => {
    if (!one?.hidden) return;
    const seen = await get(`/api/tables/${id}/puzzle?ply=${one.ply}`).catch(fail);
    if (!seen) return;
    const attempt = (move) => {
      setRetry(null);
      setTried((before) => ({ ...before, [one.ply]: undefined }));
      connection.send({ type: "try", ply: one.ply, move }, ({ tried: found }) => {
        if (!found) return;
        setTried((before) => ({ ...before, [one.ply]: found }));
        if (found.decision) merge([{ ...found.decision, hidden: false, right: true }]);
      });
    };
    setRetry({ ply: one.ply, view: seen.view, attempt });
  };
  useKeys(prefs.keys && retry === null, (event) => {
    const act = {
      n: () => turn(1),
      N: () => turn(-1),
      r: tryAgain,
    }[event.key];
    act?.();
    return Boolean(act);
  });
  const unit = review?.unit ?? (game.reports_wins ? "wp" : "points");
  const digits = unit === "points" ? 2 : 1;
  const won = (review ? view.returns : {})?.[view.you]; // the last decision may lose most
  const hear = (message) => {
    if (message.type === "queued") return;
    if (message.type === "progress") {
      setProgress(message);
      merge(message.decisions ?? []);
      return;
    }
    setJob(null);
    setProgress(null);
    if (!message.review) return;
    setDecisions(message.review.decisions);
    setReview(message.review);
  };
  const start = () => {
    keep(KEPT, { speed });
    const sent = connection.send({ type: "review", speed }, hear);
    setJob(sent);
    return () => connection.send({ type: "cancel", job: sent });
  };
  useEffect(start, []); // one that is not looked at ends
  useEffect(() => {
    const worst = seeks && review && costliest(review.decisions);
    if (worst) choose(worst.ply);
  }, [seeks, review]);
  return html`
    <section class="panel review">
      <h2 class="sr">${t("review")}</h2>
      ${!review &&
      job === null &&
      element("p", t(game.exact ? "exact_text" : "review_text"), "muted small no-print")}
      <div class="row no-print">
        ${job === null
          ? html`
              ${!game.exact &&
              segments(
                t("tempo"),
                config.review_speeds.map((each) => [each, t(each)]),
                speed,
                setSpeed,
              )}
              ${button(t("start_review"), start, review ? "" : "primary")}
            `
          : html`
              ${button(t("stop"), () => connection.send({ type: "cancel", job }))}
              <progress
                max=${progress?.total || 1}
                value=${progress?.done ?? 0}
                aria-label=${t("review")}
              ></progress>
              ${element(
                "span",
                progress
                  ? t(
                      progress.stage === 2 ? "reviewing_2" : "reviewing",
                      progress.done,
                      progress.total,
                    )
                  : "…",
                "small",
              )}
            `}
      </div>
      ${review &&
      element(
        "div",
        [
          button(t("next_mistake"), () => turn(1), "primary", { disabled: !wrong.length }),
          element(
            "span",
            wrong.length
              ? t("mistakes_n", wrong.length)
              : t(decisions.length ? "no_mistakes" : "no_decisions"),
            "muted small",
          ),
        ],
        "row no-print",
      )}
      ${one &&
      html`
        <div class=${`decision ${one.class ?? ""}`}>
          <p class="played-line">
            ${markOf(one.class)} ${element("b", one.class ? t(one.class) : "…", "class")}
            ${view.you === null || one.seat !== view.you ? element("small", name(one.seat)) : ""}
            ${moveText(one.move, "tiny")}
            ${" "}${one.class && one.loss > 0 ? element("span", lossText(one, unit), "lost") : ""}
          </p>
          ${one.hidden &&
          one.class &&
          element(
            "div",
            [
              button(t("retry"), tryAgain, "primary", { disabled: retry !== null }),
              button(t("show"), () =>
                connection.send({ type: "reveal", ply: one.ply }, (found) =>
                  merge(found.decisions ?? []),
                ),
              ),
            ],
            "row no-print",
          )}
          ${trial &&
          element(
            "p",
            [
              trial.right ? "✓ " : "✗ ",
              moveText(trial.move, "tiny"),
              " ",
              trial.right ? t("right") : t("not_right", lossOf(trial, digits)),
            ],
            `answer ${trial.right ? "gain" : "lose"}`,
          )}
          ${!one.hidden &&
          one.best &&
          one.searched !== one.move &&
          element("p", [
            element("small", `${t(one.best === one.move ? "ai_move" : "best_was")} `),
            moveText(one.searched, "tiny"),
          ])}
          ${!one.hidden &&
          one.rows &&
          h(Moves, { result: { rows: one.rows, unit }, mark: one.move })}
        </div>
      `}
      ${h(Curve, {
        unit,
        ply,
        choose,
        title: t("curve_review"),
        points: [
          ...decisions.map((each) => ({ ...each, se: each.value_se })),
          {
            ply: view.ply,
            seat: view.you,
            move: null,
            class: "part_result",
            value: unit === "points" ? won : (1 + Math.sign(won)) / 2,
          },
        ],
        names: name,
      })}
      ${review && [Summary, Luck].map((part) => h(part, { review, name, digits }))}
      ${decisions.length > 0 &&
      note(
        unit !== "points"
          ? t("caption_wp")
          : t(
              game.exact
                ? "caption_exact"
                : game.analyst === "tables"
                  ? "caption_tables"
                  : "caption_points",
              t.known(`unit_${game.unit}`) ?? game.unit,
            ),
      )}
    </section>
  `;
}

const CLASSES = ["best", "good", "better", "unclear", "inaccuracy", "mistake", "blunder"];

// Counts by class, and the cost of the decisions.
function Summary({ review, name, digits }) {
  // What the decisions of a seat lost, or (sign −1) what those better than the AI's gained.
  const part = (seat, sign) => {
    const some = review.decisions.filter((one) => one.seat === seat && sign * one.loss > 0);
    const loss = some.reduce((sum, one) => sum + sign * one.loss, 0);
    const se = Math.hypot(...some.map((one) => one.se ?? 0));
    return { loss, se, exact: review.exact };
  };
  const row = (title, cell) => [title, ...review.summary.map(cell)];
  return grid(
    [hidden(t("decisions")), ...review.summary.map((one) => name(one.seat))],
    [
      ...CLASSES.filter((each) => review.summary.some((one) => one[each])).map((each) =>
        row([markOf(each), " ", t(each)], (one) => one[each]),
      ),
      row(t("forced"), (one) => one.forced),
      row(t("total_lost"), (one) => lossOf(part(one.seat, 1), digits)),
      row(t("gained"), (one) => lossOf(part(one.seat, -1), digits)),
    ],
    "summary",
  );
}

const withSign = (value, digits) => {
  const shown = Number(value.toFixed(digits));
  return (shown > 0 ? "+" : "") + number(shown || 0, digits); // no −0
};

// The parts of the result: a column for each reviewed seat, and one for all hands of a series.
function Luck({ review, name, digits }) {
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
  const bar = (value, k) =>
    h(
      "span",
      { class: "swing", "aria-hidden": "true" },
      h("span", {
        class: value < 0 ? "minus" : "plus",
        style: { width: `${(50 * Math.abs(value)) / most[k]}%` },
      }),
    );
  const games = review.luck[0]?.play_outs;
  return element(
    "section",
    [
      element("h3", t("luck")),
      scroll(
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
                      found.se > 0 && [" ", element("small", `± ${number(found.se, digits)}`)],
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
      ),
      note(`${t("luck_text")} ${games ? t("luck_games", games) : t("luck_exact")}`),
    ],
    "luck",
  );
}
