import { z } from "zod";

const text = z.string().max(100).optional().catch(undefined);
const day = z.iso.date().optional().catch(undefined);

/** The filters of the audit page. */
export const AuditSearch = z.object({ q: text, actor: text, action: text, subject: text, since: day, until: day });
export type AuditSearch = z.infer<typeof AuditSearch>;
