// What many parts of the page have in common.

import { h, html, useEffect, useRef, useState } from "./vendor/preact.js";
import { t } from "./words.js";

// An element of text; its style.
export const element = (name, content, style) => h(name, { class: style }, content);

// A button: what it shows and does, its style, and further attributes.
export const button = (text, act, style, more) =>
  h("button", { type: "button", class: style, onClick: act, ...more }, text);

// A button with a figure; its name is a word of the page.
export const icon = (name, act, figure, style = "") =>
  button(figure, act, `icon ${style}`, { "aria-label": t(name), title: t(name) });

// A figure of one path, which says nothing, and further attributes.
export const figure = (path, more) =>
  h(
    "svg",
    { viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false", ...more },
    h("path", { d: path }),
  );

// One of several: buttons side by side for values, each with a text and further attributes.
export const segments = (label, options, value, change, style = "") =>
  h(
    "div",
    { class: `segments ${style}`, role: "group", "aria-label": label },
    options.map(([one, text, more]) =>
      button(text, () => change(one), one === value ? "on" : "", {
        "aria-pressed": one === value,
        ...more,
      }),
    ),
  );

// One of several in a list that folds out.
export const select = (value, change, options, more) =>
  h(
    "select",
    { value, onChange: (event) => change(event.target.value), ...more },
    options.map(([one, text]) => h("option", { value: one }, text)),
  );

export const thinkingDots = (progress) =>
  element("span", [h("i"), h("i"), h("i"), element("small", progress)], "thinking");

export const check = (label, value, change) =>
  element(
    "label",
    [
      h("input", {
        type: "checkbox",
        checked: value,
        onChange: (event) => change(event.target.checked),
      }),
      label,
    ],
    "check",
  );

// A part of the page under a heading, a word of the page.
export const panel = (name, content, style = "") =>
  element("section", [element("h2", t(name)), content], `panel ${style}`);

// A control below its name.
export const field = (name, control, more, style = "") =>
  h("label", { class: `field ${style}` }, element("span", name), control, more);

// A field for text, which browsers leave as it is typed.
export const input = (value, change, more) =>
  h("input", {
    value,
    autocapitalize: "off",
    autocomplete: "off",
    spellcheck: false,
    onInput: (event) => change(event.target.value),
    ...more,
  });

// What is laid out in rows: the titles of the columns, if any, and for each row its title and its
// cells.
export const grid = (titles, rows, style) =>
  element(
    "table",
    [
      titles &&
        h(
          "thead",
          null,
          element(
            "tr",
            titles.map((one) => h("th", { scope: "col" }, one)),
          ),
        ),
      element(
        "tbody",
        rows.map(([title, ...cells]) =>
          element("tr", [h("th", { scope: "row" }, title), cells.map((one) => element("td", one))]),
        ),
      ),
    ],
    style,
  );

export const note = (text) => element("p", text, "muted small");

// What is one picture to screen readers; its name.
export const picture = (name, content, style) =>
  h("span", { class: style, role: "img", "aria-label": name }, content);

export const hidden = (text) => element("span", text, "sr");

// What is wider or longer than its place.
export const scroll = (name, content, more) =>
  h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name, ...more }, content);

// A sheet over the page; a click beside it closes it. `open`: what opens it once it is true.
export function Sheet({ dialog = useRef(null), name, open, close, children, style }) {
  useEffect(() => {
    if (open && !dialog.current.open) dialog.current.showModal();
  }, [open]);
  return html`
    <dialog
      ref=${dialog}
      class=${style}
      aria-label=${name}
      onClose=${close}
      onClick=${(event) => event.target === dialog.current && dialog.current.close()}
    >
      ${open !== null &&
      html`
        <div class="sheet">
          ${children} ${button(t("close"), () => dialog.current.close(), "primary")}
        </div>
      `}
    </dialog>
  `;
}

// The first of many rows, and a button that shows them all.
export function useFew(rows, few) {
  const [all, setAll] = useState(false);
  const text = `${t("show_all", rows.length)} ${all ? "▴" : "▾"}`;
  const more = button(text, () => setAll(!all), "link small", { "aria-expanded": all });
  return [all ? rows : rows.slice(0, few), rows.length > few && more];
}
