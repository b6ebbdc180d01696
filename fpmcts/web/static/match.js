// A match: the points of each player over the games of a series.

import { html, useEffect, useState } from "./vendor/preact.js";
import { get } from "./connection.js";
import { playerTitle } from "./players.js";
import { Curve } from "./thoughts.js";
import { element, grid } from "./parts.js";
import { gain, signed, t } from "./words.js";

// Running sums as points of a curve, from the returns of each player in each game.
export function sums(games) {
  const points = [];
  const totals = games.length ? games[0].map(() => 0) : [];
  [totals, ...games].forEach((returns, ply) =>
    returns.forEach((won, seat) =>
      points.push({ ply, seat, value: (totals[seat] += won), move: null }),
    ),
  );
  return points;
}

export function Match({ id, series, over, fail }) {
  const [games, setGames] = useState([]);
  useEffect(() => {
    get(`/api/tables/${id}/series`).then((answer) => setGames(answer.games), fail);
  }, [id]);
  const ranks = series.players
    .map((player, k) => [series.returns[k], player, k])
    .sort((a, b) => b[0] - a[0]);
  return html`
    <section class="panel match">
      <h2>${t(over ? "match_over" : "total")}</h2>
      ${grid(
        null,
        ranks.map(([won, player, k]) => [
          `${playerTitle(player)}${
            series.players.indexOf(player) !== series.players.lastIndexOf(player) ? ` ${k + 1}` : ""
          }`,
          element("span", signed(won), gain(won)),
        ]),
      )}
      <${Curve}
        points=${sums(games)}
        unit="points"
        title=${t("match_curve")}
        tag=${(one) => t("hand_no", one.ply)}
        names=${(k) => playerTitle(series.players[k])}
      />
    </section>
  `;
}
