import { existsSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import type { TestTagDefinition } from "vitest";
import { defineConfig } from "vitest/config";
import { buildAssets } from "../src/tools/build/build-assets.ts";
import { buildConverter } from "../src/tools/build/build-converter.ts";
import { buildPageScripts } from "../src/tools/build/build-page-scripts.ts";
import { buildPdfjs } from "../src/tools/build/build-pdfjs.ts";
import { buildXlsx } from "../src/tools/build/build-xlsx.ts";
import LongFilesFirst from "./long-files-first.ts";
import { ADMIN_KEY, API_KEY } from "./worker/keys.ts";

const root = dirname(import.meta.dirname);

/**
 * Real browsers, processes, sockets and timers on a busy machine: a test may be tried again, twice, and `further-tries.ts`
 * names it.
 */
const FURTHER_TRIES = 2;

/** End-to-end test files that run at once; `E2E_LANES=1` runs them one after another. */
const E2E_LANES = Number(process.env["E2E_LANES"] ?? 2);

/**
 * The first test file is handed all modules, of 21 MB, and each later one those that are new. Another 13 MB would be source
 * maps of libraries, which nobody steps through, and which an installation leaves out.
 */
const withoutLibraryMaps = {
  name: "without-library-maps",
  enforce: "post" as const,
  load: (id: string) => {
    const [path = ""] = id.split("?");
    if (!path.includes("/node_modules/") || !/\.[cm]?js$/.test(path) || !existsSync(path)) return undefined;
    return readFileSync(path, "utf8").replace(/^\/\/[#@] sourceMappingURL=.*$/gm, "");
  },
  transform: (code: string, id: string) =>
    id.includes("/node_modules/") || /\/dist\/(page-scripts|pdfjs|xlsx)\.mjs$/.test(id)
      ? // Vite takes the map of code that was changed, and of no other.
        { code: `${code}\n`, map: { mappings: "" as const } }
      : undefined,
};

/**
 * Libraries of many modules, each of which becomes one: hundreds of modules less are transformed, handed to the worker tests,
 * and run again for each file of them.
 */
const LIBRARIES_OF_MANY_MODULES = [
  "zod", "@hono/zod-openapi", "uuid", "diff", "chardet", "tldts", "mammoth", "libphonenumber-js/min",
  "hono", "hono/http-exception", "hono/etag", "hono/cors", "hono/body-limit", "hono/route", "hono/utils/url",
  "htmlparser2", "css-select", "entities", "entities/decode", "@cloudflare/puppeteer",
  "ai", "@ai-sdk/openai-compatible", "workers-ai-provider", "@modelcontextprotocol/sdk/types.js",
  "@modelcontextprotocol/sdk/server/index.js", "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js",
  "@modelcontextprotocol/sdk/validation/cfworker-provider.js",
]; // prettier-ignore

declare module "vitest" {
  interface TestTags {
    tag: "long";
  }
}

/** Any other tag fails. */
const TAGS: TestTagDefinition[] = [{ name: "long", description: "Left for npm test -- --all." }];

await Promise.all([buildPageScripts(), buildPdfjs(), buildXlsx(), buildConverter()]);

/** Unit tests run in plain Node, worker tests inside workerd, end-to-end tests drive the service from outside. */
export default defineConfig({
  root,
  test: {
    tags: TAGS,
    sequence: { sequencer: LongFilesFirst },
    projects: [
      {
        root,
        // One module registry for all files: loading the service's modules for each of them took most of the time.
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          environment: "node",
          isolate: false,
          server: { deps: { external: [/\/dist\/(page-scripts|pdfjs|xlsx)\.mjs$/] } },
          maxWorkers: availableParallelism(),
          // Most take a millisecond, deep or long inputs a second, and twenty times as much on a busy machine: what must be
          // fast is counted in steps or in processor time.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
          retry: FURTHER_TRIES,
        },
      },
      {
        root,
        plugins: [
          withoutLibraryMaps,
          cloudflareTest(async () => {
            // The configuration names the folder of the assets, which must be there.
            await buildAssets();
            return {
              wrangler: { configPath: `${root}/wrangler.toml` },
              remoteBindings: false,
              miniflare: {
                bindings: {
                  API_KEY,
                  ADMIN_KEY,
                  TEST_MIGRATIONS: await readD1Migrations(`${root}/migrations`),
                  WEBHOOK_SECRET: "a secret of the worker tests",
                  PROFILE_ENCRYPTION_KEY: "5a".repeat(32),
                },
              },
            };
          }),
        ],
        test: {
          name: "worker",
          include: ["test/worker/**/*.test.ts"],
          deps: {
            optimizer: {
              ssr: {
                enabled: true,
                include: LIBRARIES_OF_MANY_MODULES,
                rolldownOptions: { external: [...builtinModules, /^(?:node|cloudflare):/] },
              },
            },
          },
          // One workerd for all files: starting one for each of them took longer than most files' tests.
          isolate: false,
          maxWorkers: 1,
          setupFiles: ["test/worker/setup.ts"],
          globalSetup: ["test/worker/global-setup.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          retry: FURTHER_TRIES,
        },
      },
      {
        root,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/e2e/global-setup.ts"],
          setupFiles: ["test/e2e/setup.ts"],
          // What is waited for may take a while on a busy machine. How long something may take is for its own test to say.
          testTimeout: 120_000,
          hookTimeout: 240_000,
          retry: FURTHER_TRIES,
          expect: { poll: { timeout: 30_000, interval: 200 } },
          // One process for all files of a lane: starting one for each of them, and loading its libraries, took a second.
          isolate: false,
          // Much of the time is spent in waiting, for one file's service and browsers. Each lane has its own service.
          maxWorkers: E2E_LANES,
        },
      },
    ],
  },
});
