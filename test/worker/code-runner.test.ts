import { env } from "cloudflare:workers";
import { describe, expect, inject, test } from "vitest";
import { readDocument } from "../../src/content/documents/read-document.ts";
import { createDynamicWorkers } from "../../src/platform/code-runner/dynamic-workers.ts";
import { createSandboxHostRunner } from "../../src/platform/code-runner/sandbox-host.ts";
import type { CodeRunner } from "../../src/ports/sessions/code-runner.ts";
import { documentReaderOf } from "../../src/services/parse/read-document-apart.ts";
import { HOSTILE_PDFS } from "../hostile/hostile-pdf.ts";
import { codeRunnerContract } from "../contracts/code-runner.ts";

function dynamicWorkers(loader: WorkerLoader): CodeRunner {
  const assets = env.ASSETS;
  if (assets === undefined) throw new Error("The configuration has no assets");
  // Assets answer nobody a browser, which is all that the gate is asked for here.
  return createDynamicWorkers({ loader, assets, browser: assets });
}

function loaderOf({ LOADER }: typeof env): WorkerLoader {
  if (LOADER === undefined) throw new Error("The configuration has no worker loader");
  return LOADER;
}

function sandboxHost(): CodeRunner {
  return createSandboxHostRunner({ url: inject("sandboxUrl"), fetcher: (url, init) => fetch(url, init) });
}

codeRunnerContract("dynamic Workers", () => dynamicWorkers(loaderOf(env)));
codeRunnerContract("the sandbox host", sandboxHost);

test("dynamic Workers are loaded with limits, without a network and with the gate alone", async () => {
  const loaded: WorkerLoaderWorkerCode[] = [];
  const watched = {
    load: (code: WorkerLoaderWorkerCode) => {
      loaded.push(code);
      return loaderOf(env).load(code);
    },
  } as unknown as WorkerLoader;
  const base = { runId: "r", sessionId: "s", program: "bash-runner", method: "command", input: undefined } as const;
  await dynamicWorkers(watched)
    .run({ ...base, limitMs: 5_000, limitMib: 512 }, () => Promise.reject(new Error("unused")))
    .catch(() => undefined);
  expect(loaded).toHaveLength(1);
  expect(loaded[0]).toMatchObject({ limits: { cpuMs: 5_000, subRequests: 50 }, globalOutbound: null });
  expect(Object.keys(loaded[0]?.env ?? {})).toEqual(["BROWSER"]);
});

test.each([
  { said: "Worker exceeded CPU time limit.", reason: "time" },
  { said: "Worker exceeded memory limit.", reason: "memory" },
])("what the platform says of a limit is read as $reason", async ({ said, reason }) => {
  const failing = {
    load: () => ({ getEntrypoint: () => ({ run: () => Promise.reject(new Error(said)) }) }),
  } as unknown as WorkerLoader;
  const run = {
    runId: "r",
    sessionId: "s",
    program: "bash-runner",
    method: "run",
    input: {},
    limitMs: 5_000,
    limitMib: 512,
  } as const;
  const ended = await dynamicWorkers(failing).run(run, () => Promise.reject(new Error("unused")));
  expect(ended).toEqual({ kind: "stopped", reason });
});

test.each([
  { how: "at a limit", said: "Worker exceeded CPU time limit." },
  { how: "for another reason", said: "internal error; reference = 0" },
])("a document whose shared isolate is ended $how is read in one of its own", async ({ said }) => {
  const stubOf = (run: () => Promise<unknown>) => ({ getEntrypoint: () => ({ read: run }) });
  const loader = {
    get: () => stubOf(() => Promise.reject(new Error(said))),
    load: () => stubOf(() => Promise.resolve("read")),
  } as unknown as WorkerLoader;
  const call = { program: "document-reader", method: "read", input: {} } as const;
  const run = { ...call, runId: "r", sessionId: "documents", limitMs: 5_000, limitMib: 512 };
  const ended = await dynamicWorkers(loader).run(run, () => Promise.reject(new Error("unused")));
  expect(ended).toEqual({ kind: "done", value: "read" });
});

describe.each([
  { where: "dynamic Workers", makeRunner: () => dynamicWorkers(loaderOf(env)) },
  { where: "the sandbox host", makeRunner: sandboxHost },
])("documents in $where", ({ makeRunner }) => {
  const PLAIN_PDF =
    "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj 4 0 obj<</Length 44>>stream\nBT /F 12 Tf 20 50 Td (Read apart) Tj ET     \nendstream endobj 5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj trailer<</Root 1 0 R>>";
  const source = { contentType: "application/pdf", url: "https://example.com/a.pdf" };

  test("are read as they are here, also those that take several messages", async () => {
    const bytes = new Uint8Array(20_000_000);
    bytes.set(new TextEncoder().encode(PLAIN_PDF));
    const ends: string[] = [];
    const runner = makeRunner();
    const watched: CodeRunner = {
      ...runner,
      run: async (...run) => {
        const ended = await runner.run(...run);
        ends.push(ended.kind);
        return ended;
      },
    };
    const content = await documentReaderOf(watched, () => undefined)("pdf", bytes.slice(0, PLAIN_PDF.length), source);
    expect(content).toEqual(await readDocument("pdf", bytes.slice(0, PLAIN_PDF.length), source));
    expect(content.markdown).toContain("Read apart");
    expect((await documentReaderOf(watched, () => undefined)("pdf", bytes, source)).markdown).toContain("Read apart");
    // Otherwise it was read here after all.
    expect(ends).toEqual(["done", "done"]);
  });

  test("are read in part when their time is over", async () => {
    const call = { program: "document-reader", method: "read", sessionId: "documents", runId: "late" } as const;
    const bytes = new Uint8Array(HOSTILE_PDFS["n words all over a page"](5_000));
    const limits = { steps: 40_000_000, bytes: 100_000_000, timeMs: 0 };
    const run = { ...call, limitMs: 20_000, limitMib: 512, input: { kind: "pdf", bytes, source, limits } };
    const ended = await makeRunner().run(run, () => Promise.reject(new Error("unused")));
    const value = ended.kind === "done" ? (ended.value as { content?: { warning?: string } }) : undefined;
    expect(value?.content?.warning).toContain("takes more work than this service allows");
  });

  test("that are damaged fail with the code of their reader", async () => {
    const reading = documentReaderOf(makeRunner(), () => undefined)(
      "docx",
      new TextEncoder().encode("PK no zip"),
      source,
    );
    await expect(reading).rejects.toMatchObject({ code: "SCRAPE_DOCUMENT_PREFETCH_FAILED" });
  });
});
