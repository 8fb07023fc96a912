import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CodeEnd, CodeRun } from "../../../../src/core/sessions/code-run.ts";
import type { LogEvent } from "../../../../src/core/text/redact.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import type { CodeRunner } from "../../../../src/ports/sessions/code-runner.ts";
import { documentReaderOf } from "../../../../src/services/parse/read-document-apart.ts";

const DOCX = new Uint8Array(readFileSync(join(import.meta.dirname, "../../../fixtures/documents/sample.docx")));
const SOURCE = { contentType: undefined, url: "https://example.com/a" };

/** A reader with a scripted runner. */
function readerWith(run: (run: CodeRun) => Promise<CodeEnd>, log: (event: LogEvent) => void = () => undefined) {
  const nothing = () => Promise.resolve();
  const runner: CodeRunner = { run, warmUp: nothing, forget: nothing };
  return documentReaderOf(runner, log);
}

describe("documents", () => {
  test("are handed over with what is left of the budget, which then counts what was spent", async () => {
    const budget = new WorkBudget({ steps: 1_000, bytes: 5_000 });
    budget.take(100);
    const runs: CodeRun[] = [];
    const content = { markdown: "# Read", metadata: {} };
    const read = readerWith((run) => {
      runs.push(run);
      const spent = { steps: 300, bytes: 4_000, cut: ["tables"] };
      return Promise.resolve({ kind: "done", value: { kind: "read", content, spent } });
    });
    expect(await read("docx", DOCX, { ...SOURCE, budget })).toEqual(content);
    expect(runs[0]).toMatchObject({
      program: "document-reader",
      input: { kind: "docx", bytes: DOCX, source: SOURCE, limits: { steps: 900, bytes: 5_000, timeMs: 20_000 } },
    });
    expect(budget.left).toEqual({ steps: 600, bytes: 1_000 });
    expect(budget.warning).toContain("tables");
  });

  test("that cannot be read fail with the reader's own code", async () => {
    const spent = { steps: 1, bytes: 1, cut: [] };
    const value = { kind: "failed", code: "SCRAPE_PDF_PREFETCH_FAILED", message: "Damaged", spent };
    const read = readerWith(() => Promise.resolve({ kind: "done", value }));
    const reading = read("pdf", new Uint8Array(), SOURCE);
    await expect(reading).rejects.toMatchObject({ code: "SCRAPE_PDF_PREFETCH_FAILED", message: "Damaged" });
  });

  test.each([
    { reason: "time", code: "SCRAPE_WORK_LIMIT", runs: 1 },
    { reason: "memory", code: "SCRAPE_WORK_LIMIT", runs: 1 },
    { reason: "crash", code: "SCRAPE_WORK_LIMIT", runs: 2 },
    { reason: "busy", code: "SERVICE_UNAVAILABLE", runs: 1 },
  ] as const)("that end by $reason are refused, and not read here", async ({ reason, code, runs }) => {
    const seen: string[] = [];
    const read = readerWith((run) => {
      seen.push(run.runId);
      return Promise.resolve({ kind: "stopped", reason });
    });
    await expect(read("docx", DOCX, SOURCE)).rejects.toMatchObject({ code });
    expect(new Set(seen).size).toBe(runs);
  });

  test("whose process was ended from outside are read by another", async () => {
    const spent = { steps: 1, bytes: 1, cut: [] };
    const content = { markdown: "# Read", metadata: {} };
    const ends: CodeEnd[] = [
      { kind: "stopped", reason: "crash" },
      { kind: "done", value: { kind: "read", content, spent } },
    ];
    const read = readerWith(() => Promise.resolve(ends.shift() ?? { kind: "stopped", reason: "busy" }));
    expect(await read("docx", DOCX, SOURCE)).toEqual(content);
  });

  test("are read here when the deployment has no runner", async () => {
    const read = documentReaderOf(undefined, () => undefined);
    expect((await read("docx", DOCX, SOURCE)).markdown).toContain("| Apples \\| red | 12 |");
  });

  test.each([
    { why: "the runner fails", run: () => Promise.reject(new Error("The isolate is gone")) },
    { why: "its response has no known form", run: () => Promise.resolve({ kind: "done", value: undefined } as const) },
    {
      why: "its error has no known code",
      run: () => {
        const spent = { steps: 1, bytes: 1, cut: [] };
        return Promise.resolve({ kind: "done", value: { kind: "failed", code: "ODD", message: "", spent } } as const);
      },
    },
  ])("are refused and logged without their content when $why", async ({ run }) => {
    const lines: LogEvent[] = [];
    const read = readerWith(run, (event) => lines.push(event));
    await expect(read("docx", DOCX, SOURCE)).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(lines).toEqual([
      {
        event: "document_reader_failed",
        kind: "docx",
        bytes: DOCX.byteLength,
        message: expect.stringMatching(/^Error/),
      },
    ]);
  });

  test("that are texts are read here", async () => {
    const read = readerWith(() => Promise.reject(new Error("Not asked")));
    expect((await read("csv", new TextEncoder().encode("a,b\n1,2\n"), SOURCE)).markdown).toContain("| 1 | 2 |");
  });
});
