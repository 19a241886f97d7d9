import { useSyncExternalStore } from "react";

/** One value that several parts of a page show: they are drawn again when it changes. */
export interface Store<Value> {
  readonly get: () => Value;
  readonly set: (value: Value) => void;
  /** Calls `act` after each change; answers with how to stop. */
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

/** One part of a store's value; a component that reads it is drawn again only when that part is another one. */
export function useStore<Value, Part>(store: Store<Value>, pick: (value: Value) => Part): Part {
  return useSyncExternalStore(store.subscribe, () => pick(store.get()));
}
