// One conversation: who said what, what it changed, what it was worth.

views.conversation = async ([run, directory], query) => {
  const row = rowAt(run, directory);
  if (row === null) throw new Error("There is no such conversation on this page.");
  state.lastOpened = row;
  const details = await readDetails(row);
  const around = neighbours(row);
  const content = [
    conversationHead(row, around, details),
    others(row),
    details === null ? missingDetails(row) : [
      h("div", { class: "talk" },
        h("aside", { class: "talk-side", "aria-label": "What it was worth" }, unclear(details, row), worth(details, jump), sideEffects(details), unsupported(details), remarks(details), rawResult(details)),
        h("section", { class: "talk-main", "aria-label": "Messages" }, timeline(details, row))),
    ],
  ];
  const cards = () => [...document.querySelectorAll(".message")].filter((card) => card.closest("details:not([open])") === null);
  const step = (by) => {
    const all = cards();
    const at = all.indexOf(document.activeElement.closest?.(".message"));
    const next = all[Math.max(0, Math.min(all.length - 1, at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by))];
    if (next) { next.focus({ preventScroll: true }); next.scrollIntoView({ block: "center" }); }
  };
  return {
    title: nameOf(row), content,
    ready: () => {
      state.keys = {
        j: () => step(1), k: () => step(-1), ArrowRight: () => around.next !== null && go(toConversation(around.next)), ArrowLeft: () => around.previous !== null && go(toConversation(around.previous)),
        Escape: () => go(backToList()),
      };
      if (query.get("at")) jump(Number(query.get("at")));
    },
    cleanUp: () => { state.keys = null; },
  };
};

function backToList() { return link("conversations", [], new URLSearchParams(state.listQuery || "")); }

function neighbours(row) {
  const list = state.list && state.list.includes(row) ? state.list : state.order;
  const at = list.indexOf(row);
  return { at, of: list.length, previous: at > 0 ? list[at - 1] : null, next: at < list.length - 1 ? list[at + 1] : null };
}

function jump(index) {
  const card = document.getElementById(`message-${index}`);
  if (!card) return;
  const folded = card.closest("details");
  if (folded) folded.open = true;
  card.scrollIntoView({ block: "center" });
  card.focus({ preventScroll: true });
  const query = new URLSearchParams(current.query);
  if (query.get("at") !== String(index)) setQuery({ at: String(index) });
}

function conversationHead(row, around, details) {
  const rows = state.index.rows;
  const step = (target, text, name, key) => (target === null ? h("span", { class: "button off", "aria-hidden": "true" }, text)
    : h("a", { class: "button", href: toConversation(target), "aria-label": name, title: `${name} (${key})` }, text));
  const fact = (title, value) => h("div", { class: "fact" }, h("dt", {}, title), h("dd", {}, value));
  return h("header", { class: "page-head conversation-head" },
    h("div", { class: "crumbs" }, h("a", { href: backToList() }, "Conversations"), h("span", { class: "dim" }, `${count(around.at + 1)} of ${count(around.of)}`),
      h("span", { class: "steps" }, step(around.previous, "←", "previous conversation", "arrow left"), step(around.next, "→", "next conversation", "arrow right"))),
    h("h1", { class: "scenario-name" }, verdict(kindOf(row)), " ", breakable(nameOf(row))),
    goalOf(row) ? h("p", { class: "lead" }, briefOf(row)) : null,
    h("dl", { class: "fact-line" }, fact("Run", runOf(row).label), fact("Score", fixed(rows.score[row], 3)), fact("Ended", readable(outcomeOf(row))), fact("Turns", rows.turn_count[row]),
      fact("Tool calls", `${rows.tool_calls[row]}${rows.tool_errors[row] ? `, ${rows.tool_errors[row]} failed` : ""}`), fact("Seed", rows.seed[row]), fact("Trial", `${rows.trial[row]} (${runOf(row).trials ?? 1} played)`),
      rows.cost_usd[row] === null ? null : fact("Cost", dollars(rows.cost_usd[row])), rows.latency_s[row] === null ? null : fact("Latency", seconds(rows.latency_s[row])), rows.tokens[row] === null ? null : fact("Tokens", count(rows.tokens[row])),
      fact("Family", h("a", { href: link("conversations", [], { family: familyOf(row) }) }, readable(familyOf(row)))), fact("Offered", readable(augmentationOf(row))),
      details?.clock ? fact("World begins", dateOf(details.clock.start, details.clock).join(", ")) : null));
}

// The same scenario in other trials and runs, and the same task offered in other ways.
function others(row) {
  const { rows, scenarios } = state.index;
  const name = nameOf(row), base = scenarios.base[scenarioOf(row)];
  const same = [], variants = [];
  for (let other = 0; other < state.size; other++) {
    if (nameOf(other) === name) same.push(other);
    else if (scenarios.base[scenarioOf(other)] === base && rows.run[other] === rows.run[row] && rows.trial[other] === rows.trial[row] && rows.seed[other] === rows.seed[row]) variants.push(other);
  }
  const labelOf = (other) => [state.index.runs.length > 1 ? runOf(other).label : "", runOf(other).trials > 1 ? `trial ${rows.trial[other]}` : "", rows.seed[other] ? `seed ${rows.seed[other]}` : ""].filter(Boolean).join(" · ") || "this one";
  const chip = (other, text) => h("span", { class: other === row ? "chip here" : "chip" },
    h("a", { href: toConversation(other), "aria-current": other === row ? "true" : null }, verdict(kindOf(other)), " ", text, " ", h("span", { class: "number dim" }, fixed(rows.score[other]))),
    other === row ? null : h("a", { class: "beside", href: link("side", [runOf(row).id, directoryOf(row), runOf(other).id, directoryOf(other)]), title: "side by side", "aria-label": `side by side with ${text}` }, "⇆"));
  return h("nav", { class: "others", "aria-label": "Related conversations" },
    same.length > 1 ? h("details", { open: same.length <= 6 }, h("summary", {}, `This scenario in ${plural(same.length, "conversation")}`), h("div", { class: "chips" }, same.map((other) => chip(other, labelOf(other))))) : null,
    variants.length ? h("details", {}, h("summary", {}, `Offered in ${plural(variants.length, "other way")}`), h("div", { class: "chips" }, variants.map((other) => chip(other, readable(augmentationOf(other)))))) : null);
}

function missingDetails(row) {
  return h("div", { class: "notice" }, h("p", {}, "The details of this conversation were left out to keep the file small. tool_sandbox view shows them, and tool_sandbox show prints them:"),
    h("pre", {}, `tool_sandbox show ${runOf(row).id} ${directoryOf(row)}`));
}

const EFFECTS = { added: "added to", removed: "removed from", updated: "changed in" };

function sideEffects(details) {
  const effects = details.side_effects || [];
  if (!effects.length) return null;
  return h("section", { class: "card" }, h("h2", {}, "⚠ Side effects"), h("p", { class: "dim" }, "Changes of the world that the scenario does not permit."),
    h("ul", { class: "effects" }, effects.map((effect) => h("li", {}, sideEffect(effect, details)))));
}

function sideEffect(effect, details) {
  if (!Object.hasOwn(EFFECTS, effect.kind)) return values(effect);
  // Of parallel calls the effect names the first answer; the change stands at its own.
  const isIt = (one) => one.database === effect.database && one.kind === effect.kind && one.key === effect.key;
  const where = details.messages.find((message) => message.index >= effect.message_index && message.changes.some(isIt));
  const index = where ? where.index : effect.message_index;
  return [
    h("p", {}, `${effect.columns?.length ? `${effect.columns.map(readable).join(", ")} of a row` : "A row"} was ${EFFECTS[effect.kind]} ${readable(effect.database)}: `, h("button", { class: "quiet", onclick: () => jump(index) }, `message ${index}`)),
    where ? cells(where.changes.find(isIt), details) : h("p", { class: "dim" }, `row ${effect.key}`),
  ];
}

function unsupported(details) {
  const found = details.result.unsupported || [];
  if (!found.length) return null;
  return h("section", { class: "card" }, h("h2", {}, "Statements that nothing shown supports"),
    h("ul", { class: "effects" }, found.map((one) => h("li", {}, h("button", { class: "quiet", onclick: () => jump(one.message) }, `message ${one.message}`), ` ${readable(one.kind)}: ${one.said}`,
      one.world === null ? null : h("strong", {}, ` (the world says: ${one.world})`)))));
}

function values(object) {
  return h("dl", { class: "values" }, Object.entries(object).filter(([, value]) => value !== null).map(([key, value]) => {
    const isMessage = /message_index$/.test(key) && typeof value === "number";
    return h("div", {}, h("dt", {}, readable(key)), h("dd", {}, isMessage ? h("button", { class: "quiet", onclick: () => jump(value) }, `message ${value}`) : literal(value)));
  }));
}

function remarks(details) {
  const { result } = details;
  const findings = result.user_findings || [];
  const said = [];
  if (result.reason) said.push(h("p", {}, result.reason));
  if (result.traceback) said.push(h("details", {}, h("summary", {}, result.exception_type || "Traceback"), h("pre", {}, result.traceback)));
  if (findings.length) said.push(h("h3", {}, "What the user did wrong"), h("ul", { class: "effects" }, findings.map((finding) => h("li", {}, values(finding)))));
  return said.length ? h("section", { class: "card" }, h("h2", {}, "How it ended"), said) : null;
}

function rawResult(details) {
  return h("section", { class: "card" }, h("details", {}, h("summary", {}, "Result as stored"), h("pre", { class: "raw" }, JSON.stringify(details.result, null, 2))),
    details.tools && details.tools.length ? h("details", {}, h("summary", {}, `${plural(details.tools.length, "tool")} on offer`), h("p", { class: "tools" }, details.tools.map((tool) => h("code", {}, tool)))) : null);
}

function literal(value, key = "", clock = null) {
  if (isMoment(value, key, clock)) return [String(value), " ", moment(value, clock)];
  if (value === null || value === undefined) return h("span", { class: "dim" }, "null");
  return dated(typeof value === "object" ? JSON.stringify(value) : String(value), clock);
}
