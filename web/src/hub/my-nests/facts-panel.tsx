import type { nests } from "@nest/protocol";
import { IconDownload } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { dateAndTime } from "../../shared/format/format.ts";
import { Fact, Facts } from "../../shared/layout/facts.tsx";
import { Panel } from "../../shared/layout/panel.tsx";
import { levelOf } from "../create-nest/levels.ts";
import { LastHeard } from "./heard.tsx";

export interface FactsPanelProps {
  readonly nest: nests.NestDetail;
  readonly heard: ReactNode;
}

const auths: Readonly<Record<string, string>> = {
  token: "a token",
  app: "an app",
  "app-later": "an app that is not installed yet",
};

/** What is known of a nest. */
export function FactsPanel({ nest, heard }: FactsPanelProps) {
  const { auth_method: auth, app_id: app, installation_id: installation } = nest;
  return (
    <Panel id="facts" title="Facts" tools={heard}>
      <div className="pad">
        <Facts>
          <Fact name="Id">{nest.id}</Fact>
          <Fact name="Owner">{nest.owner === "" ? "nobody yet" : nest.owner}</Fact>
          <Fact name="Repositories">{nest.repos.length === 0 ? "none yet" : nest.repos.join(", ")}</Fact>
          {nest.repos.length < 2 ? undefined : <Fact name="Primary">{nest.primary_repo}</Fact>}
          <Fact name="Level">
            {nest.acmm_level} of 6: {levelOf(nest.acmm_level)}
          </Fact>
          <Fact name="Address">{nest.subdomain === "" ? (nest.url ?? "none yet") : nest.subdomain}</Fact>
          <Fact name="Cluster">{nest.cluster_id === "" ? "none" : nest.cluster_id}</Fact>
          <Fact name="Namespace">{nest.namespace}</Fact>
          <Fact name="Version">{nest.version ?? "not said yet"}</Fact>
          <Fact name="Image">{nest.image ?? "not chosen yet"}</Fact>
          <Fact name="Heartbeat">
            <LastHeard nest={nest} />
          </Fact>
          {nest.agents === undefined ? undefined : <Fact name="Agents">{nest.agents}</Fact>}
          {nest.mode === undefined ? undefined : (
            <Fact name="Mode">
              {nest.mode}
              {nest.issues === undefined ? "" : `, ${nest.issues} issues`}
            </Fact>
          )}
          {auth === undefined ? undefined : (
            <Fact name="Signs in with">
              {auths[auth] ?? auth}
              {app === undefined ? "" : `, id ${app}`}
              {installation === undefined ? "" : `, installation ${installation}`}
            </Fact>
          )}
          {nest.created_at === "" ? undefined : <Fact name="Created">{dateAndTime(nest.created_at)}</Fact>}
        </Facts>
        <p className="after-facts">
          {nest.role === undefined || nest.role === "owner" ? (
            <a href={`/api/saas/nests/${encodeURIComponent(nest.id)}/manifests`} download={`${nest.id}.yaml`}>
              <IconDownload size={14} aria-hidden="true" /> Download its objects as YAML
            </a>
          ) : undefined}
        </p>
      </div>
    </Panel>
  );
}
