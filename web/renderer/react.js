/**
 * What `react` means in the built app: Preact's layer for libraries written for React (docs/decisions/012). It has all that ours and
 * Mantine use but one component.
 */
export * from "preact/compat";
export { default } from "preact/compat";

/**
 * Mantine asks for it where something is kept in the page while it is hidden (`keepMounted`). Preact cannot do that.
 *
 * @returns {never}
 */
export function Activity() {
  throw new Error("keepMounted is not to be used: the app's renderer has no Activity");
}
