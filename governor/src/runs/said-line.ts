const MOST_CHARACTERS = 300;
/** A line of so many characters that stands in the prompt too is the prompt's: an agent does not say the same by chance. */
const TELLING = 20;

/** The last line that an agent printed; undefined while that is the end of its own prompt, which a terminal shows first. Pure. */
export function saidLine(tail: string, prompt: string): string | undefined {
  const lines = tail
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => words(line) !== "");
  const [before = "", last] = [lines.at(-2), lines.at(-1)];
  if (last === undefined) return undefined;
  const asked = words(prompt);
  // The rest of a line that the terminal broke may be short: it counts together with what stands above it.
  const isOfPrompt =
    asked.includes(words(last)) && (last.length >= TELLING || asked.includes(words(`${before} ${last}`)));
  return isOfPrompt ? undefined : last.slice(0, MOST_CHARACTERS);
}

/** A text without the breaks and the frame that a terminal gives it. */
function words(text: string): string {
  return text.replace(/[\s│┃|>❯›]+/g, " ").trim();
}
