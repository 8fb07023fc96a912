/** The output of a wrangler command. */
export interface WranglerResponse {
  code: number | null;
  /** Both outputs, line by line, without colours. */
  output: string;
}

/** Runs wrangler with these words to its end. It never rejects for what wrangler does. */
export type Wrangler = (words: readonly string[]) => Promise<WranglerResponse>;

/** Names from `wrangler.toml`. */
export interface DeploymentNames {
  worker: string;
  database: string;
  bucket: string;
  /** Every queue, those of dead letters first: a queue is made before the one that sends its failures there. */
  queues: readonly string[];
}

/** Places of D1 databases and R2 buckets (“location hints”). */
export const LOCATIONS = ["wnam", "enam", "weur", "eeur", "apac", "oc"] as const;
export type Location = (typeof LOCATIONS)[number];

/** Secrets by their names, as text. */
export type Secrets = Readonly<Record<string, string>>;

export interface DeploymentParts {
  wrangler: Wrangler;
  names: DeploymentNames;
  /** Place in which a database and a bucket are made that do not exist yet; undefined for that of the caller. */
  location?: Location | undefined;
  /** Words of every wrangler command, such as another configuration file. */
  configWords: readonly string[];
  /** Secrets that the owner gives; they take the place of those that are set. */
  given: Secrets;
  /** Makes up what nobody gave and keeps it, so that a run which broke off goes on with the same. */
  makeUp(names: readonly string[]): Promise<Secrets>;
  /** Writes secrets to a file that wrangler reads, and returns its path. */
  writeSecrets(secrets: Secrets): Promise<string>;
  say(line: string): void;
  /** True in a build of the platform: its token may lack permissions, and its log must hold no secret. */
  isBuild?: boolean;
}

/** The result of a deployment. */
export interface Deployment {
  /** Undefined when wrangler named none: a Worker with routes of its own. */
  url: string | undefined;
  /** Resources that were not there before. */
  created: string[];
  /** Secrets that were set now. */
  secrets: Secrets;
  /** Those of them that were made up: nobody has seen them yet. */
  madeUp: Secrets;
}

/** Secrets that a deployment cannot do without, made up on the first run. */
export const MADE_UP_SECRETS = [
  "API_KEY",
  "ADMIN_KEY",
  "WEBHOOK_SECRET",
  "PROFILE_ENCRYPTION_KEY",
  "BOT_AUTH_KEY",
] as const;

/** A step that failed, with what wrangler said and what can be done about it. */
export class DeploymentError extends Error {
  readonly step: string;

  constructor(step: string, { output }: WranglerResponse, remedy = "") {
    const said = output.split("\n").slice(-20).join("\n");
    super(`${step} failed.${remedy === "" ? "" : ` ${remedy}`}\n${said}`);
    this.step = step;
  }
}
