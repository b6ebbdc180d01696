// The rules of a game, as the game tells them.

import { html, useEffect, useRef } from "./vendor/preact.js";
import { baseTitle } from "./players.js";
import { ofGame, t } from "./words.js";
import { button } from "./parts.js";

// A dialog with the rules of a game; null: closed.
export function Rules({ base, close }) {
  const dialog = useRef(null);
  useEffect(() => {
    if (base && !dialog.current.open) dialog.current.showModal();
  }, [base]);
  return html`
    <dialog
      ref=${dialog}
      class="rules"
      aria-label=${t("rules")}
      onClose=${close}
      onClick=${(event) => event.target === dialog.current && dialog.current.close()}
    >
      ${base &&
      html`
        <div class="sheet">
          <h2>${baseTitle(base)}</h2>
          ${ofGame(base, "rules").map(
            ([title, lines]) => html`
              <section key=${title}>
                <h3>${title}</h3>
                <ul>
                  ${lines.map(
                    (line) => html`
                      <li key=${line}>${line}</li>
                    `,
                  )}
                </ul>
              </section>
            `,
          )}
          ${button(t("close"), () => dialog.current.close(), "primary")}
        </div>
      `}
    </dialog>
  `;
}
