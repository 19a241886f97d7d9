import { z } from "zod";

// What a nest is created from, field by field (spec: Hosted instance create request).

/** A login or an organisation. */
export const Name = z
  .string()
  .trim()
  .min(1, "required")
  .max(100)
  .regex(/^[A-Za-z0-9._-]+$/, "not a name of the code host");
const Repo = /^(?:[A-Za-z0-9._-]{1,100}\/)?[A-Za-z0-9._-]{1,100}$/;
const isRepo = (name: string) => Repo.test(name) && !name.split("/").some((part) => part === "." || part === "..");
/** Comma-separated names of repositories; answers them one by one. */
const Repos = z
  .string()
  .max(20_000)
  .meta({ examples: ["api,web"] })
  .transform((text) => [...new Set(text.split(",").map((one) => one.trim()))].filter((one) => one !== ""))
  .refine((names) => names.length > 0, "required")
  .refine((names) => names.length <= 200, "at most 200 repositories")
  .refine((names) => names.every(isRepo), "not owner/name, comma-separated");
const Digits = z
  .string()
  .trim()
  .regex(/^\d{1,20}$/, "digits only")
  .meta({ examples: ["123456"] });
/** A line that people read. Characters that turn the direction of a text make one name look like another. */
export const Line = z
  .string()
  .trim()
  .max(100)
  .regex(
    /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/,
    "has characters that cannot be shown",
  );

/** What a nest is created from, or a placeholder is claimed for (spec: Hosted instance create request). */
const project = {
  org: Name,
  repos: Repos,
  primary_repo: z
    .string()
    .trim()
    .max(201)
    .refine((name) => name === "" || isRepo(name), "not owner/name")
    .optional(),
  project_name: Line.optional(),
  acmm_level: z.number().int().min(1, "1 to 6").max(6, "1 to 6").default(2),
  /** `app`, else a token. */
  auth_method: z.string().trim().max(40).optional(),
  github_token: z
    .string()
    .trim()
    .max(400)
    .regex(/^(?:ghp_|github_pat_)[A-Za-z0-9_]+$/, "must start with ghp_ or github_pat_")
    .meta({ examples: ["ghp_example"] })
    .optional(),
  app_id: Digits.optional(),
  installation_id: Digits.optional(),
  app_private_key: z.string().max(20_000).optional(),
  /** Absent: public. */
  is_public: z.boolean().default(true),
} as const;

/** Names may come with their owner or without; without one they are the organisation's. */
function isPrimaryServed({ org, repos, primary_repo: primary = "" }: Project): boolean {
  const whole = (repo: string) => (repo.includes("/") ? repo : `${org}/${repo}`).toLowerCase();
  return primary === "" || repos.some((one) => whole(one) === whole(primary));
}
type Project = Pick<z.infer<z.ZodObject<typeof project>>, "org" | "repos" | "primary_repo">;
const notServed = { path: ["primary_repo"], message: "not one of the repositories" };

export const CreateNest = z
  .strictObject({ ...project, cluster_id: z.string().max(100).optional() })
  .refine(isPrimaryServed, notServed);
export type CreateNest = z.infer<typeof CreateNest>;

export const ClaimNest = z.strictObject({ ...project, owner: Name }).refine(isPrimaryServed, notServed);
export type ClaimNest = z.infer<typeof ClaimNest>;
