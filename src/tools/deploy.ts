import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs, parseEnv } from "node:util";
import { SETTINGS, readSettings } from "../env.ts";
import { buildAssets } from "./build/build-assets.ts";
import { checkOptions } from "./deployment/check-options.ts";
import { checkService, checkTable } from "./deployment/check-service.ts";
import { LOCATIONS, type Deployment, type Location, type Secrets, type Wrangler } from "./deployment/deployment.ts";
import { withoutPaidParts } from "./deployment/free-plan.ts";
import { keptSecrets, makeUpSecrets } from "./deployment/made-secrets.ts";
import { OFFLINE_CHECKS } from "./deployment/offline-checks.ts";
import { namesOf } from "./deployment/read-config.ts";
import { runDeployment } from "./deployment/run-deployment.ts";
import { PROJECT_ROOT, startWrangler } from "./service/wrangler.ts";
import { requireWordsPassedOn } from "./setup/words-passed-on.ts";

const USAGE = `npm run deploy -- [options]

  --dry-run          check everything that can be checked without an account, and change nothing
  --free             leave out what only Workers Paid has: the worker loader, more processor time and more calls
  --location PLACE   where a database and a bucket are created: wnam, enam, weur, eeur, apac or oc; near you when left out
  --check            make the deployed service check itself, and print what it finds; changes nothing
  --url URL          with --check: address of the service to check; that of the last deployment from here when left out
  --echo URL         with --check: a page outside of the platform that returns the headers of a request as JSON
  --bad-certificate URL  with --check: a host whose certificate must be refused; expired.badssl.com when left out
  --settings FILE    settings in the form of .dev.vars, all of them set as secrets of the Worker
  --help             show this

Secrets in the environment (API_KEY, ADMIN_KEY, WEBHOOK_SECRET, PROFILE_ENCRYPTION_KEY, LLM_API_KEY, …) take the place
of those that are set. What is missing is made up on the first run, printed once and kept in .wrangler/deploy.`;

const SECRETS_FILE = join(PROJECT_ROOT, ".wrangler", "deploy", "secrets.json");
const ADDRESS_FILE = join(dirname(SECRETS_FILE), "address.txt");
const FREE_CONFIG = join(PROJECT_ROOT, ".wrangler-free.toml");
/** Settings that are secrets; others belong in a file or in wrangler.toml, so that none is taken by accident. */
const SECRET_NAME = /(?:_KEY|_SECRET|_TOKEN)$|^SIGNATURE_AGENT$/;
/** A build of the platform (Workers Builds), whose log others can read. */
const IS_BUILD = process.env["WORKERS_CI"] === "1";
const READY_TRIES = 20;
const READY_PAUSE_MS = 3_000;

const OPTIONS = {
  "dry-run": { type: "boolean", default: false },
  free: { type: "boolean", default: false },
  settings: { type: "string" },
  location: { type: "string" },
  check: { type: "boolean", default: false },
  url: { type: "string" },
  echo: { type: "string" },
  "bad-certificate": { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

async function main(): Promise<number> {
  // An option that is lost would change an account that was only to be checked. npm has a setting of its own called location.
  const names = Object.keys(OPTIONS).filter((name) => name !== "location");
  requireWordsPassedOn(process.env, { command: "npm run deploy --", names });
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  checkOptions(values);
  if (values.check) return await check(values);
  const location = readLocation(values.location);
  const scratchDir = await mkdtemp(join(tmpdir(), "orbweaver-deploy-"));
  try {
    const configWords = values.free ? ["--config", FREE_CONFIG] : [];
    if (values.free) await writeFreeConfig();
    const given = await readGiven(values.settings);
    await buildAssets();
    // Loaded here only: loading it takes longer than a whole check of a deployed service.
    const { unstable_readConfig } = await import("wrangler");
    const config = unstable_readConfig(
      values.free ? { config: FREE_CONFIG } : { config: join(PROJECT_ROOT, "wrangler.toml") },
    );
    const wrangler = wranglerIn(scratchDir);
    for (const { name, run } of OFFLINE_CHECKS) {
      say(`${name}: ${await run({ wrangler, configWords, config, given })}`);
    }
    if (values["dry-run"]) {
      say("Everything that can be checked without an account is in order");
      return 0;
    }
    const done = await runDeployment({
      wrangler,
      names: namesOf(config),
      location,
      configWords,
      given,
      makeUp: (names) => makeUpSecrets(SECRETS_FILE, names),
      writeSecrets: (secrets) => writeSecrets(scratchDir, secrets),
      say,
      isBuild: IS_BUILD,
    });
    await show(done);
    return 0;
  } finally {
    await rm(scratchDir, { recursive: true, force: true });
    await rm(FREE_CONFIG, { force: true });
  }
}

/** Prints what the deployed service finds. @returns the exit code, 1 when a check has failed */
async function check(values: {
  url?: string;
  settings?: string;
  echo?: string;
  "bad-certificate"?: string;
}): Promise<number> {
  const given = await readGiven(values.settings);
  const kept = await keptSecrets(SECRETS_FILE);
  const url = values.url ?? given["SIGNATURE_AGENT"] ?? (await readAddress());
  const adminKey = given["ADMIN_KEY"] ?? kept["ADMIN_KEY"];
  if (url === undefined) throw new Error("No service was deployed from here. Name its address with --url.");
  if (adminKey === undefined)
    throw new Error("No admin key is known here. Set ADMIN_KEY, or name a file with --settings.");
  say(`${url} checks itself, which takes up to a minute`);
  const { "bad-certificate": badCertificateUrl, echo: echoUrl } = values;
  const { place, checks } = await checkService({ url, adminKey, echoUrl, badCertificateUrl });
  console.log(`\n${checkTable({ checks })}\n`);
  if (place !== undefined) say(`Checked in ${place}`);
  const failed = checks.filter(({ state }) => state === "failed").map(({ name }) => name);
  say(failed.length === 0 ? "No check has failed" : `Failed: ${failed.join(", ")}`);
  return failed.length === 0 ? 0 : 1;
}

/** Returns the address of the last deployment; undefined before the first. */
async function readAddress(): Promise<string | undefined> {
  return await readFile(ADDRESS_FILE, "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
}

/** @throws Error for a place that D1 and R2 do not have. */
function readLocation(text: string | undefined): Location | undefined {
  const location = LOCATIONS.find((place) => place === text);
  if (text === undefined || location !== undefined) return location;
  throw new Error(`--location must be one of ${LOCATIONS.join(", ")}`);
}

async function writeFreeConfig(): Promise<void> {
  await writeFile(FREE_CONFIG, withoutPaidParts(await readFile(join(PROJECT_ROOT, "wrangler.toml"), "utf8")));
}

/** Secrets of the environment, and the settings of a file. @throws Error that names each value which cannot be used. */
async function readGiven(file: string | undefined): Promise<Secrets> {
  const fromFile: NodeJS.Dict<string> = file === undefined ? {} : parseEnv(await readFile(file, "utf8"));
  const given: Record<string, string> = {};
  for (const name of Object.keys(SETTINGS)) {
    const value = (SECRET_NAME.test(name) ? process.env[name] : undefined) || fromFile[name];
    if (value !== undefined && value !== "") given[name] = value;
  }
  readSettings(given);
  return given;
}

function wranglerIn(scratchDir: string): Wrangler {
  return async (words) => {
    const lines: string[] = [];
    const { child } = startWrangler(words, { scratchDir, onLine: (line) => lines.push(line) });
    // Its input is no terminal, so it asks nothing: questions have answers that go on without one.
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    return { code, output: lines.join("\n") };
  };
}

/** JSON, in which no character is special to the shell. */
async function writeSecrets(scratchDir: string, secrets: Secrets): Promise<string> {
  const path = join(scratchDir, "secrets.json");
  await mkdir(scratchDir, { recursive: true });
  await writeFile(path, JSON.stringify(secrets), { mode: 0o600 });
  return path;
}

/** Of the secrets, only those that were made up are printed: the others are known, and a log may keep what is printed. */
async function show({ url, secrets, madeUp }: Deployment): Promise<void> {
  const given = Object.keys(secrets).filter((name) => !Object.hasOwn(madeUp, name));
  if (given.length > 0) say(`Settings that were given, and set: ${given.join(", ")}`);
  if (Object.keys(madeUp).length > 0) {
    say(`Secrets that were made up, kept in ${SECRETS_FILE} for you alone:`);
    for (const [name, value] of Object.entries(madeUp)) console.log(`  ${name}=${value}`);
  }
  if (url === undefined) return say("Deployed, under the routes of wrangler.toml");
  say(`Deployed: ${url}`);
  await mkdir(dirname(ADDRESS_FILE), { recursive: true, mode: 0o700 });
  await writeFile(ADDRESS_FILE, `${url}\n`);
  say(
    (await isReady(url))
      ? "It finds everything that it works with"
      : `It is not ready yet; look at ${url}/health/ready`,
  );
  const key = madeUp["API_KEY"] ?? "$API_KEY";
  say("To check it from inside: npm run deploy -- --check");
  console.log(`
curl -X POST ${url}/v2/scrape \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"url": "https://example.com"}'
`);
}

/** A new address takes a while to be known everywhere. */
async function isReady(url: string): Promise<boolean> {
  for (let tries = 0; tries < READY_TRIES; tries++) {
    const response = await fetch(`${url}/health/ready`).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.status === 200) return true;
    await new Promise((resolve) => setTimeout(resolve, READY_PAUSE_MS));
  }
  return false;
}

function say(line: string): void {
  console.log(`[deploy] ${line}`);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`[deploy] ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
