import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { PROJECT_ROOT } from "../service/wrangler.ts";

const SOURCE = join(PROJECT_ROOT, "src", "ui");

/** Bundles the dashboard into a folder, with a `manifest.json` of its files. */
async function bundleUi(outDir: string): Promise<void> {
  await build({
    root: SOURCE,
    configFile: false,
    envDir: false,
    logLevel: "warn",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2023",
      // Nothing inline: the pages' Content-Security-Policy lets nothing inline run.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      manifest: "manifest.json",
    },
  });
}

const [, program, outDir] = process.argv;
if (program === fileURLToPath(import.meta.url) && outDir !== undefined) await bundleUi(outDir);
