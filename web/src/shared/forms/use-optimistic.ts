import { useEffect, useState } from "react";
import { isSame } from "../drafts/draft.ts";

/** The server's word comes with the stream, a second behind its answer; after this what it says is shown, whatever it is. */
const ECHO_MS = 5000;

interface Chosen<Value> {
  readonly value: Value;
  readonly isDone: boolean;
}

/**
 * A value that moves when it is chosen and moves back when that failed. While a choice is under way, and until the stream has
 * caught up with it, what the stream says of before is not shown.
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
  /** Throws what the server said when it could not be done. */
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
