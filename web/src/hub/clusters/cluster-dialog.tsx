import { Select, TextInput } from "@mantine/core";
import { nests } from "@nest/protocol";
import { useState } from "react";
import { CallError, call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { closeDialog, openDialog } from "../../shared/forms/dialogs.tsx";
import { DialogForm } from "../../shared/forms/form-dialog.tsx";
import { showToast } from "../../shared/toast/toast.tsx";
import {
  type ClusterDraft,
  type ClusterFaults,
  changeOf,
  clusterFaults,
  draftOf,
  type Reach,
  recordOf,
} from "./cluster-draft.ts";

const reaches: readonly { readonly value: Reach; readonly label: string }[] = [
  { value: "kubeconfig", label: "By a kubeconfig on the hub" },
  { value: "in_cluster", label: "The hub itself runs in it" },
  { value: "pull_only", label: "Not at all: by hand (pull_only)" },
];

/** Asks for a new cluster, or changes one. */
export function openCluster(cluster?: nests.Cluster): void {
  const dialog = openDialog({
    title: cluster === undefined ? "Add a cluster" : `Change ${cluster.id}`,
    size: "lg",
    children: <ClusterForm cluster={cluster} close={() => closeDialog(dialog)} />,
  });
}

function ClusterForm({ cluster, close }: { readonly cluster: nests.Cluster | undefined; readonly close: () => void }) {
  const [draft, setDraft] = useState<ClusterDraft>(draftOf(cluster));
  const [faults, setFaults] = useState<ClusterFaults>({});
  const change = (part: Partial<ClusterDraft>) => {
    setDraft((before) => ({ ...before, ...part }));
    setFaults({});
  };
  const text = (key: keyof ClusterDraft, label: string, description?: string) => (
    <TextInput
      key={key}
      label={label}
      {...(description === undefined ? {} : { description })}
      autoComplete="off"
      spellCheck={false}
      error={faults[key]}
      value={draft[key]}
      onChange={(event) => change({ [key]: event.currentTarget.value })}
    />
  );
  const submit = async () => {
    const wrong = clusterFaults(draft);
    setFaults(wrong);
    const [first] = Object.values(wrong);
    if (first !== undefined) throw new CallError(400, { error: `not saved yet: ${first}`, code: "bad_request" });
    await save(cluster, draft);
    showToast(cluster === undefined ? `${draft.id} is added.` : `${draft.id} is changed.`);
    await queries.invalidateQueries({ queryKey: ["clusters"] });
  };
  return (
    <DialogForm close={close} yes={cluster === undefined ? "Add" : "Save"} submit={submit}>
      <div className="cluster-form">
        {cluster === undefined ? text("id", "Id", "As nests name it. It cannot be changed later.") : undefined}
        {text("name", "Name", "What people read")}
        <Select
          label="How does the hub reach it?"
          allowDeselect={false}
          data={reaches}
          value={draft.reach}
          onChange={(value) => change({ reach: reaches.find((one) => one.value === value)?.value ?? "kubeconfig" })}
        />
        {draft.reach === "kubeconfig"
          ? [
              text("kubeconfig_path", "Path of the kubeconfig", "On the hub; relative to its data folder"),
              text("context", "Context", "Empty: the current one of that file"),
            ]
          : undefined}
        {text("domain", "Domain", "Nests are at <id>.<domain>; its wildcard leads to the cluster")}
        <Select
          label="Address made with"
          allowDeselect={false}
          data={[
            { value: "ingress", label: "Ingress" },
            { value: "route", label: "Route (OpenShift)" },
          ]}
          value={draft.ingress}
          onChange={(value) => change({ ingress: value === "route" ? "route" : "ingress" })}
        />
        {text("ingress_class", "Ingress class")}
        {text("tls_secret", "Secret of the certificate", "Of *.<domain>")}
        {text("storage_class", "Storage class")}
        {text("scc", "Security context class", "OpenShift")}
        {text("image", "Image", "Empty: the hub's own")}
        {text("max_nests", "Nests at most", "Empty: as many as come")}
        {text("least", "Placeholders at least", "Below this, new ones are made first")}
        {text("target", "Placeholders held ready")}
      </div>
    </DialogForm>
  );
}

async function save(cluster: nests.Cluster | undefined, draft: ClusterDraft): Promise<void> {
  if (cluster === undefined) await call(nests.addCluster, { body: recordOf(draft) });
  else await call(nests.setCluster, { params: { id: cluster.id }, body: { ...changeOf(cluster, draft) } });
}
