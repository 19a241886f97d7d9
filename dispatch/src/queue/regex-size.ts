/** What building a regular expression takes, told from how it is written: building the largest would itself block. */
export interface WrittenSize {
  /** Instructions of its program, rather too many than too few: nested repeats multiply, large classes count as several. */
  readonly program: number;
  /** Unicode classes: each brings thousands of ranges. */
  readonly unicodeClasses: number;
  /** Characters within written ranges: each is looked up for its other cases. */
  readonly inRanges: number;
}

/** A Unicode class among instructions: hundreds of ranges. */
const UNICODE_CLASS = 20;

const TOKEN = new RegExp(
  [
    String.raw`\\Q(?<quoted>.*?)(?:\\E|$)`,
    String.raw`(?<unicode>\\p(?:\{[^}]*\}|.))`,
    String.raw`\\x\{[0-9a-f]+\}|\\x[0-9a-f]{2}|\\[0-7]{1,3}|\\.`,
    String.raw`(?<set>\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\])`,
    String.raw`(?<open>\((?:\?(?:P?<\w+>|[a-z-]*:|[a-z-]*(?=\))))?)`,
    String.raw`(?<close>\))`,
    String.raw`(?<either>\|)`,
    String.raw`(?<often>[*+?]\??)`,
    String.raw`(?<repeat>\{(?<least>\d{1,6})(?<upTo>,(?<most>\d{0,6}))?\}\??)`,
    ".",
  ].join("|"),
  "gisu",
);

const CHARACTER = String.raw`(?:\\x\{[0-9a-f]+\}|\\x[0-9a-f]{2}|\\[0-7]{1,3}|\\[^pdswPDSW]|[^\\])`;
const RANGE = new RegExp(`(${CHARACTER})-(${CHARACTER})`, "giu");

/** Beyond it no character has another case. */
const LAST_WITH_CASES = 0x1e943;

/** Adds up what a regular expression, right or wrong, is written to be. Takes time by its length alone. */
export function writtenSize(regex: string): WrittenSize {
  let unicodeClasses = 0;
  let inRanges = 0;
  // One frame for each open group: its sum, and what its last part comes to, should a repeat follow.
  let frame = { sum: 0, last: 0 };
  const outer: (typeof frame)[] = [];
  const add = (size: number) => {
    frame.sum += size;
    frame.last = size;
  };
  for (const { groups = {} } of regex.matchAll(TOKEN)) {
    if (groups.quoted !== undefined) {
      frame.sum += groups.quoted.length;
      frame.last = 1;
    } else if (groups.open !== undefined) {
      // Its two ends are remembered, unless it says that nobody asks.
      outer.push(frame);
      frame = { sum: groups.open.endsWith(":") ? 0 : 2, last: 0 };
    } else if (groups.close !== undefined) {
      const { sum } = frame;
      frame = outer.pop() ?? { sum: 0, last: 0 };
      add(sum);
    } else if (groups.often !== undefined) {
      const more = groups.often.startsWith("*") ? 2 : 1;
      frame.sum += more;
      frame.last += more;
    } else if (groups.repeat !== undefined) {
      const least = Number(groups.least);
      const most = groups.upTo === undefined ? least : Number(groups.most || least + 1);
      frame.sum -= frame.last;
      // A time that may be left out is one more instruction, and so is what goes round.
      add(Math.max(least, most, 1) * frame.last + Math.max(0, most - least) + 1);
    } else {
      const classes = (groups.unicode ?? groups.set ?? "").match(/\\p/gi)?.length ?? 0;
      unicodeClasses += classes;
      if (groups.set !== undefined) inRanges += charactersIn(groups.set);
      // Where a class stands it is compared with what else can stand there, range by range.
      add(1 + UNICODE_CLASS * classes + Math.floor((groups.set?.length ?? 0) / 10));
    }
  }
  for (const { sum } of outer) frame.sum += sum;
  return { program: frame.sum + 2, unicodeClasses, inRanges };
}

function charactersIn(set: string): number {
  let characters = 0;
  for (const [, from = "", to = ""] of set.slice(1, -1).matchAll(RANGE))
    characters += Math.max(0, Math.min(codeOf(to), LAST_WITH_CASES) - codeOf(from));
  return characters;
}

function codeOf(character: string): number {
  const hex = /^\\x\{?([0-9a-f]+)/i.exec(character)?.[1];
  if (hex !== undefined) return Number.parseInt(hex, 16);
  const octal = /^\\([0-7]+)$/.exec(character)?.[1];
  if (octal !== undefined) return Number.parseInt(octal, 8);
  return (character.startsWith("\\") ? character.slice(1) : character).codePointAt(0) ?? 0;
}
