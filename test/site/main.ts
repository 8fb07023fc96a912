import { parseArgs } from "node:util";
import { startSite } from "./start-site.ts";
import type { SiteOptions } from "./start-site.ts";

const USAGE = `Serves the test site on 127.0.0.1.
  --port 8900        port of the site (0: any free one)
  --other-port 0     port of the second origin
  --robots normal    normal | missing | error | disallow-all
  --sitemap normal   normal | index | broken | missing
  --tree-pages 2000  pages below /tree/
All routes: /__routes. Counters: /__hits, /__requests, /__reset.`;

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "8900" },
    "other-port": { type: "string", default: "0" },
    robots: { type: "string", default: "normal" },
    sitemap: { type: "string", default: "normal" },
    "tree-pages": { type: "string", default: "2000" },
    help: { type: "boolean", default: false },
  },
});

function oneOf<const T extends string>(flag: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((word) => word === value);
  if (found === undefined) throw new Error(`--${flag} takes ${allowed.join(", ")}; not "${value}"`);
  return found;
}

function wholeNumber(flag: string, value: string): number {
  if (!/^\d+$/.test(value)) throw new Error(`--${flag} takes a number; not "${value}"`);
  return Number(value);
}

function readOptions(): SiteOptions {
  return {
    port: wholeNumber("port", values.port),
    otherPort: wholeNumber("other-port", values["other-port"]),
    robots: oneOf("robots", values.robots, ["normal", "missing", "error", "disallow-all"]),
    sitemap: oneOf("sitemap", values.sitemap, ["normal", "index", "broken", "missing"]),
    treePages: wholeNumber("tree-pages", values["tree-pages"]),
  };
}

if (values.help) console.log(USAGE);
else {
  const site = await startSite(readOptions());
  console.log(`Test site at ${site.url} (second origin ${site.otherUrl}); routes at ${site.url}/__routes`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void site.close());
}
