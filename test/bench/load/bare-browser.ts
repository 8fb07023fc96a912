import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findInstalledBrowser } from "../../../src/tools/browser/installed-browser.ts";
import { ProcessFamily } from "../../../src/tools/process/process-family.ts";

export interface BareBrowser {
  /** Its DevTools endpoint, over WebSocket. */
  address: string;
  /** Opens a tab, loads the page until `marker` stands in its text, reads its HTML and closes the tab. @returns milliseconds */
  load(url: string, marker: string): Promise<number>;
  close(): Promise<void>;
}

interface ProtocolResponse {
  id?: number;
  result?: Record<string, unknown>;
  error?: { message: string };
}
type Call = (method: string, params?: object, sessionId?: string) => Promise<Record<string, unknown>>;

const START_TIMEOUT_MS = 30_000;

/** A warm Chromium, driven directly: what a browser page costs before any service adds to it. undefined without one. */
export async function startBareBrowser(): Promise<BareBrowser | undefined> {
  const executable = await findInstalledBrowser();
  if (executable === undefined) return undefined;
  const profile = await mkdtemp(join(tmpdir(), "bare-browser-"));
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0"];
  const child = spawn(executable, [...flags, `--user-data-dir=${profile}`, "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const family = new ProcessFamily(child.pid ?? 0);
  const close = async (): Promise<void> => {
    family.kill();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const address = await new Promise<string>((resolve, reject) => {
      setTimeout(() => reject(new Error(`${executable} did not start`)), START_TIMEOUT_MS).unref();
      createInterface({ input: child.stderr }).on("line", (line) => {
        const found = /DevTools listening on (ws:\S+)/.exec(line)?.[1];
        if (found !== undefined) resolve(found);
      });
    });
    const call = await connect(address);
    return { address, load: (url, marker) => loadPage(call, url, marker), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function loadPage(call: Call, url: string, marker: string): Promise<number> {
  const startedAt = performance.now();
  const { targetId } = await call("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await call("Target.attachToTarget", { targetId, flatten: true });
  const session = String(sessionId);
  await call("Page.navigate", { url }, session);
  const expression = `new Promise((done) => {
    const look = () => document.readyState === "complete" && document.body.innerText.includes(${JSON.stringify(marker)})
      ? done(document.documentElement.outerHTML) : setTimeout(look, 2);
    look();
  })`;
  await call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true }, session);
  const ms = performance.now() - startedAt;
  await call("Target.closeTarget", { targetId });
  return ms;
}

/** The Chrome DevTools Protocol: numbered calls, answered in any order, over one socket for all tabs. */
async function connect(address: string): Promise<Call> {
  const socket = new WebSocket(address);
  await new Promise((open, failed) => {
    socket.addEventListener("open", open, { once: true });
    socket.addEventListener("error", failed, { once: true });
  });
  const waiting = new Map<
    number,
    (answer: { result?: Record<string, unknown>; error?: { message: string } }) => void
  >();
  socket.addEventListener("message", (event) => {
    const answer = JSON.parse(String(event.data)) as ProtocolResponse;
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  });
  let lastId = 0;
  return (method, params = {}, sessionId) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, ({ result, error }) => {
        waiting.delete(id);
        if (error === undefined) resolve(result ?? {});
        else reject(new Error(`${method}: ${error.message}`));
      });
      socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
    });
}
