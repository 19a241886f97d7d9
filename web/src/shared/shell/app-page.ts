/** One entry of the navigation. */
export interface AppPage {
  readonly address: string;
  readonly name: string;
  /** `g` and then this key goes there. */
  readonly key?: string;
  /** The server renders this page, so a link to it loads a new document. */
  readonly isServerMade?: boolean;
}
