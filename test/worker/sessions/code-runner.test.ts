import { env } from "cloudflare:workers";
import { describe, expect, inject, test } from "vitest";
import { openPage, type OpenOptions, type PageView } from "../../../src/content/page-view.ts";
import type { LoadedPage } from "../../../src/core/scrape/page.ts";
import { FairAdmission } from "../../../src/core/waits/fair-admission.ts";
import { HeldBytes } from "../../../src/core/waits/held-bytes.ts";
import { createDynamicWorkers } from "../../../src/platform/code-runner/dynamic-workers.ts";
import { createSandboxHostRunner } from "../../../src/platform/code-runner/sandbox-host.ts";
import type { CodeRunner } from "../../../src/ports/sessions/code-runner.ts";
import { pageReaderOf } from "../../../src/services/parse/read-page-apart.ts";
import { PAGES_APART } from "../../../src/services/parse/run-apart.ts";
import type { PageInput } from "../../../src/content/read-page-input.ts";
import { HOSTILE_PDFS } from "../../hostile/hostile-pdf.ts";
import { codeRunnerContract } from "../../contracts/code-runner.ts";

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

/** The loader of the configuration, with the code that it loads, the names of what is shared, and the options of each call. */
function watchedLoader() {
  const loaded: WorkerLoaderWorkerCode[] = [];
  const names: string[] = [];
  const calls: (WorkerStubEntrypointOptions | undefined)[] = [];
  const watched = (stub: WorkerStub): WorkerStub => {
    const getEntrypoint = (name?: string, options?: WorkerStubEntrypointOptions) => {
      calls.push(options);
      return stub.getEntrypoint(name, options);
    };
    return { getEntrypoint } as unknown as WorkerStub;
  };
  const loader = {
    load: (code: WorkerLoaderWorkerCode) => {
      loaded.push(code);
      return watched(loaderOf(env).load(code));
    },
    get: (name: string, code: () => Promise<WorkerLoaderWorkerCode>) => {
      names.push(name);
      return watched(
        loaderOf(env).get(name, async () => {
          const read = await code();
          loaded.push(read);
          return read;
        }),
      );
    },
  } as unknown as WorkerLoader;
  return { loaded, names, calls, loader };
}

codeRunnerContract("dynamic Workers", () => dynamicWorkers(loaderOf(env)));
codeRunnerContract("the sandbox host", sandboxHost);

test("dynamic Workers are loaded with limits, without a network and with the gate alone", async () => {
  const { loaded, calls, loader } = watchedLoader();
  const base = { runId: "r", sessionId: "s", program: "bash-runner", method: "command", input: undefined } as const;
  await dynamicWorkers(loader)
    .run({ ...base, limitMs: 5_000, limitMib: 512 }, () => Promise.reject(new Error("unused")))
    .catch(() => undefined);
  expect(loaded).toHaveLength(1);
  expect(loaded[0]).toMatchObject({ limits: { cpuMs: 30_000, subRequests: 50 }, globalOutbound: null });
  expect(calls).toEqual([{ limits: { cpuMs: 5_000 } }]);
  expect(Object.keys(loaded[0]?.env ?? {})).toEqual(["BROWSER"]);
});

test("each read in the shared isolate has its own limit of processor time, and the isolate the name of its program", async () => {
  const { loaded, calls, names, loader } = watchedLoader();
  const base = { runId: "r", sessionId: "pages", program: "page-reader", method: "read", input: {} } as const;
  const runner = dynamicWorkers(loader);
  const noBrowser = (): Promise<never> => Promise.reject(new Error("unused"));
  for (const limitMs of [300, 20_000, 60_000])
    await runner.run({ ...base, limitMs, limitMib: 512 }, noBrowser).catch(() => undefined);
  const shared = names.filter((name, at) => names.indexOf(name) === at);
  expect(shared).toEqual([expect.stringMatching(/^page-reader [0-9a-f]{64}$/)]);
  expect(loaded.map(({ limits }) => limits?.cpuMs)).toEqual(loaded.map(() => 30_000));
  const limits = calls.map((options) => options?.limits?.cpuMs ?? 0);
  expect(limits).toEqual(expect.arrayContaining([300, 20_000, 30_000]));
  expect(Math.max(...limits)).toBe(30_000);
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
])("a page whose shared isolate is ended $how is read in one of its own", async ({ said }) => {
  const stubOf = (run: () => Promise<unknown>) => ({ getEntrypoint: () => ({ read: run }) });
  const loader = {
    get: () => stubOf(() => Promise.reject(new Error(said))),
    load: () => stubOf(() => Promise.resolve("read")),
  } as unknown as WorkerLoader;
  const call = { program: "page-reader", method: "read", input: {} } as const;
  const run = { ...call, runId: "r", sessionId: "pages", limitMs: 5_000, limitMib: 512 };
  const ended = await dynamicWorkers(loader).run(run, () => Promise.reject(new Error("unused")));
  expect(ended).toEqual({ kind: "done", value: "read" });
});

/** A run of a caller's code whose process sends these frames at once, and the number of commands that reach its browser. */
function runSending(frames: Iterable<string>): { running: Promise<unknown>; counted: { commands: number } } {
  const { 0: service, 1: process } = new WebSocketPair();
  const counted = { commands: 0 };
  const openBrowser = (): Promise<Response> => {
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    server.addEventListener("message", () => counted.commands++);
    return Promise.resolve(new Response(null, { status: 101, webSocket: client }));
  };
  const host = createSandboxHostRunner({
    url: "http://host/secret",
    fetcher: () => Promise.resolve(new Response(null, { status: 101, webSocket: service })),
  });
  const base = { runId: "r", sessionId: "s", program: "node-runner", method: "run" } as const;
  const running = host.run({ ...base, input: {}, userCode: "1", limitMs: 10_000, limitMib: 512 }, openBrowser);
  process.accept();
  process.addEventListener("message", ({ data }) => {
    if (String(data).startsWith("run ")) process.send("open 1");
    if (data === "answer 1 101") for (const frame of frames) process.send(frame);
  });
  return { running, counted };
}

const commandsOf = (channel: number, count: number): string[] => Array<string>(count).fill(`data ${channel} {"id":1}`);

test("a process of the sandbox host may send thousands of commands", async () => {
  const { running, counted } = runSending([...commandsOf(1, 2_000), "done 1"]);
  expect(await running).toEqual({ kind: "done", value: 1 });
  await expect.poll(() => counted.commands).toBe(2_000);
});

test("a process of the sandbox host that sends tens of thousands of frames is stopped, wherever they lead", async () => {
  const { running } = runSending([...commandsOf(2, 20_000), "done 1"]);
  await expect(running).rejects.toThrow("It sends more messages than the service reads");
});

test("an outcome of more values than outcomes have is not parsed", async () => {
  const outcome = `{"result":[${"[],".repeat(1_000)}[]]}`;
  await expect(runSending([`done ${outcome}`]).running).rejects.toThrow("more values than the service reads");
});

const CLEAN = { onlyMainContent: true, includeTags: [], excludeTags: [] };
const MARKDOWN = { name: "markdown", removeBase64Images: true } as const;
const OWNER = { teamId: "t", keyId: "k" };

function loadedPage(body: Uint8Array, about: { url: string; contentType: string }): LoadedPage {
  return { engine: "fetch", statusCode: 200, headers: {}, ...about, body, warnings: [] };
}

const url = "https://example.com/a.pdf";
const open: OpenOptions = { clean: CLEAN, pdf: {}, bytesOnly: false, parts: [MARKDOWN] };

/** A page of two million bytes, whose Markdown and HTML are longer, and what they are when the page is read here. */
const cells = {
  page: (): LoadedPage => {
    const body = new TextEncoder().encode(`<table>${"<tr><td>x".repeat(2_000_000 / 9)}`);
    return loadedPage(body, { url, contentType: "text/html" });
  },
  options: { ...open, parts: [MARKDOWN, { name: "html" }] } satisfies OpenOptions,
  here: undefined as Promise<{ markdown: string; html: string }> | undefined,
};

function cellsReadHere(): Promise<{ markdown: string; html: string }> {
  cells.here ??= openPage(cells.page(), cells.options).then((view) => ({
    markdown: view.markdown(MARKDOWN),
    html: view.html(),
  }));
  return cells.here;
}

describe.each([
  { where: "dynamic Workers", makeRunner: () => dynamicWorkers(loaderOf(env)) },
  { where: "the sandbox host", makeRunner: sandboxHost },
])("pages in $where", ({ where, makeRunner }) => {
  const [tagsOfFirst, tagsOfSecond]: "long"[][] = where === "dynamic Workers" ? [[], ["long"]] : [["long"], []];
  const PLAIN_PDF =
    "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj 4 0 obj<</Length 44>>stream\nBT /F 12 Tf 20 50 Td (Read apart) Tj ET     \nendstream endobj 5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj trailer<</Root 1 0 R>>";

  /** Opens a page in the runner. @throws Error when it was read here */
  async function openApart(page: LoadedPage, options = open): Promise<PageView> {
    const ends: string[] = [];
    const runner = makeRunner();
    const run: CodeRunner["run"] = async (...call) => {
      const ended = await runner.run(...call);
      ends.push(ended.kind === "done" ? "done" : ended.reason);
      return ended;
    };
    const turns = new FairAdmission({ ...PAGES_APART, isProcessorBusy: () => true });
    const readApart = pageReaderOf(
      { runner: { ...runner, run }, turns, waiting: new HeldBytes(), defer: () => undefined, log: () => undefined },
      OWNER,
    );
    const view = await openPage(page, { ...options, readApart });
    if (ends.join() !== "done") throw new Error(`The page was read here, or again: ${ends.join()}`);
    return view;
  }

  const pdf = (bytes: Uint8Array): LoadedPage => loadedPage(bytes, { url, contentType: "application/pdf" });

  // What a call does not carry at once takes several messages too.
  test("are read as they are here, also those that take several messages", { tags: tagsOfFirst }, async () => {
    const bytes = new Uint8Array(20_000_000);
    bytes.set(new TextEncoder().encode(PLAIN_PDF));
    const view = await openApart(pdf(bytes.slice(0, PLAIN_PDF.length)));
    expect(view.document).toEqual((await openPage(pdf(bytes.slice(0, PLAIN_PDF.length)), open)).document);
    expect(view.markdown(MARKDOWN)).toContain("Read apart");
    expect((await openApart(pdf(bytes))).markdown(MARKDOWN)).toContain("Read apart");
  });

  test("are 2 MB of cells", { tags: tagsOfFirst, timeout: 60_000 }, async () => {
    const view = await openApart(cells.page(), cells.options);
    const here = await cellsReadHere();
    expect(view.markdown(MARKDOWN) === here.markdown).toBe(true);
    expect(view.html() === here.html).toBe(true);
  });

  test("of more bytes than a call carries are read", { tags: tagsOfSecond, timeout: 60_000 }, async () => {
    const bytes = new Uint8Array(34_000_000);
    bytes.set(new TextEncoder().encode(PLAIN_PDF));
    expect((await openApart(pdf(bytes))).markdown(MARKDOWN)).toContain("Read apart");
  });

  test("are read in part when their time is over", async () => {
    const call = { program: "page-reader", method: "read", sessionId: "pages", runId: "late" } as const;
    const bytes = new Uint8Array(HOSTILE_PDFS["n words all over a page"](5_000));
    const limits = { steps: 40_000_000, bytes: 100_000_000, timeMs: 0 };
    const page = { url, contentType: "application/pdf" };
    const input: PageInput = {
      page,
      body: bytes,
      isText: false,
      clean: CLEAN,
      pdf: {},
      parts: [],
      isStreamed: false,
      limits,
    };
    const run = { ...call, limitMs: 20_000, limitMib: 512, input };
    const ended = await makeRunner().run(run, () => Promise.reject(new Error("unused")));
    const value = ended.kind === "done" ? (ended.value as { document?: { warning?: string } }) : undefined;
    expect(value?.document?.warning).toContain("takes more work than this service allows");
  });

  test("that are damaged fail with the code of their reader", async () => {
    const contentType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    const reading = openApart(loadedPage(new TextEncoder().encode("PK no zip"), { url, contentType }));
    await expect(reading).rejects.toMatchObject({ code: "SCRAPE_DOCUMENT_PREFETCH_FAILED" });
  });
});
