/** One entry of the navigation. */
export interface AppPage {
  readonly address: string;
  readonly name: string;
  /** `g` and then this key goes there. */
  readonly key?: string;
  /** Made on the server: not part of the app, so it is loaded. */
  readonly isServerMade?: boolean;
}
