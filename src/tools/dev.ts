import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildAssets } from "./build/build-assets.ts";
import { buildConverter, CONVERTER_SOURCES } from "./build/build-converter.ts";
import { buildPageScripts, PAGE_SCRIPT_SOURCES } from "./build/build-page-scripts.ts";
import { describeUiBuild } from "./build/build-ui.ts";
import { watchSources } from "./build/watch-sources.ts";
import { listBrowserPorts } from "./browser/watch-browsers.ts";
import { openEgress } from "./egress/open-egress.ts";
import { explainFailure } from "./process/explain-failure.ts";
import { requirePort } from "./process/free-port.ts";
import { keptKeys } from "./setup/kept-keys.ts";
import { applyMigrations } from "./service/migrations.ts";
import { makeRunFolder } from "./process/run-folder.ts";
import { endPartsWithStarter, runPart } from "./testing/run-part.ts";
import { openSandbox } from "./sandbox-host/open-sandbox.ts";
import { seedBrowser } from "./browser/seed-browser.ts";
import { collectSettings, writeEnvFile } from "./setup/settings.ts";
import { PROJECT_ROOT } from "./service/wrangler.ts";

const DEFAULT_PORT = 8787;

/** Modules that wrangler preloads: requests leave through the egress proxy, and its own local paths are closed. */
const PRELOADS = ["egress/route-egress.cjs", "service/close-local-paths.cjs"].map((file) =>
  join(import.meta.dirname, file),
);

function nodeOptions(): string {
  return PRELOADS.map((file) => `--require ${JSON.stringify(file)}`).join(" ");
}

/** The options of `wrangler dev` that this program reads too; it passes all words on. */
function readWords(words: string[]): { port: string | undefined; persistTo: string | undefined } {
  const options = { port: { type: "string" }, "persist-to": { type: "string" } } as const;
  const { port, "persist-to": persistTo } = parseArgs({ args: words, strict: false, options }).values;
  return { port: textOf(port), persistTo: textOf(persistTo) };
}

/** Without a strict reading, an option at the end of the line is `true`. */
function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * `wrangler dev` for work on the Worker: it bundles again at every change of the source, of page scripts too. Nothing watches it or starts it
 * again, as a program that is being changed may well stop; `npm start` does that.
 */
async function dev(): Promise<number> {
  const given = process.argv.slice(2);
  const { port: givenPort, persistTo } = readWords(given);
  const port = Number(givenPort ?? DEFAULT_PORT);
  await requirePort(port);
  const persistDir = resolve(persistTo ?? join(PROJECT_ROOT, ".wrangler", "state"));
  const settings = await collectSettings({ env: process.env, devVarsPath: join(PROJECT_ROOT, ".dev.vars") });
  const keys = await keptKeys(persistDir, {
    apiKey: settings["API_KEY"],
    adminKey: settings["ADMIN_KEY"],
    webhookSecret: settings["WEBHOOK_SECRET"],
  });
  await seedBrowser({ log: console.log });
  console.log(describeUiBuild(await buildAssets()));
  const localToken = randomUUID();
  const scratchDir = await makeRunFolder(persistDir);
  const sandbox = await openSandbox(settings);
  const egress = await openEgress(sandbox.settings);
  egress.closePort(port);
  // The simulator keeps the profiles of its browsers here.
  egress.closePorts(() => listBrowserPorts(tmpdir()));
  const watching = [
    watchSources({ folders: PAGE_SCRIPT_SOURCES, build: buildPageScripts, log: console.error }),
    watchSources({ folders: CONVERTER_SOURCES, build: buildConverter, log: console.error }),
  ];
  try {
    const envFile = join(scratchDir, "settings.env");
    const own = { API_KEY: keys.apiKey, ADMIN_KEY: keys.adminKey, WEBHOOK_SECRET: keys.webhookSecret };
    await writeEnvFile(envFile, { ALLOWED_HOSTS: "localhost", ...egress.settings, ...own });
    await applyMigrations({ persistDir, scratchDir });
    console.log(`API key: ${keys.apiKey}`);
    console.log(
      `Scheduled work runs at /cdn-cgi/local/scheduled with the header X-Orbweaver-Local-Token: ${localToken}`,
    );
    const state = persistTo === undefined ? ["--persist-to", persistDir] : [];
    const words = ["dev", "--local", ...given, ...state, "--env-file", envFile];
    const env = { ...egress.env, NODE_OPTIONS: nodeOptions(), ORBWEAVER_LOCAL_TOKEN: localToken };
    const { code } = await runPart("wrangler/wrangler-dist/cli.js", words, { timeoutMs: 2 ** 31 - 1, env });
    return code ?? 1;
  } finally {
    for (const unwatch of watching) unwatch();
    await Promise.all([egress.close(), sandbox.close()]);
    await rm(scratchDir, { recursive: true, force: true });
  }
}

endPartsWithStarter();
try {
  process.exit(await dev());
} catch (error) {
  console.error(explainFailure(error));
  process.exit(1);
}
