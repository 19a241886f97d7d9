type Labels = Readonly<Record<string, string>>;

/**
 * Reads a label selector as the API server does: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`, joined by
 * commas. Answers with the test of an object's labels; an empty selector takes everything.
 */
export function labelSelector(text: string | undefined): (labels: Labels | undefined) => boolean {
  const tests = (text ?? "")
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map(requirement);
  return (labels = {}) => tests.every((test) => test(labels));
}

function requirement(text: string): (labels: Labels) => boolean {
  const [, listed = "", word = "", values = ""] = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(text) ?? [];
  if (listed !== "") {
    const among = values.split(",").map((value) => value.trim());
    const wanted = word === "in";
    return (labels) => {
      const value = labels[listed];
      return value === undefined ? !wanted : among.includes(value) === wanted;
    };
  }
  const [, key = "", sign = "", value = ""] = /^([^=!\s]+)\s*(==|=|!=)\s*(.*)$/.exec(text) ?? [];
  if (sign === "!=") return (labels) => labels[key] !== value;
  if (sign !== "") return (labels) => labels[key] === value;
  if (text.startsWith("!")) return (labels) => labels[text.slice(1).trim()] === undefined;
  return (labels) => labels[text] !== undefined;
}
