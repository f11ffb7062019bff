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

function card(message, details, prefix = "message") {
  const from = roleOf(message.sender), to = roleOf(message.recipient);
  const isHit = message.milestones.length > 0, isMine = message.minefields.length > 0;
  return h("article", { class: `message ${String(message.sender).toLowerCase()}${isMine ? " mine" : isHit ? " hit" : ""}`, id: `${prefix}-${message.index}`, tabindex: "0", "aria-label": `Message ${message.index}, ${from.name} to ${to.name}` },
    h("header", {}, h("span", { class: "role", "aria-hidden": "true" }, from.icon), h("span", { class: "who" }, from.name, h("span", { class: "dim" }, ` → ${to.name}`)), seenBy(message), h("span", { class: "cost" }, modelCost(message.model)), h("span", { class: "index number" }, message.index)),
    said(message), message.call ? callOf(message.call) : null, message.answer ? answerOf(message.answer, details) : null,
    message.changes.map(change), matched(message, details));
}

function said(message) {
  if (message.text === null || message.text === "" || message.text === undefined) return null;
  if (message.answer) return null;
  const isLong = message.text.length > 1500;
  const text = h("div", { class: "text", dir: "auto" }, message.text);
  return isLong ? h("details", {}, h("summary", {}, `${shown(message.text.slice(0, 160))}…`), text) : text;
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

function callOf(call) {
  const isPlain = call.arguments !== null && typeof call.arguments === "object";
  const isRenamed = call.tool && call.tool !== call.name;
  return h("div", { class: "call" }, h("div", { class: "call-name" }, h("span", { "aria-hidden": "true" }, "⚒ "), h("code", {}, call.name), isRenamed ? h("span", { class: "dim" }, " = ", h("code", {}, call.tool)) : null),
    isPlain ? (Object.keys(call.arguments).length ? h("dl", { class: "values" }, Object.entries(call.arguments).map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", { dir: "auto" }, typeof value === "string" ? `"${value}"` : literal(value))))) : h("div", { class: "dim" }, "no arguments"))
      : h("pre", {}, String(call.arguments)));
}

function answerOf(answer, details) {
  const call = details.messages.find((message) => message.index === answer.call_index);
  const isError = answer.error !== null && answer.error !== undefined;
  const text = isError ? answer.error : answer.result;
  const body = text === null || text === undefined || text === "" ? h("span", { class: "dim" }, "nothing") : h(text.length > 60 || text.includes("\n") ? "pre" : "code", { dir: "auto" }, pretty(text));
  return h("div", { class: isError ? "answer error" : "answer" },
    h("div", { class: "answer-name" }, isError ? "✕ error" : "✓ result", call && call.call ? [" of ", h("code", {}, call.call.name), h("span", { class: "dim" }, ` (message ${call.index})`)] : null), body);
}

function pretty(text) {
  if (!/^\s*[[{]/.test(text) || text.length > 20000) return text;
  // Results are often written as Python shows them; then each row of a list gets a line of its own.
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text.replaceAll("}, {", "},\n {"); }
}

// One row of a world table before and after; what changed is framed, bold and has an arrow.
function change(one) {
  const known = Object.keys(one.after || one.before || {}).filter((column) => one.columns.includes(column) || valueAt(one, column) !== null);
  const changed = (column) => one.kind === "updated" && one.columns.includes(column);
  const columns = [...known.filter(changed), ...known.filter((column) => !changed(column))];
  const cells = (row, isNew) => columns.map((column) => h("td", { class: changed(column) ? "changed" : "" }, h("div", {}, changed(column) && isNew ? h("span", { class: "arrow", "aria-label": "changed to" }, "▸\u00a0") : null, row ? literal(row[column]) : "")));
  const line = (label, row, isNew) => (row ? h("tr", {}, h("th", { scope: "row" }, label), cells(row, isNew)) : null);
  return h("figure", { class: `change ${one.kind}` },
    h("figcaption", {}, h("span", { class: "kind", "aria-hidden": "true" }, KINDS[one.kind] || "?"), ` ${one.kind} in ${readable(one.database)}`),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `${one.kind} in ${readable(one.database)}` },
      h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, h("span", { class: "sr" }, "state")), columns.map((column) => h("th", { scope: "col", class: changed(column) ? "changed" : "" }, readable(column))))),
        h("tbody", {}, line("before", one.before, false), line("after", one.after, true)))));
}

function valueAt(one, column) {
  const row = one.after || one.before;
  return row[column] === undefined ? null : row[column];
}

function matched(message, details) {
  const marks = [];
  for (const index of message.milestones) {
    const milestone = details.milestones[index];
    const value = milestone ? milestone.similarity : null;
    marks.push(h("span", { class: value === 0 ? "tag miss" : value < 1 ? "tag part" : "tag good" }, `${value === 0 ? "○" : value < 1 ? "◐" : "●"} milestone ${index + 1}${milestone && milestone.name ? ` ${milestone.name}` : ""}: ${fixed(value)}`));
  }
  for (const index of message.minefields) {
    const minefield = details.minefields[index];
    if (minefield && minefield.similarity > 0) marks.push(h("span", { class: "tag miss" }, `⚠ minefield ${index + 1}${minefield.name ? ` ${minefield.name}` : ""}`));
  }
  return marks.length ? h("footer", {}, marks) : null;
}
