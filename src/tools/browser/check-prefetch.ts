import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const START_TIMEOUT_MS = 30_000;
/** Time from the page's rules to its load event, in which prefetches begin. */
const WATCH_MS = 700;
const RULES = JSON.stringify({
  prefetch: [{ urls: ["/prefetched"], eagerness: "immediate" }],
  prerender: [{ urls: ["/prerendered"], eagerness: "immediate" }],
});
const PAGE = `<!doctype html><title>Rules</title><script type="speculationrules">${RULES}</script><img src="/slow">`;

/**
 * Reports whether a browser loads what the speculation rules of a page name, by giving it such a page.
 * @param executable its program, or a script that starts it.
 * @throws Error when it does not load the page.
 */
export async function prefetchesPages(executable: string): Promise<boolean> {
  const asked = new Set<string>();
  const server = createServer(({ url = "" }, response) => {
    asked.add(url);
    response.setHeader("Content-Type", "text/html");
    if (url === "/slow") setTimeout(() => response.end(), WATCH_MS);
    else response.end(url === "/" ? PAGE : "");
  });
  const profile = await mkdtemp(join(tmpdir(), "check-prefetch-"));
  try {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`, "--dump-dom"];
    // The launcher adds to this one, as to that of the browser binding.
    const words = [...flags, "--disable-features=None", `http://127.0.0.1:${port}/`];
    await run(executable, words, { timeout: START_TIMEOUT_MS });
    if (!asked.has("/slow")) throw new Error(`${executable} did not load a page`);
    return asked.has("/prefetched") || asked.has("/prerendered");
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
