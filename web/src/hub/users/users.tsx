import "./users.css";
import { Button } from "@mantine/core";
import { nests } from "@nest/protocol";
import { Link } from "@tanstack/react-router";
import { call } from "../../shared/call/call.ts";
import { useServerNow } from "../../shared/call/server-time.ts";
import { count, duration, plural } from "../../shared/format/format.ts";
import { ListPage } from "../../shared/lists/list-page.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { useSearchState } from "../../shared/router/search.ts";
import { askToBlock, openQuota, openRoles } from "./user-dialogs.tsx";
import { UsersSearch } from "./users-search.ts";

const ROWS = 100;
const ROW_PX = 60;

/** Everybody who has ever signed in, with their quota of nests, their roles, and whether they are blocked. */
export function Users() {
  const [{ q = "" }, show] = useSearchState(UsersSearch);
  const list = usePages(
    ["users", q],
    (cursor, signal) => call(nests.users, { query: { limit: ROWS, cursor, q }, signal }),
    () => undefined,
  );
  const matched = list.pages?.[0]?.matched;
  return (
    <ListPage
      id="users"
      title="Users"
      search={{ label: "Search users", placeholder: "Part of a login", value: q, change: (text) => show({ q: text }) }}
      list={list}
      rowsOf={(page) => page.users}
      empty={q === "" ? "Nobody has signed in yet." : "Nobody has such a login."}
      label="Everybody who has signed in"
      rowHeight={ROW_PX}
      keyOf={({ github_username: login }) => login}
      show={(user) => <UserLine user={user} />}
      below={
        <p className="soft small count-line">{matched === undefined ? "" : plural(matched, "person", "people")}</p>
      }
    />
  );
}

function UserLine({ user }: { readonly user: nests.User }) {
  const now = useServerNow();
  const {
    github_username: login,
    saas_quota: quota,
    saas_used: used,
    nests: roles,
    blocked,
    is_admin: isAdmin,
    last_login: last,
  } = user;
  const given = Object.keys(roles).length;
  return (
    <div className="user-line" data-blocked={blocked || undefined}>
      <div>
        <p className="cut">
          <b>
            <bdi>{login}</bdi>
          </b>{" "}
          {isAdmin ? <span className="mark">admin</span> : undefined}{" "}
          {blocked ? (
            <span className="mark" data-tone="warn">
              blocked
            </span>
          ) : undefined}
        </p>
        <p className="soft small">
          {last === undefined ? "never signed in" : `signed in ${duration(now - Date.parse(last))} ago`}
        </p>
      </div>
      <p className="facts">
        <Link
          to="/my-nests"
          search={{ q: login } as never}
          data-tone={quota !== undefined && used >= quota && used > 0 ? "warn" : undefined}
        >
          {quota === undefined ? `${plural(used, "nest")}, no limit` : `${count(used)} of ${plural(quota, "nest")}`}
        </Link>
      </p>
      <div className="card-acts">
        {given === 0 ? undefined : (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`${plural(given, "role")} of ${login}`}
            onClick={() => openRoles(user)}
          >
            {plural(given, "role")}
          </Button>
        )}
        <Button size="compact-sm" variant="default" aria-label={`Quota of ${login}`} onClick={() => openQuota(user)}>
          Quota
        </Button>
        {isAdmin && !blocked ? undefined : (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`${blocked ? "Unblock" : "Block"} ${login}`}
            onClick={() => askToBlock(user)}
          >
            {blocked ? "Unblock" : "Block"}
          </Button>
        )}
      </div>
    </div>
  );
}
