/** A kind of object as discovery tells it. */
export interface ServedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

const kind = (apiVersion: string, name: string, plural: string, namespaced = true): ServedKind => ({
  apiVersion,
  kind: name,
  plural,
  namespaced,
});

/** What the small API server has from the start; a Route is not among it, as on a cluster that is no OpenShift. */
export const KINDS: readonly ServedKind[] = [
  kind("v1", "Namespace", "namespaces", false),
  kind("v1", "ServiceAccount", "serviceaccounts"),
  kind("v1", "ConfigMap", "configmaps"),
  kind("v1", "Secret", "secrets"),
  kind("v1", "Service", "services"),
  kind("v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
  kind("v1", "Pod", "pods"),
  kind("v1", "Event", "events"),
  kind("v1", "ResourceQuota", "resourcequotas"),
  kind("v1", "LimitRange", "limitranges"),
  kind("apps/v1", "Deployment", "deployments"),
  kind("rbac.authorization.k8s.io/v1", "Role", "roles"),
  kind("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings"),
  kind("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", false),
  kind("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies"),
  kind("networking.k8s.io/v1", "Ingress", "ingresses"),
];

export const ROUTE: ServedKind = kind("route.openshift.io/v1", "Route", "routes");

/** What a request's path names. */
export interface Place {
  readonly served: ServedKind;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** Reads `/api/v1/namespaces/a/pods/b/exec` and its like; undefined for what is served nowhere. */
export function placeIn(path: string, kinds: readonly ServedKind[]): Place | undefined {
  const [, core, group, rest = ""] = /^\/(?:api\/([^/]+)|apis\/([^/]+\/[^/]+))\/(.+)$/.exec(path) ?? [];
  const words = rest.split("/").map(decodeURIComponent);
  const isInside = words[0] === "namespaces" && words.length > 2;
  const [plural, name, subresource] = isInside ? words.slice(2) : words;
  const served = kinds.find((one) => one.apiVersion === (core ?? group) && one.plural === plural);
  return served === undefined ? undefined : { served, namespace: isInside ? words[1] : undefined, name, subresource };
}

/** The answer to discovery of one API version; undefined when the server has none of it. */
export function resourceList(path: string, kinds: readonly ServedKind[]): object | undefined {
  const [, core, group] = /^\/(?:api\/([^/]+)|apis\/([^/]+\/[^/]+))$/.exec(path) ?? [];
  const found = kinds.filter(({ apiVersion }) => apiVersion === (core ?? group));
  if (found.length === 0) return undefined;
  const resources = found.flatMap(({ plural, kind: name, namespaced }) => {
    const one = { name: plural, singularName: "", kind: name, namespaced, verbs: ["get", "list", "watch", "patch"] };
    return name === "Deployment" ? [one, { ...one, name: `${plural}/scale`, kind: "Scale" }] : [one];
  });
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion: core ?? group, resources };
}
