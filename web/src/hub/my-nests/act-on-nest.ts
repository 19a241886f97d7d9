import { CallError } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { showToast } from "../../shared/toast/toast.tsx";

/**
 * Does something with a nest and says so. When the hub refuses because the nest is otherwise than this page showed, the page reads it
 * anew. Rejects with the hub's error, for whoever asked to show it.
 */
export async function actOnNest(id: string, act: () => Promise<unknown>, done: string): Promise<void> {
  try {
    await act();
    showToast(done);
  } catch (thrown) {
    if (thrown instanceof CallError && (thrown.status === 409 || thrown.status === 0)) readAgain(id);
    throw thrown;
  }
  void queries.invalidateQueries({ queryKey: ["my-nests"] });
}

function readAgain(id: string): void {
  for (const name of ["nest", "nest-people"]) void queries.invalidateQueries({ queryKey: [name, id] });
}
