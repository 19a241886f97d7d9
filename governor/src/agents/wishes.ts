/** What a person wants an agent to work on now. */
export interface Wish {
  readonly issue?: string | undefined;
  readonly message?: string | undefined;
  /** Whether an owner says so. Words of others are advice to an agent that gets no login to push: they could ask it for its token. */
  readonly isOwners?: boolean | undefined;
}

export interface PauseWish {
  readonly reason?: string | undefined;
  readonly minutes?: number | undefined;
  /** End the run in progress as well. */
  readonly stop?: boolean | undefined;
}
