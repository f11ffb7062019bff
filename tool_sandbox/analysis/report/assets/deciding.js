// What is unclear in a conversation, what was decided about it, and on a served page the means to decide.

const CHOICES = [[true, "Stated"], [false, "Not stated"], [null, "Leave open"]];

function unclear(details, row) {
  const { unclear: found, score_interval: between } = details.result;
  if (!found || !found.length) return null;
  return h("section", { class: "card unclear", "aria-labelledby": "unclear" },
    h("h2", { id: "unclear" }, between ? `Unclear: score ${fixed(between[0], 3)} to ${fixed(between[1], 3)}` : "Unclear, and decided"),
    isServed() ? nameField() : between ? h("p", { class: "dim" }, "tool_sandbox review and tool_sandbox view decide.") : null,
    h("ul", { class: "effects" }, found.map((one, at) => h("li", {},
      h("blockquote", { id: `sentence-${at}`, dir: "auto" }, one.sentence),
      h("dl", { class: "values" }, h("div", {}, h("dt", {}, "said in"), h("dd", {}, h("button", { class: "quiet", onclick: () => jump(one.message) }, `message ${one.message}`))),
        h("div", {}, h("dt", {}, "the world has"), h("dd", { id: `fact-${at}` }, breakable(one.fact))), h("div", {}, h("dt", {}, "decided"), h("dd", {}, decisionText(one)))),
      isServed() ? choices(one, at, row) : null))));
}

function decisionText(one) {
  const what = one.is_stated === null ? (one.by ? "left open" : "not yet") : one.is_stated ? "stated" : "not stated";
  return one.by ? `${what}, by ${one.is_judge ? "the judge " : ""}${one.by}, ${one.at.slice(0, 16).replace("T", " ")}` : what;
}

function nameField() {
  return h("label", { class: "field" }, h("span", {}, "Your name, kept with what you decide"),
    h("input", { name: "by", autocomplete: "name", maxlength: "100", spellcheck: "false", value: readName(), oninput: (event) => keepName(event.target.value) }));
}

function choices(one, at, row) {
  const isHere = (choice) => one.is_stated === choice && Boolean(choice !== null || one.by);
  return h("div", { class: "choices", role: "group", "aria-label": "Does the sentence state it?", "aria-describedby": `sentence-${at} fact-${at}` }, CHOICES.map(([choice, text]) =>
    h("button", { type: "button", id: `choice-${at}-${choice}`, "aria-pressed": String(isHere(choice)), onclick: (event) => choose(one, row, choice, event.target.id) }, text)));
}

async function choose(one, row, choice, id) {
  const field = document.querySelector('input[name="by"]');
  const by = field.value.trim();
  if (!by) { setStatus("A decision needs a name."); field.focus(); return; }
  const body = { run: runOf(row).id, directory: directoryOf(row), message: one.message, fact: one.fact, sentence: one.sentence, is_stated: choice, by };
  setStatus("Scoring…", { isGood: true });
  try {
    await post("api/decision", body);
    await loadIndex();
    await render({ keepsPlace: true });
    setStatus("Kept, and scored by it.", { isGood: true });
  } catch (error) {
    setStatus(`This was not kept: ${error.message}`);
  }
  document.getElementById(id)?.focus({ preventScroll: true });
}

function readName() {
  try { return localStorage.getItem("tool_sandbox-name") || ""; } catch { return ""; }
}

function keepName(name) {
  try { localStorage.setItem("tool_sandbox-name", name); } catch { /* the page works without */ }
}
