import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { PROJECT_ROOT } from "./wrangler.ts";

/** Programs of the sandbox, each an isolate's main module. */
const PROGRAMS = ["node-runner", "bash-runner"];
const FOLDER = join(PROJECT_ROOT, "src/sandbox");

/**
 * Bundles the programs that run in isolates of their own, with their libraries, into the text modules that the Worker
 * holds. The same source and libraries give the same text.
 */
export async function buildSandbox(): Promise<void> {
  const folder = join(FOLDER, "built");
  await mkdir(folder, { recursive: true });
  await Promise.all(PROGRAMS.map((name) => buildProgram(name, join(folder, `${name}.txt`))));
}

async function buildProgram(name: string, target: string): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [join(FOLDER, `${name}.ts`)],
    bundle: true,
    write: false,
    minify: true,
    keepNames: false,
    format: "esm",
    platform: "neutral",
    target: "es2024",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*", "./user-code.js"],
    legalComments: "none",
    logLevel: "error",
  });
  // Two builds at once must not leave half a file.
  const temporary = `${target}.${process.pid}`;
  await writeFile(temporary, outputFiles[0]?.text ?? "");
  await rename(temporary, target);
}

if (import.meta.main) await buildSandbox();
