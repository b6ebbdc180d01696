// What many parts of the page have in common.

import { html } from "./vendor/preact.js";
import { t } from "./words.js";

// A button: what it shows and does, its style, and further attributes.
export const button = (text, act, style, more) => html`
  <button type="button" class=${style} onClick=${act} ...${more}>${text}</button>
`;

// A button with a figure; its name is a word of the page.
export const icon = (name, act, figure, style = "") =>
  button(figure, act, `icon ${style}`, { "aria-label": t(name), title: t(name) });

// A figure of one path, which says nothing.
export const figure = (path) => html`
  <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d=${path} /></svg>
`;

// One of several: buttons side by side for values, each with a text and further attributes.
export const segments = (label, options, value, change, style = "") => html`
  <div class=${`segments ${style}`} role="group" aria-label=${label}>
    ${options.map(([one, text, more]) =>
      button(text, () => change(one), one === value ? "on" : "", {
        key: one,
        "aria-pressed": String(one === value),
        ...more,
      }),
    )}
  </div>
`;

// One of several in a list that folds out.
export const select = (value, change, options, more) => html`
  <select value=${value} onChange=${(event) => change(event.target.value)} ...${more}>
    ${options.map(
      ([one, text]) => html`
        <option value=${one} key=${one}>${text}</option>
      `,
    )}
  </select>
`;

export const thinkingDots = (progress) => html`
  <span class="thinking">
    <i></i>
    <i></i>
    <i></i>
    <small>${progress}</small>
  </span>
`;

export const check = (label, value, change) => html`
  <label class="check">
    <input type="checkbox" checked=${value} onChange=${(event) => change(event.target.checked)} />
    ${" "}${label}
  </label>
`;
