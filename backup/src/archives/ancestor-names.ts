/**
 * The name under which this product reads a file from the root of a spoke of the ancestor; the name itself for any other file. A
 * file in a folder keeps its name.
 */
export function ourName(name: string): string {
  if (name === "hive-id") return "nest-id";
  const [, keyFile] = /^gh-(app-key[A-Za-z0-9._-]*\.pem)$/.exec(name) ?? [];
  if (keyFile !== undefined) return keyFile;
  return /^hive\.yaml(\.[A-Za-z0-9_-]+)?$/.test(name) ? name.replace("hive", "nest") : name;
}
