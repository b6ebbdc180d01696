// Steps through a game from its beginning, by buttons and arrow keys, or by itself.

import { html, useEffect, useState } from "./vendor/preact.js";
import { get } from "./connection.js";
import { useKeys, useLater } from "./keys.js";
import { t } from "./words.js";
import { figure, icon, input } from "./parts.js";

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
  const step = (name, to) => act(name, () => choose(Math.min(last, Math.max(0, to))));
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

export function useArrows(enabled, ply, last, choose) {
  useKeys(enabled, (event) => {
    const to = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return false;
    choose(Math.min(last, Math.max(0, to)));
    return true;
  });
}
