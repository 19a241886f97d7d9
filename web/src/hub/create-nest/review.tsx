import type { nests } from "@nest/protocol";
import { Fact, Facts } from "../../shared/layout/facts.tsx";
import { levelOf } from "./levels.ts";
import { type NestDraft, projectOf } from "./nest-draft.ts";

/** What is about to be made. Of secrets only that they are there. */
export function Review({
  draft,
  cluster,
  isClaim,
}: {
  readonly draft: NestDraft;
  readonly cluster: nests.Cluster | undefined;
  readonly isClaim: boolean;
}) {
  const { primary_repo: first, repos } = projectOf(draft);
  const auth = {
    token: "a token",
    app: `app ${draft.appId}, installation ${draft.installationId}, with its key`,
    "app-later": `app ${draft.appId}, which is installed later`,
  }[draft.auth];
  return (
    <Facts>
      <Fact name="Repositories">{repos.replaceAll(",", ", ")}</Fact>
      <Fact name="Primary">{first}</Fact>
      <Fact name="Level">
        {draft.level} of 6: {levelOf(draft.level)}
      </Fact>
      <Fact name="Signs in with">
        {cluster?.reachable === "pull_only" ? "what is given to it by hand; what you typed is dropped" : auth}
      </Fact>
      {isClaim ? (
        <Fact name="Owner">{draft.owner}</Fact>
      ) : (
        <Fact name="Cluster">{cluster?.name ?? draft.cluster ?? "none"}</Fact>
      )}
      <Fact name="Name">{draft.name.trim() === "" ? first : draft.name}</Fact>
      <Fact name="Seen by">{draft.isPublic ? "everybody" : "people with a role"}</Fact>
    </Facts>
  );
}
