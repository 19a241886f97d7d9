import { isAdmin, type Viewer } from "../access/viewer.ts";

/** What a viewer may see: the details of which repositories, and which of the operators did what. */
export interface Visibility {
  (repo: string): boolean;
  readonly seesOperators?: true;
}

const ADMIN_VISIBILITY: Visibility = Object.assign(() => true, { seesOperators: true as const });

/** What a viewer may see: admins everything, all others the same. One function for all who may see the same, so that it is made once for them. */
export function visibilityOf(viewer: Viewer, publicVisibility: Visibility): Visibility {
  return isAdmin(viewer) ? ADMIN_VISIBILITY : publicVisibility;
}
