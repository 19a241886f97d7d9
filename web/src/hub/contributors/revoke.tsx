import { contributors } from "@nest/protocol";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { openConfirmByTyping } from "../../shared/forms/confirm-by-typing.tsx";
import { showToast } from "../../shared/toast/toast.tsx";

export interface Revoked {
  readonly id: string;
  readonly login: string;
}

/** Asks whether to revoke somebody, who has to be named for it. */
export function askToRevoke({ id, login }: Revoked): void {
  openConfirmByTyping({
    title: "Revoke access?",
    word: login,
    yes: "Revoke access",
    consequences: (
      <ul className="consequences">
        <li>
          Every relay of <bdi>{login}</bdi> is disconnected now, and refused when it comes back.
        </li>
        <li>Tasks they hold are released; the issues wait ten minutes.</li>
        <li>They leave the leaderboard. Their history stays.</li>
        <li>They stay out until an admin gives access again, and says why.</li>
      </ul>
    ),
    act: async () => {
      await call(contributors.revoke, { params: { id } });
      showToast(`${login} has no access any more.`);
      await queries.invalidateQueries({ queryKey: ["contributor"] });
    },
  });
}
