import type { nestWork } from "@nest/protocol";
import { useServerNow } from "../../shared/call/server-time.ts";
import { unreadRepos } from "./repos-read.ts";

/** Says of each repository that could not be read why, and how old is what is shown of it. */
export function UnreadNotices({ repos }: { readonly repos: readonly nestWork.RepoScan[] }) {
  const now = useServerNow();
  const unread = unreadRepos(repos, now);
  if (unread.length === 0) return undefined;
  return (
    <div className="notice unread">
      {unread.map(({ repo, because, shown }) => (
        <p key={repo}>
          <bdi>{repo}</bdi> could not be read: <bdi>{because}</bdi>. {shown}
        </p>
      ))}
    </div>
  );
}
