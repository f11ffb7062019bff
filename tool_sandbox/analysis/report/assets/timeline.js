// Messages of the four roles in order, with what each call did to the world.

const ROLES = {
  SYSTEM: { icon: "S", name: "System" }, USER: { icon: "U", name: "User" }, AGENT: { icon: "A", name: "Agent" },
  EXECUTION_ENVIRONMENT: { icon: "E", name: "Environment" },
};
const KINDS = { added: "+", removed: "−", updated: "~" };

function timeline(details) {
  const opening = details.opening || 0;
  const before = details.messages.filter((message) => message.index < opening);
  const after = details.messages.filter((message) => message.index >= opening);
  return [
    before.length ? h("details", { class: "opening" }, h("summary", {}, `Before the conversation: ${plural(before.length, "message")}`), before.map((message) => card(message, details))) : null,
    after.map((message) => card(message, details)),
  ];
}

function roleOf(name) { return ROLES[name] || { icon: "?", name: String(name) }; }

// Beside another conversation, what is not the same in the message across is marked.
function card(message, details, prefix = "message", other = null) {
  const from = roleOf(message.sender), to = roleOf(message.recipient);
  const isHit = message.milestones.length > 0, isMine = message.minefields.length > 0;
  return h("article", { class: `message ${String(message.sender).toLowerCase()}${isMine ? " mine" : isHit ? " hit" : ""}`, id: `${prefix}-${message.index}`, tabindex: "0", "aria-label": `Message ${message.index}, ${from.name} to ${to.name}` },
    h("header", {}, h("span", { class: "role", "aria-hidden": "true" }, from.icon), h("span", { class: "who" }, from.name, h("span", { class: "dim" }, ` → ${to.name}`)), seenBy(message), h("span", { class: "cost" }, modelCost(message.model)), h("span", { class: "index number" }, message.index)),
    said(message, other), message.call ? callOf(message.call, details, other && other.call) : null, message.answer ? answerOf(message.answer, details, other && other.answer) : null,
    message.changed_by.length ? h("p", { class: "dim" }, `Changed by one or more of the calls that messages ${message.changed_by.join(", ")} answer; this run does not say which.`) : null,
    message.happened.map((told) => h("p", { class: "dim" }, `The world by itself: ${told}`)),
    message.changes.map((one, at) => change(one, details, other && (other.changes[at] || {}))), matched(message, details));
}

function unlike(one, other, isPaired) { return isPaired && canonical(one) !== canonical(other) ? "differs" : null; }

function said(message, other) {
  if (message.text === null || message.text === "" || message.text === undefined) return null;
  if (message.answer) return null;
  const differs = unlike(message.text, other?.text, other !== null);
  const text = h("div", { class: `text ${differs || ""}`, dir: "auto" }, message.text);
  return message.text.length > 1500 ? h("details", { open: differs }, h("summary", {}, `${shown(message.text.slice(0, 160))}…`), text) : text;
}

function seenBy(message) {
  if (!message.visible_to) return null;
  const names = message.visible_to.map((role) => roleOf(role).name);
  const both = [message.sender, message.recipient];
  if (message.visible_to.length === 2 && both.every((role) => message.visible_to.includes(role))) return null;
  return h("span", { class: "tag" }, `seen by ${names.join(", ") || "nobody"}`);
}

function modelCost(model) {
  if (!model) return null;
  const words = [seconds(model.latency_s), model.output_tokens === null ? null : `${count(model.input_tokens)} → ${count(model.output_tokens)} tokens`, model.cost_usd === null ? null : dollars(model.cost_usd), model.failures ? `⚠ ${plural(model.failures, "retry", "retries")}` : null];
  return words.filter(Boolean).join(" · ");
}

function callOf(call, details, other) {
  const isPlain = (one) => one.arguments !== null && typeof one.arguments === "object";
  const isRenamed = call.tool && call.tool !== call.name;
  const given = (value, key) => (value === undefined ? h("span", { class: "dim" }, "not given") : typeof value === "string" ? `"${value}"` : literal(value, key, details.clock));
  const across = other && isPlain(other) ? other.arguments : {};
  const line = (key) => h("div", {}, h("dt", {}, breakable(key)), h("dd", { dir: "auto", class: unlike(own(call.arguments, key), own(across, key), other) }, given(own(call.arguments, key), key)));
  const names = isPlain(call) ? [...new Set([...Object.keys(call.arguments), ...Object.keys(across)])] : [];
  return h("div", { class: "call" }, h("div", { class: "call-name" }, h("span", { "aria-hidden": "true" }, "⚒ "), h("code", { class: unlike(call.name, other?.name, other) }, breakable(call.name)), isRenamed ? h("span", { class: "dim" }, " = ", h("code", {}, breakable(call.tool))) : null),
    isPlain(call) ? (names.length ? h("dl", { class: "values" }, names.map(line)) : h("div", { class: unlike(call.arguments, other?.arguments, other) || "dim" }, "no arguments"))
      : h("pre", { class: unlike(call.arguments, other?.arguments, other) }, dated(String(call.arguments), details.clock)));
}

function own(object, key) { return Object.hasOwn(object, key) ? object[key] : undefined; }

function answerOf(answer, details, other) {
  const call = details.messages.find((message) => message.index === answer.call_index);
  const isError = answer.error !== null && answer.error !== undefined;
  const text = isError ? answer.error : answer.result;
  const differs = unlike([answer.result, answer.error], [other?.result, other?.error], other);
  const body = text === null || text === undefined || text === "" ? h("span", { class: differs || "dim" }, "nothing") : h(text.length > 60 || text.includes("\n") ? "pre" : "code", { dir: "auto", class: differs }, dated(pretty(text), details.clock));
  return h("div", { class: isError ? "answer error" : "answer" },
    h("div", { class: "answer-name" }, isError ? "✕ error" : "✓ result", call && call.call ? [" of ", h("code", {}, breakable(call.call.name)), h("span", { class: "dim" }, ` (message ${call.index})`)] : null), body);
}

function pretty(text) {
  if (!/^\s*[[{]/.test(text) || text.length > 20000) return text;
  // Results are often written as Python shows them; then each row of a list gets a line of its own.
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text.replaceAll("}, {", "},\n {"); }
}

// One row of a world table before and after, a line a column; what changed comes first, bold and with an arrow.
function change(one, details, other = null) {
  return h("figure", { class: `change ${one.kind}` },
    h("figcaption", { class: unlike([one.kind, one.database], [other?.kind, other?.database], other) }, h("span", { class: "kind", "aria-hidden": "true" }, KINDS[one.kind] || "?"), ` ${one.kind} in ${readable(one.database)}`), cells(one, details, other));
}

function cells(one, details, other = null) {
  const sides = ["before", "after"].filter((side) => one[side]);
  const known = Object.keys(one.after || one.before || {}).filter((column) => sides.some((side) => (one[side][column] ?? null) !== null || own(other?.[side] || {}, column)));
  const isChanged = (column) => one.kind === "updated" && one.columns.includes(column);
  const cell = (side, column) => h("td", { class: [isChanged(column) ? "changed" : "", unlike(one[side][column] ?? null, other?.[side]?.[column] ?? null, other)].filter(Boolean).join(" ") },
    isChanged(column) && side === "after" ? h("span", { class: "arrow", "aria-label": "changed to" }, "▸\u00a0") : null, literal(one[side][column], column, details.clock));
  const table = (columns) => h("table", {}, h("thead", { class: sides.length > 1 ? null : "sr" }, h("tr", {}, ["column", ...sides].map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, columns.map((column) => h("tr", {}, h("th", { scope: "row" }, readable(column)), sides.map((side) => cell(side, column))))));
  const [changed, rest] = [known.filter(isChanged), known.filter((column) => !isChanged(column))];
  const isHidden = changed.length && rest.length && !rest.some((column) => sides.some((side) => unlike(one[side][column] ?? null, other?.[side]?.[column] ?? null, other)));
  return isHidden ? [table(changed), h("details", {}, h("summary", {}, `${plural(rest.length, "other column")} of the row`), table(rest))] : table([...changed, ...rest]);
}

function matched(message, details) {
  const marks = [];
  const tag = (kind, text, node) => h("span", { class: `tag ${kind}`, title: titleOf(node) }, text, titleOf(node) && [": ", breakable(shortened(titleOf(node), 80))]);
  for (const index of message.milestones) {
    const milestone = details.milestones[index];
    const value = milestone ? milestone.similarity : null;
    marks.push(tag(value === 0 ? "miss" : value < 1 ? "part" : "good", `${value === 0 ? "○" : value < 1 ? "◐" : "●"} milestone ${index}, ${fixed(value)}`, milestone));
  }
  for (const index of message.minefields) {
    const minefield = details.minefields[index];
    if (minefield && minefield.similarity > 0) marks.push(tag("miss", `⚠ minefield ${index}`, minefield));
  }
  return marks.length ? h("footer", {}, marks) : null;
}
