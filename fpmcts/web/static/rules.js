// The rules of a game, as the game tells them.

import { html } from "./vendor/preact.js";
import { baseTitle } from "./players.js";
import { ofGame, t } from "./words.js";
import { Sheet, element } from "./parts.js";

// The rules of a game; null: closed.
export const Rules = ({ base, close }) => html`
  <${Sheet} ...${{ close }} name=${t("rules")} open=${base} style="rules">
    ${base && [
      element("h2", baseTitle(base)),
      ofGame(base, "rules").map(([title, lines]) =>
        element("section", [
          element("h3", title),
          element(
            "ul",
            lines.map((line) => element("li", line)),
          ),
        ]),
      ),
    ]}
  <//>
`;
