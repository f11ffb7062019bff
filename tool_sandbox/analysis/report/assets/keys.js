// The keyboard, and the sheet that explains it.

const HELP = [
  ["?", "this help"], ["/", "search conversations"], ["o c m l", "overview, conversations, heat maps, leaderboard"], ["j k", "next, previous row or message"],
  ["↑ ↓", "the same, in the table"], ["Enter", "open the row"], ["← →", "previous, next conversation"], ["Esc", "back to the table, or close"], ["d", "dark or light"],
];

function helpSheet() {
  const sheet = h("dialog", { id: "help", "aria-labelledby": "help-title" }, h("h2", { id: "help-title" }, "Keyboard"),
    h("dl", { class: "keys" }, HELP.map(([keys, text]) => h("div", {}, h("dt", {}, keys.split(" ").map((key) => h("kbd", {}, key))), h("dd", {}, text)))),
    h("form", { method: "dialog" }, h("button", { class: "primary" }, "Close")));
  sheet.addEventListener("click", (event) => { if (event.target === sheet) sheet.close(); });
  return sheet;
}

function openSearch() {
  const focus = () => { const field = document.querySelector('input[name="q"]'); if (field) { field.focus(); field.select(); } };
  if (current.view === "conversations") focus();
  else { location.hash = backToList(); setTimeout(focus, 60); }
}

function onKey(event) {
  const sheet = document.getElementById("help");
  if (event.ctrlKey || event.metaKey || event.altKey || sheet.open) return;
  const isField = event.target.matches("input, select, textarea");
  if (isField) {
    if (event.key === "Escape") { event.target.blur(); document.querySelector(".grid")?.focus(); }
    if (event.key === "Enter" && event.target.type === "search") { event.preventDefault(); document.querySelector(".grid")?.focus(); }
    return;
  }
  if (event.key === "Enter" && event.target.matches("a, button, summary")) return;
  const isScrolled = event.target.matches(".scroll, .scroll *") && event.key.startsWith("Arrow");
  const own = state.keys && state.keys[event.key];
  const general = {
    "?": () => sheet.showModal(), "/": openSearch, o: () => go("#/overview"), c: () => go(backToList()), m: () => go("#/maps"), l: () => go("#/board"), d: switchTheme,
  }[event.key];
  if (isScrolled || !(own || general)) return;
  event.preventDefault();
  (own || general)();
}
