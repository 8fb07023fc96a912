import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { readSettings } from "../env.ts";
import { checkFirstPage } from "./setup/check-first-page.ts";
import { explainFailure } from "./process/explain-failure.ts";
import { firstScrape } from "./setup/first-scrape.ts";
import { giveBackMemory } from "./process/give-back-memory.ts";
import { requirePort } from "./process/free-port.ts";
import { keptKeys, keysFile } from "./setup/kept-keys.ts";
import { onStarterGone } from "./process/on-starter-gone.ts";
import { startSampleSite } from "./setup/sample-site.ts";
import { toShownLine } from "./setup/service-line.ts";
import { seedBrowser } from "./browser/seed-browser.ts";
import { collectSettings } from "./setup/settings.ts";
import type { SettingTexts } from "./setup/settings.ts";
import { readStartOptions, START_USAGE } from "./setup/start-options.ts";
import type { StartOptions } from "./setup/start-options.ts";
import { watchService } from "./service/watch-service.ts";
import type { WatchedService } from "./service/watch-service.ts";
import { PROJECT_ROOT } from "./service/wrangler.ts";
import { writableProject } from "./setup/writable-project.ts";

const HOUR_MS = 3_600_000;
/** Time after the start of the service at which its upkeep runs first. */
const FIRST_UPKEEP_MS = 300_000;

/** Progress and failures: standard output holds what was asked for and nothing else. */
const say = (line: string): void => console.error(line);

let service: WatchedService | undefined;
let isStopping = false;

async function stopAndExit(code: number): Promise<void> {
  if (isStopping) process.exit(code);
  isStopping = true;
  await service?.stop();
  process.exit(code);
}

function endWithStarter(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (!isStopping) say("Stopping");
      void stopAndExit(service === undefined ? 130 : 0);
    });
  }
  onStarterGone(() => void stopAndExit(1));
  // Output that nobody reads any more is no reason to leave the service behind.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => void stopAndExit(1));
}

async function start(options: StartOptions): Promise<void> {
  const startedAt = performance.now();
  if (options.isPortChosen || !options.once) await requirePort(options.port);
  const settings = await completeSettings(options);
  if (options.url !== undefined) {
    await checkFirstPage(options.url, { allowPrivateHosts: readSettings(settings).ALLOW_PRIVATE_HOSTS });
  }
  await prepareBrowser();
  // The service may load the sample page and nothing else on this machine: one address on one port, which this program
  // holds as long as the service runs, so that no other program can come to answer there.
  const sample = options.url === undefined ? await startSampleSite() : undefined;
  if (sample !== undefined) {
    settings["ALLOW_PRIVATE_HOSTS"] = [settings["ALLOW_PRIVATE_HOSTS"], sample.host].filter(Boolean).join(",");
  }
  say("Bundling the Worker and preparing its database");
  service = await watchService({
    settings,
    persistDir: options.persistDir,
    ...(options.isPortChosen || !options.once ? { port: options.port } : {}),
    onLine: showServiceLine,
    log: say,
  });
  void service.ended.then(({ code, signal, lastLines }) => {
    if (isStopping) return;
    say(
      explainFailure(
        `The service ended and does not start again (${signal ?? `exit code ${code}`}).\n${lastLines.join("\n")}`,
      ),
    );
    process.exit(1);
  });
  say(`The service is ready after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  keepSchedule(service);
  const key = settings["API_KEY"] ?? "";
  const isScraped = await showScrape({ url: service.url, key }, sample?.url ?? options.url ?? "");
  if (options.once) return stopAndExit(isScraped ? 0 : 1);
  showAddress({ url: `http://localhost:${service.port}`, key, firstPage: sample?.url ?? options.url }, options);
  giveBackMemory();
}

async function completeSettings(options: StartOptions): Promise<SettingTexts> {
  const env = options.key === undefined ? process.env : { ...process.env, API_KEY: options.key };
  const settings = await collectSettings({ env, devVarsPath: join(PROJECT_ROOT, ".dev.vars") });
  const keys = await keptKeys(options.persistDir, {
    apiKey: settings["API_KEY"],
    adminKey: settings["ADMIN_KEY"],
    profileKey: settings["PROFILE_ENCRYPTION_KEY"],
    webhookSecret: settings["WEBHOOK_SECRET"],
    botAuthKey: settings["BOT_AUTH_KEY"],
  });
  if (keys.isNew) say(`Made an API key and an administrator's key; they are kept in ${keysFile(options.persistDir)}`);
  return {
    ...settings,
    API_KEY: keys.apiKey,
    ADMIN_KEY: keys.adminKey,
    PROFILE_ENCRYPTION_KEY: keys.profileKey,
    WEBHOOK_SECRET: keys.webhookSecret,
    BOT_AUTH_KEY: keys.botAuthKey,
  };
}

/** Most pages load without a browser, so its absence is said and not fatal. */
async function prepareBrowser(): Promise<void> {
  try {
    const browser = await seedBrowser({ log: say });
    if (browser.kind === "installed") say(`Browser: ${browser.path}`);
  } catch (error) {
    say(`There is no browser: ${error instanceof Error ? error.message : String(error)}`);
    say("Without one, pages made by scripts, screenshots, PDFs, actions and browser sessions fail; all else works.");
    say("To get one: install Chromium or Chrome (Debian: apt-get install chromium-headless-shell), then start again.");
  }
}

async function showScrape(target: { url: string; key: string }, pageUrl: string): Promise<boolean> {
  say(`Scraping ${pageUrl}\n`);
  try {
    const { markdown, warning, ms } = await firstScrape(target, pageUrl);
    console.log(`${markdown.trim()}\n`);
    if (warning !== undefined) say(`Warning: ${warning}`);
    console.log(`Scraped ${pageUrl} in ${ms} ms\n`);
    return true;
  } catch (error) {
    say(explainFailure(error));
    return false;
  }
}

/** `wrangler dev` does not run cron triggers. This calls them, since expired data would otherwise stay for ever. */
function keepSchedule(running: WatchedService): void {
  const run = (cron?: string): void => {
    running.schedule(cron).catch((error: unknown) => say(explainFailure(error)));
  };
  // A service that is started again within the hour deletes what has expired, too.
  setTimeout(() => run(), FIRST_UPKEEP_MS).unref();
  setInterval(() => run(), HOUR_MS).unref();
  setInterval(() => run("*/5 * * * *"), HOUR_MS / 12).unref();
}

/** The part after # stays in the browser: the dashboard signs in with the key, and begins with the page just scraped. */
function showAddress(about: { url: string; key: string; firstPage: string | undefined }, options: StartOptions): void {
  const { url, key, firstPage } = about;
  const request = `curl ${url}/v2/scrape -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"url":"https://example.com"}'`;
  const beginning = new URLSearchParams({ key, ...(firstPage === undefined ? {} : { try: firstPage }) });
  console.log(`Address   ${url}`);
  console.log(`API key   ${key}`);
  console.log(`Reference ${url}/docs`);
  console.log(`Try it    ${request}`);
  console.log(`\nOpen      ${url}/#${beginning}`);
  console.log("          in a browser: the dashboard, signed in");
  say(
    `\nThe keys, and the secret of webhooks, are kept in ${keysFile(options.persistDir)}. Ctrl-C ends the service.\n`,
  );
}

/** Requests and what the Worker writes; what wrangler says about itself is left out. */
function showServiceLine(line: string): void {
  const shown = toShownLine(line);
  if (shown !== undefined) say(shown);
}

/** Goes on in a copy of the project where the project itself is read-only. */
async function startHereOrInCopy(options: StartOptions): Promise<void> {
  const copy = await writableProject(options.persistDir);
  if (copy === undefined) {
    endWithStarter();
    await start(options);
    return;
  }
  say(`The project's folder is read-only; the service is built in ${copy}`);
  await import(pathToFileURL(join(copy, "src", "tools", "start.ts")).href);
}

try {
  const options = readStartOptions(process.argv.slice(2), process.env);
  if (options.help) {
    console.log(START_USAGE);
    process.exit(0);
  }
  await startHereOrInCopy(options);
} catch (error) {
  say(explainFailure(error));
  await stopAndExit(1);
}
