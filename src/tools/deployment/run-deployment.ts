import { buildTokenRemedy, missingInBuild } from "./build-token.ts";
import {
  DeploymentError,
  MADE_UP_SECRETS,
  type Deployment,
  type DeploymentParts,
  type Secrets,
  type WranglerResponse,
} from "./deployment.ts";

/** How wrangler and the platform say that something is there already (D1, R2 10004, Queues 11009). */
const EXISTS = /already (?:exists|taken|in use)|is already taken|\b(?:7502|10004|11009)\b/i;
/** The secret that a Worker can do without. */
const OPTIONAL = "BOT_AUTH_KEY";
/** The setting that holds the address of the Worker's public keys. */
const AGENT = "SIGNATURE_AGENT";
const DNS_CHECK = "DNS_CHECK";
const UNKNOWN_WORKER = /not found|does not exist|\b10007\b/i;

const REMEDIES: [RegExp, string][] = [
  [/not authenticated|not logged in|CLOUDFLARE_API_TOKEN|\b(?:9109|10000)\b/i, "Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID."],
  [/\b10042\b|enable R2/i, "R2 is not enabled on this account: enable it once in the dashboard, under R2."],
  [/workers\.dev subdomain|\b10063\b/i, "Register a workers.dev subdomain once in the dashboard, under Workers."],
  [/Paid plan|upgrade|\b(?:10195|11007)\b/i, "This needs Workers Paid; `npm run deploy -- --free` leaves out what the free plan has not."],
  [/fetch failed|ENOTFOUND|ECONNREFUSED|ETIMEDOUT/i, "Cloudflare's API was not reached. Check the network and try again."],
]; // prettier-ignore

/**
 * Brings the service onto an account. Every step looks at what is there or bears being done twice, so a run that broke
 * off is run again and goes on: database, bucket and queues are made where they are missing; the database is brought up
 * to date before the Worker that needs it, on the first run as on later ones; secrets come with the Worker, so that it
 * never runs without them.
 * @throws DeploymentError with what wrangler said.
 */
export async function runDeployment(parts: DeploymentParts): Promise<Deployment> {
  const { names, say, location } = parts;
  const placed = location === undefined ? [] : ["--location", location];
  await step(parts, "Looking up the account", ["whoami"]);
  const created: string[] = [];
  const [database, bucket] = [`database ${names.database}`, `bucket ${names.bucket}`];
  const wanted = [
    { what: database, words: ["d1", "create", names.database, ...placed] },
    { what: bucket, words: ["r2", "bucket", "create", names.bucket, ...placed] },
    ...names.queues.map((queue) => ({ what: `queue ${queue}`, words: ["queues", "create", queue] })),
  ];
  for (const { what, words } of wanted) {
    if (await makeUnlessThere(parts, what, words)) created.push(what);
  }
  const unmoved = location !== undefined && [database, bucket].some((what) => !created.includes(what));
  if (unmoved) say(`What was there stays where it is: --location ${location} is for what is created`);
  say(created.length === 0 ? "Database, bucket and queues are there" : `Created: ${created.join(", ")}`);

  await step(parts, "Bringing the database up to date", ["d1", "migrations", "apply", names.database, "--remote"]);
  const known = await knownSecrets(parts);
  const madeUp = await missingSecrets(parts, known);
  const secrets = { ...madeUp, ...parts.given };
  const withSecrets = Object.keys(secrets).length > 0 ? ["--secrets-file", await parts.writeSecrets(secrets)] : [];
  const { output } = await step(parts, "Deploying the Worker", [
    "deploy",
    "--minify",
    ...dnsCheck(parts, known),
    ...withSecrets,
  ]);
  const url = /https:\/\/[\w.-]+\.workers\.dev\b/.exec(output)?.[0];
  if (url === undefined || known.has(AGENT) || parts.given[AGENT] !== undefined)
    return { url, created, secrets, madeUp };
  // The address is known only now; sites read there the keys that the Worker signs its requests with.
  await step(parts, "Naming the Worker's address in its requests", [
    "secret",
    "bulk",
    await parts.writeSecrets({ [AGENT]: url }),
  ]);
  return { url, created, secrets, madeUp };
}

/** On the platform nothing private is reached: names are resolved beside loads, unless the operator says otherwise. */
function dnsCheck({ given }: DeploymentParts, known: ReadonlySet<string>): string[] {
  return known.has(DNS_CHECK) || given[DNS_CHECK] !== undefined ? [] : ["--var", `${DNS_CHECK}:beside`];
}

/** @returns whether it was made now. */
async function makeUnlessThere(parts: DeploymentParts, what: string, words: readonly string[]): Promise<boolean> {
  const answer = await parts.wrangler([...words, ...parts.configWords]);
  if (answer.code === 0) return true;
  if (EXISTS.test(answer.output)) return false;
  const remedy = parts.isBuild === true ? buildTokenRemedy(what, answer.output) : undefined;
  throw failed(`Creating the ${what}`, answer, remedy);
}

/** Makes up the secrets that the Worker lacks and the operator does not enter now; none in a build. */
async function missingSecrets(parts: DeploymentParts, known: ReadonlySet<string>): Promise<Secrets> {
  const missing = MADE_UP_SECRETS.filter((name) => !known.has(name) && parts.given[name] === undefined);
  if (parts.isBuild === true) {
    const needed = missing.filter((name) => name !== OPTIONAL);
    if (needed.length > 0) throw new Error(missingInBuild(needed));
    if (missing.length > 0) parts.say(`The Worker has no ${OPTIONAL}: its requests to sites are not signed`);
    return {};
  }
  return missing.length === 0 ? {} : await parts.makeUp(missing);
}

/** Names of the secrets that are set; none for a Worker that does not exist yet. */
async function knownSecrets({ wrangler, configWords }: DeploymentParts): Promise<Set<string>> {
  const answer = await wrangler(["secret", "list", "--format", "json", ...configWords]);
  if (answer.code !== 0 && UNKNOWN_WORKER.test(answer.output)) return new Set();
  if (answer.code !== 0) throw failed("Listing the secrets", answer);
  const listed: unknown = JSON.parse(answer.output.slice(answer.output.indexOf("[")) || "[]");
  return new Set(Array.isArray(listed) ? listed.map((entry: { name?: unknown }) => String(entry.name)) : []);
}

async function step(parts: DeploymentParts, name: string, words: readonly string[]): Promise<WranglerResponse> {
  parts.say(name);
  const answer = await parts.wrangler([...words, ...parts.configWords]);
  if (answer.code === 0 && !/You are not authenticated/i.test(answer.output)) return answer;
  throw failed(name, answer);
}

function failed(step: string, answer: WranglerResponse, remedy?: string): DeploymentError {
  return new DeploymentError(step, answer, remedy ?? REMEDIES.find(([pattern]) => pattern.test(answer.output))?.[1]);
}
