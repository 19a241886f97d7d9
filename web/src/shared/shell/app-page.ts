import type { NavigationEntry } from "@nest/protocol";

/** One entry of the navigation. */
export type AppPage = NavigationEntry;
