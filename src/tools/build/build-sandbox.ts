import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { builtinModules } from "node:module";
import type { Metafile, Plugin } from "esbuild";
import { z } from "zod";
import { fingerprintOf } from "./fingerprint.ts";
import { PROJECT_ROOT } from "../service/wrangler.ts";
import { withEsbuild } from "./with-esbuild.ts";

/** Programs of the sandbox, each an isolate's main module; the supervisor is that of a process of the sandbox host. */
const PROGRAMS = ["node-runner", "bash-runner", "page-reader", "shared-reader", "supervisor"];
const FOLDER = join(PROJECT_ROOT, "src/sandbox");
const OUTPUT = join(PROJECT_ROOT, "dist", "ui", "sandbox");
const DRAFTS = join(PROJECT_ROOT, "dist");
const RECORD = join(DRAFTS, "sandbox.json");
/** The libraries are known by the lock file. */
const OTHER_INPUTS = ["package-lock.json", "src/tools/build/build-sandbox.ts"];

const Record = z.object({ inputs: z.array(z.string()), fingerprint: z.string() });

/**
 * Bundles the programs that run in isolates of their own, with their libraries, into the assets that the Worker loads
 * them from. Does nothing when neither their sources nor the dependencies have changed since the last time.
 */
export async function buildSandbox(): Promise<void> {
  if (await isUpToDate()) return;
  await mkdir(OUTPUT, { recursive: true });
  // A build that is broken off is not known by what was built before it.
  await rm(RECORD, { force: true });
  const built = await Promise.all(PROGRAMS.map(buildProgram));
  const inputs = [...new Set([...built.flatMap(ownSources), ...OTHER_INPUTS])];
  const fingerprint = await fingerprintOf(inputs.map((path) => join(PROJECT_ROOT, path)));
  await replaceFile(RECORD, `${JSON.stringify({ inputs, fingerprint }, undefined, 2)}\n`);
}

async function isUpToDate(): Promise<boolean> {
  try {
    const { inputs, fingerprint } = Record.parse(JSON.parse(await readFile(RECORD, "utf8")));
    // The folder goes away when the dashboard beside it is built.
    await Promise.all(PROGRAMS.map((name) => stat(outputOf(name))));
    return (await fingerprintOf(inputs.map((path) => join(PROJECT_ROOT, path)))) === fingerprint;
  } catch {
    return false;
  }
}

/** Older libraries name Node's modules without `node:`, and take them by `require`. */
const nodeModules: Plugin = {
  name: "node-modules",
  setup({ onResolve, onLoad }) {
    const bare = new RegExp(`^(?:${builtinModules.filter((name) => !name.startsWith("_")).join("|")})$`);
    onResolve({ filter: bare }, ({ path }) => ({ path, namespace: "node-module" }));
    onLoad({ filter: /.*/, namespace: "node-module" }, ({ path }) => ({
      contents: `export * from "node:${path}"; export { default } from "node:${path}";`,
    }));
  },
};

async function buildProgram(name: string): Promise<Metafile> {
  const { outputFiles, metafile } = await withEsbuild(({ build }) =>
    build({
      absWorkingDir: PROJECT_ROOT,
      entryPoints: [join(FOLDER, `${name}.ts`)],
      bundle: true,
      write: false,
      metafile: true,
      minify: true,
      keepNames: false,
      format: "esm",
      platform: "neutral",
      target: "es2024",
      mainFields: ["module", "main"],
      conditions: ["workerd", "worker", "browser"],
      external: ["node:*", "cloudflare:*", "./user-code.js", "*.txt"],
      legalComments: "none",
      logLevel: "error",
      plugins: [nodeModules],
    }),
  );
  await replaceFile(outputOf(name), outputFiles[0]?.text ?? "");
  return metafile;
}

const outputOf = (name: string): string => join(OUTPUT, `${name}.js`);

/** By their paths in the project. */
function ownSources({ inputs }: Metafile): string[] {
  const files = Object.keys(inputs).filter((path) => !path.startsWith("node-module:"));
  const paths = files.map((path) => relative(PROJECT_ROOT, join(PROJECT_ROOT, path)));
  return paths.filter((path) => !path.includes("node_modules"));
}

/** Two builds at once must not leave half a file, nor one that is broken off a draft among the assets. */
async function replaceFile(path: string, text: string): Promise<void> {
  const draft = join(DRAFTS, `${basename(path)}.${process.pid}`);
  await writeFile(draft, text);
  await rename(draft, path);
}

if (import.meta.main) await buildSandbox();
