import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

/** A page of the labelled set, which is outside of the repository. */
export interface LabelledPage {
  url: string;
  html: string;
  /** Kind of page, such as `article`; the name of its source where that has none. */
  kind: string;
}

const JSON_LINES: readonly [string, string][] = [
  ...["fundus", "postlight", "newspaper", "magic-article", "magic-forum", "readability", "defuddle"].map(
    (name): [string, string] => [name, `main-content-extra/${name}.jsonl.gz`],
  ),
  ["segments", "segments-dev/pages.jsonl.gz"],
];

interface Row {
  url: string;
  html?: string;
  htmlBase64?: string;
  type?: string;
}

/** Reads the pages with these addresses, or all, from a folder of the labelled set. */
export function* readLabelledPages(folder: string, urls?: ReadonlySet<string>): Generator<LabelledPage> {
  const index = JSON.parse(readFileSync(join(folder, "wcxb-dev/index.json"), "utf8")) as
    | { id: string; url: string; type: string }[]
    | Record<string, { url: string; type: string }>;
  const rows = Array.isArray(index) ? index : Object.entries(index).map(([id, row]) => ({ id, ...row }));
  for (const { id, url, type } of rows) {
    if (urls !== undefined && !urls.has(url)) continue;
    const html = brotliDecompressSync(readFileSync(join(folder, `wcxb-dev/html/${id}.html.br`))).toString();
    yield { url, html, kind: type };
  }
  for (const [source, file] of JSON_LINES) {
    for (const line of gunzipSync(readFileSync(join(folder, file)))
      .toString()
      .split("\n")) {
      if (line === "") continue;
      const { url, html, htmlBase64 = "", type } = JSON.parse(line) as Row;
      if (urls !== undefined && !urls.has(url)) continue;
      yield { url, html: html ?? Buffer.from(htmlBase64, "base64").toString(), kind: type ?? source };
    }
  }
}
