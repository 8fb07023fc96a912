/** Time in ms by size of hostile pages, for each kind of nesting and repetition. */
import { openPage } from "../../src/content/page-view.ts";
import { NESTED, REPEATED } from "../growing-inputs.ts";
import { given } from "../fakes/given.ts";

const SIZES = [10, 100, 1_000, 10_000];
const [only = ""] = process.argv.slice(2);
if (only === "--help") {
  console.log("npm run bench -- growth [part of a name]\n\nReads each hostile page as markdown, HTML and data.");
  process.exit(0);
}

async function read(body: string): Promise<{ ms: number; steps: number }> {
  const start = performance.now();
  let steps = 0;
  for (const onlyMainContent of [true, false]) {
    const loaded = { engine: "fetch" as const, url: "https://a.example/", statusCode: 200, headers: {}, contentType: "text/html", body, warnings: [] }; // prettier-ignore
    const page = await openPage(loaded, { clean: { onlyMainContent, includeTags: [], excludeTags: [] }, pdf: undefined, bytesOnly: false }); // prettier-ignore
    page.markdown({ removeBase64Images: true });
    page.html();
    page.links();
    page.structured?.();
    steps += page.budget.steps;
  }
  return { ms: performance.now() - start, steps };
}

const inputs = [
  ...Object.entries(NESTED).map(([name, tags]) => ({
    name: `levels of ${name}`,
    write: (n: number) => tags.repeat(n),
  })),
  ...Object.entries(REPEATED).map(([name, write]) => ({ name, write })),
].filter(({ name }) => name.includes(only));

await read(given(REPEATED["paragraphs"])(1_000)); // What is compiled once is no part of the figures.
console.log(`${"ms by size".padEnd(34)}${SIZES.map((size) => String(size).padStart(9)).join("")}       steps`);
for (const { name, write } of inputs) {
  const results = [];
  for (const size of SIZES) results.push(await read(write(size)));
  const times = results.map(({ ms }) => ms.toFixed(1).padStart(9)).join("");
  console.log(`${name.padEnd(34)}${times}${String(results.at(-1)?.steps ?? 0).padStart(12)}`);
}
