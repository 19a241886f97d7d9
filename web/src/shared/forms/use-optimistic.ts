import { useEffect, useState } from "react";
import { isSame } from "../drafts/draft.ts";

/** The stream confirms a change about a second after the answer. If it has not by now, the stream's value is shown again. */
const ECHO_MS = 5000;

interface Chosen<Value> {
  readonly value: Value;
  readonly isDone: boolean;
}

/**
 * A value that changes as soon as it is chosen and changes back if saving it fails. Older values from the stream are ignored until
 * the save is done and the stream has caught up.
 */
export function useOptimistic<Value>(actual: Value, put: (value: Value) => Promise<unknown>) {
  const [chosen, setChosen] = useState<Chosen<Value>>();
  const isDone = chosen?.isDone === true;
  if (isDone && isSame(actual, chosen.value)) setChosen(undefined);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setChosen(undefined), ECHO_MS);
    return () => clearTimeout(timer);
  }, [isDone]);
  /** Rejects with the server's error if the save fails. */
  const choose = async (value: Value): Promise<void> => {
    setChosen({ value, isDone: false });
    try {
      await put(value);
      setChosen({ value, isDone: true });
    } catch (thrown) {
      setChosen(undefined);
      throw thrown;
    }
  };
  return { value: chosen === undefined ? actual : chosen.value, isPending: chosen?.isDone === false, choose };
}
