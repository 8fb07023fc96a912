import { isAbsolute, relative, resolve, sep } from "node:path";
import { build } from "esbuild";
import type { Metafile, Plugin } from "esbuild";

/** The imports of one module. Files are paths below the root with slashes; dynamic imports and JSON are among them. */
export interface Imports {
  files: readonly string[];
  /** Packages and Node's own modules, as they are named. */
  outside: readonly string[];
}

/** A file without imports. It may be missing: build outputs do not exist before the build. */
const LEAF = /\.(?:bin|css|html|md|sql|svg|txt|wasm)$|\?/;

/**
 * The imports of the entries (paths below the root) and of all modules that they reach, by path.
 * Throws when a module cannot be read, or imports code that is not there.
 */
export async function importGraph(root: string, entries: readonly string[]): Promise<Map<string, Imports>> {
  const { metafile } = await build({
    // One module that imports all: with an output for each of the entries, esbuild would take five times as long.
    stdin: { contents: entries.map((entry) => `import ${JSON.stringify(`./${entry}`)};`).join("\n"), resolveDir: root },
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "silent",
    plugins: [leaves],
  });
  return new Map(Object.entries(metafile.inputs).map(([file, { imports }]) => [file, toImports(imports, root)]));
}

const leaves: Plugin = {
  name: "leaves",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) =>
      LEAF.test(path) ? { path: resolve(resolveDir, path.replace(/\?.*$/, "")), external: true } : undefined,
    ),
};

function toImports(imports: Metafile["inputs"][string]["imports"], root: string): Imports {
  const isOutside = ({ path, external }: (typeof imports)[number]): boolean => external === true && !isAbsolute(path);
  const below = (path: string): string => (isAbsolute(path) ? relative(root, path).split(sep).join("/") : path);
  return {
    files: imports.filter((one) => !isOutside(one)).map(({ path }) => below(path)),
    outside: imports.filter(isOutside).map(({ path }) => path),
  };
}
