/** What a person wants an agent to work on now. */
export interface Wish {
  readonly issue?: string | undefined;
  readonly message?: string | undefined;
}

export interface PauseWish {
  readonly reason?: string | undefined;
  readonly minutes?: number | undefined;
  /** End the run in progress as well. */
  readonly stop?: boolean | undefined;
}
