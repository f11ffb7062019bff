// Puts the frame up, reads the index, and shows what the link asks for.

function frame() {
  const entry = (href, text, names) => h("a", { href, "data-views": names }, text);
  return [
    h("a", { class: "skip", href: "#main", onclick: (event) => { event.preventDefault(); document.getElementById("main").focus(); } }, "Skip to the content"),
    h("div", { class: "top" }, h("div", { class: "brand" }, "ToolSandbox"),
      h("nav", { "aria-label": "Views" }, isServed() ? entry("#/runs", "Runs", "runs") : null, entry("#/overview", "Overview", "overview"), entry("#/conversations", "Conversations", "conversations conversation side"), entry("#/maps", "Heat maps", "maps"), entry("#/board", "Leaderboard", "board")),
      h("div", { class: "tools-right" }, h("button", { class: "quiet", onclick: switchTheme, "aria-label": "dark or light", title: "dark or light (d)" }, "◐"), h("button", { class: "quiet", onclick: () => document.getElementById("help").showModal(), "aria-label": "keyboard help", title: "keyboard (?)" }, "?"))),
    h("p", { id: "status", role: "status" }),
    h("main", { id: "main", tabindex: "-1" }, h("p", { class: "lead" }, "Reading…")),
    helpSheet(),
  ];
}

async function begin() {
  applyTheme(readTheme());
  replace(document.getElementById("app"), frame());
  addEventListener("hashchange", () => render());
  addEventListener("keydown", onKey);
  try {
    await loadIndex();
  } catch (error) {
    replace(document.getElementById("main"), h("div", { class: "notice bad", role: "alert" }, h("h1", {}, "The data cannot be read"), h("p", {}, String(error.message || error))));
    return;
  }
  if (isServed() && !state.index.runs.length && !location.hash) history.replaceState(null, "", "#/runs");
  await render();
  follow();
  document.documentElement.dataset.ready = "yes";
}

begin();
