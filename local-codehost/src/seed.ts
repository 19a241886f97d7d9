/** What a local code host begins with. */
export interface Seed {
  readonly organisations: readonly string[];
  /** Login by token. */
  readonly tokens?: Readonly<Record<string, string>>;
  readonly apps?: readonly SeedApp[];
  readonly repositories: readonly SeedRepository[];
}

export interface SeedApp {
  readonly id: number;
  readonly slug: string;
  /** PEM of the public key; the app itself keeps the private one. */
  readonly publicKey: string;
  readonly installationId: number;
  /** The organisation or user whose repositories it is installed on. */
  readonly account: string;
  readonly permissions?: Readonly<Record<string, string>>;
}

export interface SeedRepository {
  readonly owner: string;
  readonly name: string;
  readonly description?: string;
  readonly private?: boolean;
  readonly writers?: readonly string[];
  /** The first commit: path to content. Names ending in `.sh` are made executable. */
  readonly files: Readonly<Record<string, string>>;
  readonly issues?: readonly SeedIssue[];
}

export interface SeedIssue {
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly labels: readonly string[];
}
