import { globSync } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { escapeHtml, renderDoc, type RenderedDoc } from "./docs-markdown.ts";
import { withEsbuild } from "../build/with-esbuild.ts";
import { PROJECT_ROOT } from "../service/wrangler.ts";

export const DOCS_SOURCE = join(PROJECT_ROOT, "src", "docs");
const PAGE_SOURCE = join(PROJECT_ROOT, "src", "ui", "docs");
/** The document whose list of links is the navigation of all pages. */
const INDEX = "index";

/**
 * Renders the documents of `src/docs` and its folders to static pages below `docs/` of the assets, with one script, one style sheet and the index that
 * the script searches. The Worker serves them at `/docs/NAME`.
 *
 * @param outDir the folder of the static assets.
 */
export async function buildDocs(outDir: string): Promise<void> {
  const folder = join(outDir, "docs");
  await mkdir(folder, { recursive: true });
  const pages = await readDocs();
  const navigation = navigationOf(pages.get(INDEX));
  for (const [name, page] of pages) {
    await writeFile(join(folder, `${name}.html`), pageHtml(name, page, navigation));
  }
  await writeFile(join(folder, "search.json"), JSON.stringify(searchEntries(pages)));
  await copyFile(join(PAGE_SOURCE, "docs.css"), join(folder, "docs.css"));
  await bundleScript(join(folder, "docs.js"));
}

/** Every document by its name, without `.md`. */
export async function readDocs(): Promise<Map<string, RenderedDoc>> {
  const files = globSync("**/*.md", { cwd: DOCS_SOURCE }).toSorted(byName);
  const pages = files.map(async (file): Promise<[string, RenderedDoc]> => [
    basename(file, ".md"),
    renderDoc(await readFile(join(DOCS_SOURCE, file), "utf8")),
  ]);
  return new Map(await Promise.all(pages));
}

/** Orders files by their names, whatever folder they are in. Names are unique: the service serves all in one folder. */
function byName(one: string, other: string): number {
  return basename(one) < basename(other) ? -1 : 1;
}

/** The groups of links of the index: its headings of the second level, and the lists below them. */
function navigationOf(index: RenderedDoc | undefined): string {
  const html = index?.html ?? "";
  const groups = [...html.matchAll(/<h2 id="[^"]*">(.*?) <a class="anchor".*?<\/h2>\s*<ul>(.*?)<\/ul>/gs)];
  return groups
    .map(([, heading = "", list = ""]) => {
      const links = [...list.matchAll(/<a href="(?:[^"]*)">.*?<\/a>/gs)].map(([link]) => `<li>${link}</li>`);
      return `<p>${heading}</p><ul>${links.join("")}</ul>`;
    })
    .join("\n");
}

function pageHtml(name: string, { title, html }: RenderedDoc, navigation: string): string {
  const own = `/docs/${name === INDEX ? "" : name}`;
  const marked = navigation.replace(`<a href="${own}">`, `<a href="${own}" aria-current="page">`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>${escapeHtml(title)} · Orbweaver</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <link rel="icon" href="/assets/favicon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/docs/docs.css" />
    <script src="/docs/docs.js" defer></script>
  </head>
  <body>
    <header>
      <a class="home" href="/docs/">Orbweaver docs</a>
      <search>
        <label for="query">Search</label>
        <input id="query" type="search" placeholder="Search the documentation" autocomplete="off" />
      </search>
      <a href="/docs">API reference</a>
      <a href="/">Dashboard</a>
    </header>
    <div class="columns">
      <details class="navigation" open>
        <summary>Contents</summary>
        <nav aria-label="Documentation">${marked}</nav>
      </details>
      <main>
        <section id="results" aria-live="polite" hidden></section>
        <article>${html}</article>
      </main>
    </div>
  </body>
</html>
`;
}

/** In the form that `src/ui/docs/find-sections.ts` reads. */
function searchEntries(pages: ReadonlyMap<string, RenderedDoc>) {
  return [...pages].flatMap(([name, { title, sections }]) =>
    name === INDEX ? [] : sections.map(({ heading, anchor, text }) => ({ name, title, heading, anchor, text })),
  );
}

async function bundleScript(outfile: string): Promise<void> {
  const entry = join(PAGE_SOURCE, "docs-page.ts");
  await withEsbuild(({ build }) =>
    build({ entryPoints: [entry], outfile, bundle: true, minify: true, format: "iife", target: "es2022" }),
  );
}
