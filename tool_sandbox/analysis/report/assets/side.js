// Two conversations next to each other; messages that play the same part stand in one line.

views.side = async ([runA, directoryA, runB, directoryB]) => {
  const rows = [rowAt(runA, directoryA), rowAt(runB, directoryB)];
  if (rows.includes(null)) throw new Error("One of the two conversations is not on this page.");
  const [left, right] = await Promise.all(rows.map(readDetails));
  const swap = link("side", [runB, directoryB, runA, directoryA]);
  const heads = rows.map((row, side) => h("div", { class: "side-head" }, h("div", {}, h("span", { class: "tag" }, "AB"[side]), " ", verdict(kindOf(row)), " ", h("a", { href: toConversation(row) }, runOf(row).label)),
    h("div", { class: "dim" }, [nameOf(row), runOf(row).trials > 1 ? `trial ${state.index.rows.trial[row]}` : "", `score ${fixed(state.index.rows.score[row], 3)}`, readable(outcomeOf(row)), plural(state.index.rows.turn_count[row], "turn")].filter(Boolean).join(" · "))));
  const lines = left && right ? aligned(left, right) : [];
  return {
    title: `${nameOf(rows[0])}, side by side`,
    content: [
      h("header", { class: "page-head" }, h("div", { class: "crumbs" }, h("a", { href: toConversation(rows[0]) }, breakable(nameOf(rows[0]))), h("a", { class: "button", href: swap, "aria-label": "exchange the two" }, "⇆")),
        h("h1", {}, "Side by side"), goalOf(rows[0]) ? h("p", { class: "lead" }, briefOf(rows[0])) : null),
      left && right ? milestonesSide(left, right) : rows.map((row, side) => ([left, right][side] === null ? missingDetails(row) : null)),
      h("section", { class: "side", "aria-label": "Messages of both" }, h("div", { class: "side-line heads" }, heads),
        lines.map(([one, other]) => {
          const isSame = Boolean(one && other && essence(one, left) === essence(other, right));
          const cell = (message, details, across, side) => h("div", { class: "cell" }, h("span", { class: "tag which" }, isSame ? "A and B" : side), message ? card(message, details, side === "A" ? "left" : "right", across) : h("div", { class: "gap" }, h("span", { class: "sr" }, "nothing")));
          return h("div", { class: isSame ? "side-line same" : "side-line" }, cell(one, left, other, "A"), cell(other, right, one, "B"));
        })),
    ],
    ready: () => { state.keys = { Escape: () => go(toConversation(rows[0])) }; },
    cleanUp: () => { state.keys = null; },
  };
};

function milestonesSide(left, right) {
  const most = Math.max(left.milestones.length, right.milestones.length);
  const mark = (milestone) => (milestone ? [milestone.similarity >= 1 ? "● " : milestone.similarity > 0 ? "◐ " : "○ ", fixed(milestone.similarity)] : "–");
  return h("section", { class: "card" }, h("h2", {}, "Milestones"), h("table", { class: "facts both" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Milestone"), h("th", { scope: "col" }, "A"), h("th", { scope: "col" }, "B"))),
    h("tbody", {}, Array.from({ length: most }, (_, index) => {
      const one = left.milestones[index], other = right.milestones[index], known = one || other;
      const differs = one && other && one.similarity !== other.similarity;
      return h("tr", { class: differs ? "unequal" : "" }, h("th", { scope: "row" }, `${index} `, h("span", { class: "dim" }, phrase(titleOf(known), (left || right).clock))), h("td", { class: "number" }, mark(one)), h("td", { class: "number" }, mark(other), differs ? " ≠" : ""));
    }))));
}

function partOf(message) {
  return [message.sender, message.recipient, message.call ? message.call.tool || message.call.name : "", message.answer ? message.answer.tool || "" : ""].join("|");
}

// All that a card shows but where it stands and what the model took: only what is alike in all of it is alike.
function essence(message, details) {
  const scores = (numbers, nodes) => numbers.map((number) => [number, nodes[number]?.similarity]);
  return canonical([message.text, message.visible_to, message.call && [message.call.name, message.call.arguments], message.answer && [message.answer.result, message.answer.error],
    message.changes, scores(message.milestones, details.milestones), scores(message.minefields, details.minefields)]);
}

// Longest common subsequence of parts; equal messages count more than messages that merely play the same part.
function aligned(left, right) {
  const a = left.messages.filter((message) => message.index >= left.opening), b = right.messages.filter((message) => message.index >= right.opening);
  const essences = new Map([...a.map((message) => [message, essence(message, left)]), ...b.map((message) => [message, essence(message, right)])]);
  const worths = (one, other) => (partOf(one) !== partOf(other) ? -1 : essences.get(one) === essences.get(other) ? 3 : 1);
  const best = Array.from({ length: a.length + 1 }, () => new Float64Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const paired = worths(a[i], b[j]);
      best[i][j] = Math.max(best[i + 1][j], best[i][j + 1], paired > 0 ? paired + best[i + 1][j + 1] : 0);
    }
  }
  const lines = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    const paired = i < a.length && j < b.length ? worths(a[i], b[j]) : -1;
    if (paired > 0 && best[i][j] === paired + best[i + 1][j + 1]) lines.push([a[i++], b[j++]]);
    else if (i < a.length && (j >= b.length || best[i + 1][j] >= best[i][j + 1])) lines.push([a[i++], null]);
    else lines.push([null, b[j++]]);
  }
  return lines;
}
