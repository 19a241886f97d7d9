import type { CommandBatcher } from "./command-batcher.ts";
import type { SettingChange } from "./commands.ts";
import type { Ledger } from "./ledger.ts";

/**
 * Changes a setting from the value in force: `change` makes the new value from it, or undefined to leave it. When somebody
 * else, here or at another replica, changed the setting meanwhile, `change` is called again with what is in force then. A
 * setting that is left is compared too: what `change` saw last was in force when this resolves.
 *
 * @throws NestError `storage_unavailable`: nothing has changed. Whatever `change` throws.
 */
export async function changeSetting(
  { ledger, batcher }: { readonly ledger: Ledger; readonly batcher: Pick<CommandBatcher, "ask"> },
  { name, actor }: { readonly name: string; readonly actor: string },
  change: (before: unknown) => SettingChange | undefined,
): Promise<void> {
  for (;;) {
    const value = ledger.setting(name);
    const effects = await batcher.ask({ kind: "setting", name, actor, expected: { value }, change: change(value) });
    if (!effects.some((effect) => effect.kind === "refused")) return;
  }
}
