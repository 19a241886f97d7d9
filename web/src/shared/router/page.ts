import { useMatches } from "@tanstack/react-router";

/** The page that is shown. */
export interface Page {
  readonly path: string;
  /** What the page is called in the navigation. */
  readonly area: string;
  /** The title of the page: the area, or the one thing the page is about. */
  readonly title: string;
  readonly isForAdmins: boolean;
  readonly isPersonal: boolean;
}

export function usePage(): Page {
  const match = useMatches().at(-1);
  const { title: area = "", titleParameter = "", isForAdmins = false, isPersonal = false } = match?.staticData ?? {};
  const params = (match?.params ?? {}) as Readonly<Record<string, string>>;
  return { path: match?.pathname ?? "/", area, title: params[titleParameter] ?? area, isForAdmins, isPersonal };
}
