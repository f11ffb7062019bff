// Elements are made by hand: every text of a model becomes a text node, never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.setAttribute("class", value);
    else if (name === "style") for (const [key, set] of Object.entries(value)) element.style.setProperty(key, set);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(shown(String(child))));
  }
}

function h(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

function svg(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

// Controls and marks that hide or turn text are shown by their code, so that a text looks like what it is.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function shown(text) {
  return text.replace(HIDDEN, (character) => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0"));
}

function replace(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

function percent(value, digits = 1) {
  return value === null || value === undefined ? "–" : (100 * value).toFixed(digits) + " %";
}

function fixed(value, digits = 2) {
  return value === null || value === undefined ? "–" : value.toFixed(digits);
}

function count(value) {
  return value === null || value === undefined ? "–" : value.toLocaleString("en-US", { maximumFractionDigits: 0 });
}

function dollars(value) {
  if (value === null || value === undefined) return "–";
  return "$" + (value >= 100 ? value.toFixed(0) : value >= 0.1 ? value.toFixed(2) : value.toPrecision(2));
}

function seconds(value) {
  if (value === null || value === undefined) return "–";
  return value >= 100 ? `${(value / 60).toFixed(1)} min` : value >= 10 ? `${value.toFixed(0)} s` : `${value.toFixed(2)} s`;
}

function plural(number, word, words = word + "s") {
  return `${count(number)} ${number === 1 ? word : words}`;
}

function readable(name) {
  return String(name).replaceAll("_", " ").toLowerCase();
}

// At most so many characters, and no half word.
function shortened(text, most) {
  if (text.length <= most) return text;
  const start = text.slice(0, most);
  return `${start.slice(0, Math.max(start.lastIndexOf(" "), most / 2))} …`;
}

// The same text for the same value, whatever the order of its keys.
function canonical(value) {
  return JSON.stringify(value, (key, one) => (one && typeof one === "object" && !Array.isArray(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one)) ?? "missing";
}

// Blue is good, orange is bad, and both are told apart by those who see no red or green; numbers stand beside them.
function shade(value) {
  if (value === null || value === undefined) return { class: "shade none" };
  const strength = Math.round(Math.abs(value - 0.5) * 200);
  const hue = value >= 0.5 ? "--high" : "--low";
  const ink = strength > 78 ? "var(--on-scale)" : "var(--ink)";
  return { class: "shade", style: { background: `color-mix(in oklab, var(${hue}) ${strength}%, var(--middle))`, color: ink } };
}

const VERDICTS = {
  success: { icon: "✓", text: "success" },
  partial: { icon: "◐", text: "partly" },
  failure: { icon: "✕", text: "failure" },
  excluded: { icon: "∅", text: "not counted" },
};

function verdict(kind) {
  const { icon, text } = VERDICTS[kind];
  return h("span", { class: `verdict ${kind}`, title: text }, h("span", { "aria-hidden": "true" }, icon), h("span", { class: "sr" }, text));
}

// A long name may break where its parts end.
function breakable(name) {
  return String(name).split(/(?<=[_/,@])/).flatMap((part, at) => (at ? [h("wbr"), part] : [part]));
}

function isNarrow() { return matchMedia("(max-width: 720px)").matches; }

function meter(value, label) {
  const width = Math.max(0, Math.min(1, value || 0)) * 100;
  return h("span", { class: "meter", role: "img", "aria-label": label }, h("span", { style: { width: `${width}%` } }));
}
