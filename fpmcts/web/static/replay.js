// A finished game: steps from its beginning, by buttons and arrow keys, or by itself; and a match,
// the points of each player over the games of a series.

import { h, html, useEffect, useState } from "./vendor/preact.js";
import { get } from "./connection.js";
import { useLater } from "./keys.js";
import { calledTitle } from "./players.js";
import { Curve } from "./thoughts.js";
import { gain, shownChips, signedChips, t, unitText } from "./words.js";
import { element, figure, grid, hidden, icon, input, panel } from "./parts.js";

// All positions of a finished game; null until they have arrived, or without an id.
export function useReplay(id, plies, fail) {
  const [found, setFound] = useState(null);
  useEffect(() => {
    let wanted = true;
    setFound(null);
    if (id)
      get(`/api/tables/${id}/replay`).then((answer) => wanted && setFound(answer.plies), fail);
    return () => {
      wanted = false;
    };
  }, [id, plies]);
  return found;
}

const STEP_MS = 1100;
const ICONS = {
  autoplay: "M7 4l12 8L7 20z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  first: "M5 4h3v16H5zM20 4v16L9 12z",
  previous: "M15.500 4l2 2-6 6 6 6-2 2-8-8z",
  following: "M8.500 4l-2 2 6 6-6 6 2 2 8-8z",
  last: "M16 4h3v16h-3zM4 4l11 8L4 20z",
};

// `held`: nothing moves by itself meanwhile.
export function Steps({ ply, last, choose, held }) {
  const [runs, setRuns] = useState(false);
  useLater(runs && !held ? STEP_MS : null, () => (ply < last ? choose(ply + 1) : setRuns(false)), [
    ply,
    last,
  ]);
  const start = () => {
    if (!runs && ply === last) choose(0);
    setRuns(!runs);
  };
  const act = (name, what) => icon(name, what, figure(ICONS[name]));
  const step = (name, to) => act(name, () => choose(to));
  return html`
    <div class="row steps" role="group" aria-label=${t("replay")}>
      ${act(runs ? "pause" : "autoplay", start)}${step("first", 0)}${step("previous", ply - 1)}
      ${input(ply, (to) => choose(Number(to)), {
        type: "range",
        min: 0,
        max: last,
        "aria-label": t("move"),
      })}
      ${step("following", ply + 1)}${step("last", last)}
      <span class="muted small count">${t("of", ply, last)}</span>
    </div>
  `;
}

// Running sums as points of a curve, from the returns of each player in each game.
export function sums(games) {
  const points = [];
  const totals = games.length ? games[0].map(() => 0) : [];
  [totals, ...games].forEach((returns, ply) =>
    returns.forEach((won, seat) =>
      points.push({ ply, seat, value: shownChips((totals[seat] += won)), move: null }),
    ),
  );
  return points;
}

// `ended`: the hand at the table is the last of these.
export function Match({ id, view, summary: { series, rotate }, over, ended, fail }) {
  const [games, setGames] = useState([]);
  useEffect(() => {
    setGames([]);
    get(`/api/tables/${id}/series`).then((answer) => setGames(answer.games), fail);
  }, [id, series.games]);
  const ranks = series.players.map((_, k) => [series.returns[k], k]).sort((a, b) => b[0] - a[0]);
  const now = ended && games.length > 1 && games.at(-1);
  // a hand later everyone sits a place further on
  const name = (k) => calledTitle(view, (k + (rotate ? series.number - 1 : 0)) % view.seats.length);
  return panel(
    over ? "match_over" : "total",
    [
      grid(
        [hidden(t("sum")), ...(now ? [t("this_game")] : []), t("sum")],
        ranks.map(([won, k]) => [
          name(k),
          ...[...(now ? [now[k]] : []), won].map((each) =>
            element("span", signedChips(each), gain(each)),
          ),
        ]),
      ),
      h(Curve, {
        points: games.length > 1 ? sums(games) : [],
        unit: "points",
        title: t("match_curve") + unitText(),
        tag: (one) => t("hand_no", one.ply),
        names: name,
      }),
    ],
    "match",
  );
}
