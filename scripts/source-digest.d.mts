/** The checkout's root. */
export const root: string;
/** One digest over files and folders of the checkout: names and contents. */
export function digestOf(paths: readonly string[]): string;
