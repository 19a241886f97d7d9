import { useSyncExternalStore } from "react";

/** One value that several components read; they render again when it changes. */
export interface Store<Value> {
  readonly get: () => Value;
  readonly set: (value: Value) => void;
  /** Calls `act` after each change. Returns a function that stops it. */
  readonly subscribe: (act: () => void) => () => void;
}

export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial;
  const subscribers = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      for (const subscriber of [...subscribers]) subscriber();
    },
    subscribe: (act) => {
      subscribers.add(act);
      return () => subscribers.delete(act);
    },
  };
}

/** Reads one part of a store's value. The component renders again only when that part changes. */
export function useStore<Value, Part>(store: Store<Value>, pick: (value: Value) => Part): Part {
  return useSyncExternalStore(store.subscribe, () => pick(store.get()));
}
