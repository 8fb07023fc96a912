import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Imports } from "./import-graph.ts";

/** All tests depend on these, on Node and on this part of the tools itself. Those of them that are not there are left out. */
const SHARED = [
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "src/ui/tsconfig.json",
  "src/page-scripts/tsconfig.json",
  "test/vitest.config.ts",
  "src/tools/testing/vitest-project.ts",
  "src/tools/changed-tests/*.ts",
];
const SHARED_VARIABLES = ["SCHEDULES", "TZ"];

/** Node's modules that read no file of the project. (`node:sqlite` reads databases; there are none.) */
const BLIND_NODE_MODULES = new Set(
  "crypto dns/promises events http net os path readline sqlite stream stream/promises timers/promises url util zlib"
    .split(" ")
    .map((name) => `node:${name}`),
);
/** Packages for development that read no file of the project unless a test hands it to them. */
const BLIND_PACKAGES =
  "vitest fast-check iconv-lite unified remark-gfm remark-parse mdast-util-to-string @seriousme/openapi-schema-validator".split(
    " ",
  );

/** Modules that are built to `dist` from the dependencies and from the files of these folders. */
const BUILT_MODULES = new Map([
  ["#page-scripts", ["src/page-scripts", "src/core", "src/sessions", "src/tools/build"]],
  ["#pdfjs", ["src/tools/build"]],
  ["#xlsx", ["src/tools/build"]],
]);

/** Text of a module that reaches files which no list of its imports names. */
const UNSEEN =
  /\bimport\(\s*[^"'\s]|\bimport\.meta\.glob|\bimport(?:Actual|Mock)\b|\bgetBuiltinModule\b|Snapshot\(|\brequire\(/;

/** Reads folders that its users name, and refuses what is not in them. */
const DATA_FOLDER = "test/data-folder.ts";
const EVERYTHING = ["."];
/** Not of the project: what was installed, made or kept. */
const FOREIGN = new Set(["node_modules", ".git", ".wrangler", "dist"]);

export interface Project {
  root: string;
  /** Of all modules that the tests reach, by path below the root. */
  graph: ReadonlyMap<string, Imports>;
}

/**
 * Returns a hash for each test of everything that its outcome depends on: every module that it reaches, the files that
 * these read, and the inputs of all tests. For a module whose files are not known, that is every file of the project.
 */
export function fingerprintTests({ root, graph }: Project, tests: readonly string[]): Map<string, string> {
  const files = new ProjectFiles(root);
  const blindPackages = new Set([...BLIND_PACKAGES, ...dependenciesOf(root), "cloudflare:workers"]);
  const isBlind = (name: string): boolean => BLIND_NODE_MODULES.has(name) || blindPackages.has(packageOf(name));
  const reads = new Map<string, readonly string[]>();
  for (const [module, imports] of graph) reads.set(module, readsOf(module, imports, { files, isBlind }));
  const shared = [
    process.version,
    process.platform,
    process.arch,
    ...SHARED_VARIABLES.map((name) => `${name}=${process.env[name] ?? ""}`),
    ...globSync(SHARED, { cwd: root })
      .toSorted()
      .map((path) => files.hash(path)),
  ];
  const fingerprint = (test: string): string => {
    const modules = [...reachable(test, graph)].toSorted();
    const folders = [...new Set(modules.flatMap((module) => reads.get(module) ?? []))].toSorted();
    return hashOf([
      ...shared,
      ...modules.flatMap((module) => [module, files.hash(module)]),
      ...folders.flatMap((folder) => [folder, files.folderHash(folder)]),
    ]);
  };
  return new Map(tests.map((test) => [test, fingerprint(test)]));
}

function reachable(entry: string, graph: Project["graph"]): Set<string> {
  const seen = new Set([entry]);
  // A set hands out what is added to it on the way.
  for (const module of seen) for (const file of graph.get(module)?.files ?? []) seen.add(file);
  return seen;
}

/** The folders that a module reads from by itself. */
function readsOf(
  module: string,
  imports: Imports,
  { files, isBlind }: { files: ProjectFiles; isBlind: (name: string) => boolean },
): readonly string[] {
  if (module === DATA_FOLDER) return [];
  const text = files.text(module);
  const { outside } = imports;
  if (outside.some((name) => !BUILT_MODULES.has(name) && !isBlind(name)) || UNSEEN.test(text)) return EVERYTHING;
  const built = outside.flatMap((name) => BUILT_MODULES.get(name) ?? []).filter((folder) => files.hasFolder(folder));
  if (!imports.files.includes(DATA_FOLDER)) return built;
  const folders = [...text.matchAll(/\bdataFolder\("([\w./-]+)"\)/g)].map(([, folder]) => folder ?? "");
  const mentions = text.match(/\bdataFolder\b/g)?.length ?? 0;
  // One mention is the import.
  return mentions === folders.length + 1 ? [...built, ...folders] : EVERYTHING;
}

/** Code of the Worker cannot read files; programs for development can. */
function dependenciesOf(root: string): string[] {
  const { dependencies } = z
    .object({ dependencies: z.record(z.string(), z.string()).default({}) })
    .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
  return Object.keys(dependencies);
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** Contents as they are now; each file is read once. */
class ProjectFiles {
  readonly #root: string;
  readonly #hashes = new Map<string, string>();
  readonly #folderHashes = new Map<string, string>();

  constructor(root: string) {
    this.#root = root;
  }

  text(path: string): string {
    return this.#read(path)?.toString() ?? "";
  }

  hash(path: string): string {
    const known = this.#hashes.get(path);
    if (known !== undefined) return known;
    const content = this.#read(path);
    const hash = content === undefined ? "missing" : hashOf([content]);
    this.#hashes.set(path, hash);
    return hash;
  }

  hasFolder(folder: string): boolean {
    return existsSync(join(this.#root, folder));
  }

  /** Of names and contents of all files below a folder. */
  folderHash(folder: string): string {
    const known = this.#folderHashes.get(folder);
    if (known !== undefined) return known;
    const hash = hashOf(this.#filesBelow(folder).flatMap((path) => [path, this.hash(path)]));
    this.#folderHashes.set(folder, hash);
    return hash;
  }

  #filesBelow(folder: string): string[] {
    const entries = readdirSync(join(this.#root, folder), { withFileTypes: true });
    const sorted = entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    return sorted.flatMap((entry) => {
      if (FOREIGN.has(entry.name)) return [];
      const path = folder === "." ? entry.name : `${folder}/${entry.name}`;
      return entry.isDirectory() ? this.#filesBelow(path) : [path];
    });
  }

  #read(path: string): Buffer | undefined {
    try {
      return readFileSync(join(this.#root, path));
    } catch {
      return undefined;
    }
  }
}

function hashOf(parts: readonly (string | Buffer)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex");
}
