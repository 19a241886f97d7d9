import { type CommandBatcher, changeSetting, type Ledger } from "@nest/dispatch";
import type { SharedUserRecords } from "./users.ts";

/** What the names of the settings begin with that hold users. */
export const USER_SETTING = "user:";

/**
 * Users as every replica of a hub knows them, beside the files of each: who signs in at one is known at all of them at once, and
 * a session that was ended anywhere is ended everywhere.
 */
export function sharedUsers(ledger: Ledger, batcher: CommandBatcher): SharedUserRecords {
  const settingOf = (login: string) => `${USER_SETTING}${login}`;
  return {
    read: (login) => ledger.setting(settingOf(login)),
    logins: () => ledger.settingsOf(USER_SETTING).map(([name]) => name.slice(USER_SETTING.length)),
    change: (login, change) =>
      changeSetting({ ledger, batcher }, { name: settingOf(login), actor: login }, (before) => ({
        value: change(before),
      })),
  };
}
