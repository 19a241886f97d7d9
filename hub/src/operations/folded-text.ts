/**
 * A text that is looked for whatever its case, on either engine. Both fold the letters of ASCII alike; SQLite folds no others, and
 * PostgreSQL those that the locale of its database knows. So the database finds what may match, and `matches` decides.
 */
export interface FoldedText {
  /** For `lower(column) like … escape '\\'`: finds everything that matches. */
  readonly pattern: string;
  /** Whether it finds more than that, so that each row has to be asked of {@link matches}. */
  readonly findsMore: boolean;
  readonly matches: (text: string) => boolean;
}

/** Finds a text anywhere in another; an empty one in every text. Pure. */
export function anywhere(text = ""): FoldedText {
  const wanted = text.toLowerCase();
  return { ...patternOf(wanted, "%"), matches: (found) => found.toLowerCase().includes(wanted) };
}

/** Finds a whole text; an empty one has an empty pattern. Pure. */
export function whole(text = ""): FoldedText {
  const wanted = text.toLowerCase();
  return { ...patternOf(wanted, ""), matches: (found) => wanted === "" || found.toLowerCase() === wanted };
}

/** In place of each run of letters that are not of ASCII anything may stand, of any length: folding may change the length. */
function patternOf(wanted: string, around: string): Pick<FoldedText, "pattern" | "findsMore"> {
  const escaped = wanted.replace(/[\\%_]/g, "\\$&");
  const pattern = escaped.replace(/[^\x00-\x7f]+/g, "%");
  return { pattern: `${around}${pattern}${around}`, findsMore: pattern !== escaped };
}
