// Seconds since 1970 with the date that they are in the zone of the world.

const NEAR = 5 * 366 * 86400;
// Ten digits that are no part of a word, a phone number or a text in quotation marks.
const SECONDS = /(?<![\w+.'"-])1\d{9}(?:\.\d+)?(?![\w'"]|-\d)/g;

function dateOf(value, clock) {
  const isOdd = value % 60 !== 0;
  const options = { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: isOdd ? "2-digit" : undefined, hourCycle: "h23" };
  const text = (timeZone) => new Intl.DateTimeFormat("en-GB", { ...options, timeZone }).format(1000 * value);
  try { return [text(clock?.zone || "UTC"), clock?.zone || "UTC"]; } catch { return [text("UTC"), "UTC"]; }
}

function isMoment(value, key, clock) {
  if (typeof value !== "number" || !(value > 0 && value < 1e11)) return false;
  return /timestamp/.test(key || "") || Boolean(clock && Math.abs(value - clock.start) < NEAR);
}

function moment(value, clock) {
  const [text, zone] = dateOf(value, clock);
  return h("span", { class: "moment", title: `in the zone of the world, ${zone}` }, text);
}

// A text with a date behind each number that is a moment near the time of the world.
function dated(text, clock) {
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(SECONDS)) {
    if (!isMoment(Number(match[0]), "", clock)) continue;
    const end = match.index + match[0].length;
    parts.push(text.slice(at, end), " ", moment(Number(match[0]), clock));
    at = end;
  }
  return [...parts, text.slice(at)];
}

// The same for words about a world, which are full of long names.
function phrase(text, clock) {
  return dated(text, clock).map((part) => (typeof part === "string" ? breakable(part) : part));
}
