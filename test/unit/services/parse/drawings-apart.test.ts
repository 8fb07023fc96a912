import { expect, test } from "vitest";
import { openPage } from "../../../../src/content/page-view.ts";
import { readPageInput, type PageInput } from "../../../../src/content/read-page-input.ts";
import type { CodeEnd, CodeRun } from "../../../../src/core/sessions/code-run.ts";
import { FairAdmission } from "../../../../src/core/waits/fair-admission.ts";
import { HeldBytes } from "../../../../src/core/waits/held-bytes.ts";
import { pageReaderOf } from "../../../../src/services/parse/read-page-apart.ts";
import { PAGES_APART } from "../../../../src/services/parse/run-apart.ts";

test.each([
  { what: "large", filler: "<g/>".repeat(25_000), steps: {}, runs: 1 },
  {
    what: "costly",
    filler: `<g style="${"a".repeat(2_000)}"><g/></g>`.repeat(20),
    steps: { stepsHere: 3_000 },
    runs: 1,
  },
  { what: "small", filler: "", steps: { stepsHere: 3_000 }, runs: 0 },
])("a drawing that is $what is read apart $runs times, with the same text", async ({ filler, steps, runs }) => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg"><text x="1" y="20">Quay</text>${filler}</svg>`;
  const read: CodeRun[] = [];
  const run = async (each: CodeRun): Promise<CodeEnd> => {
    read.push(each);
    return { kind: "done", value: JSON.parse(JSON.stringify(await readPageInput(each.input as PageInput))) as unknown };
  };
  const turns = new FairAdmission({ ...PAGES_APART, isProcessorBusy: () => true });
  const tools = { runner: { run }, turns, waiting: new HeldBytes(), defer: () => undefined, log: () => undefined };
  const view = await openPage(
    {
      engine: "fetch",
      url: "https://shop.example/plan.svg",
      statusCode: 200,
      headers: {},
      contentType: "image/svg+xml",
      body: new TextEncoder().encode(svg),
      warnings: [],
    },
    {
      clean: { onlyMainContent: true, includeTags: [], excludeTags: [] },
      pdf: undefined,
      bytesOnly: false,
      pictures: true,
      readApart: pageReaderOf(tools, { teamId: "t", keyId: "k" }),
      ...steps,
    },
  );
  expect(view.markdown({ removeBase64Images: true })).toBe("Quay");
  expect(read).toHaveLength(runs);
});
