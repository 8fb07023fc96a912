import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { vi } from "vitest";
import { call, sitePage } from "../client.ts";
import { inject } from "../inject.ts";
import { makeKey } from "../account/make-key.ts";

/** Shows that a text of a payload is on the screen. */
export const MARK = "zqhostile";
/** Runs a script in every way in which HTML, SVG and URLs do, should the text be taken for markup. */
export const PAYLOAD = [
  `${MARK}"'>`,
  '<x-hostile onfocus="window.ran=1" tabindex=0 autofocus></x-hostile>',
  '<img src="x-hostile" onerror="window.ran=2">',
  "<svg onload=window.ran=3></svg>",
  "<script>window.ran=4</script>",
  "</textarea></title></style></script><script>window.ran=5</script>",
  "{{constructor.constructor('window.ran=6')()}}${window.ran=7}",
].join("");
export const SCRIPT_URL = `javascript:window.ran='url'//${MARK}`;

/**
 * Reports scripts of a payload that run, and those that only the policy of the page has stopped. Chromium also reports
 * handlers that DOMPurify parses, in a document where no script runs: these are not counted.
 */
export const WATCH = `(() => {
  Object.defineProperty(window, "ran", { set: (by) => console.log("HOSTILE ran " + by) });
  document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sourceFile }) => {
    const isParsed = effectiveDirective === "script-src-attr" && /\\/assets\\/purify\\.[^/]*$/.test(sourceFile);
    if (effectiveDirective.startsWith("script") && !isParsed) console.log("HOSTILE stopped by the policy: " + blockedURI);
  });
})()`;

/** Lists markup of a payload in the document, which would run where a policy does not stop it. */
export const LIST_MARKUP = `[...document.querySelectorAll("*")].flatMap((element) => {
  const isOpen = element.localName === "iframe" && element.srcdoc && !element.hasAttribute("sandbox");
  const isOurs = isOpen || element.localName === "x-hostile" || element.getAttribute("src") === "x-hostile";
  const odd = [...element.attributes].filter(({ name, value }) =>
    name.startsWith("on") || (/^(?:href|src|action|formaction|xlink:href|data|poster)$/.test(name) &&
      /^[\\s\\u0000-\\u001f]*(?:javascript|vbscript|data:text)/i.test(value)));
  return isOurs || odd.length > 0 ? [element.cloneNode(false).outerHTML.slice(0, 200)] : [];
})`;

const MARKDOWN = `[press](${SCRIPT_URL}) ![x](x" onerror="window.ran=8) <${SCRIPT_URL}> [d](data:text/html,<script>window.ran=9</script>)`;

/** The address of the API reference with payloads, and with parameters by which Swagger UI would load another description. */
export function hostileReference(): string {
  const other = encodeURIComponent(sitePage("/echo.json"));
  return `${inject("serviceUrl")}/docs?url=${other}&configUrl=${other}&q=${encodeURIComponent(PAYLOAD)}#/${PAYLOAD}`;
}

/** Things of the team whose names, addresses and texts a hostile site and a hostile user have chosen. */
export interface HostileData {
  crawlId: string;
  batchId: string;
  monitorId: string;
  sessionId: string;
  viewUrls: string[];
  /** Ends the session, and returns the address of the player of its recording. */
  endSession(): Promise<string>;
  close(): void;
}

export async function makeHostileData(): Promise<HostileData> {
  const { url, server } = await startSite();
  const [crawlId, batchId, monitorId, session] = await Promise.all([
    startJob("/v2/crawl", { url: `${url}/`, limit: 3 }),
    startJob("/v2/batch/scrape", { urls: [`${url}/`, `${url}/broken?${PAYLOAD}`] }),
    makeMonitor(url),
    openSession(url),
    makeKey({ name: PAYLOAD.slice(0, 100) }),
    sendWebhook(`${url}/hook/${encodeURIComponent(PAYLOAD)}`),
    call("/v2/scrape", { body: { url: `${url}/?${PAYLOAD}`, maxAge: 0 } }),
    call("/v2/scrape", { body: { url: PAYLOAD } }),
  ]);
  return {
    crawlId,
    batchId,
    monitorId,
    sessionId: session.id,
    viewUrls: [session.liveViewUrl, session.interactiveLiveViewUrl],
    async endSession() {
      await call(`/v2/browser/${session.id}`, { method: "DELETE" });
      const replay = await vi.waitUntil(async () => {
        const { playerUrl } = JSON.parse((await call(`/v2/browser/${session.id}/replay`)).text) as {
          playerUrl?: string;
        };
        return playerUrl;
      }, READY);
      return replay;
    },
    close: () => server.close(),
  };
}

const READY = { timeout: 180_000, interval: 250 };

/** Every page has the payload in all places, and other text each time; `/broken` and `/hook` fail with it. */
async function startSite(): Promise<{ url: string; server: Server }> {
  let requests = 0;
  const text = PAYLOAD.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
  const server = createServer((request, response) => {
    request.resume();
    requests += 1;
    const isPage = !/^\/(?:broken|hook)/.test(request.url ?? "");
    response.writeHead(isPage ? 200 : 500, { "content-type": "text/html", "x-note": encodeURI(PAYLOAD) });
    response.end(`<!doctype html><html lang="en"><head><title>${text}</title>
      <meta name="description" content="${text}"><meta property="og:title" content="${text}">
      <meta property="og:image" content="${SCRIPT_URL}"></head>
      <body><main><h1>${text}</h1><p>Load ${requests}: ${text}</p><pre>${text} ${MARKDOWN}</pre>
      <p>${MARKDOWN.replaceAll("<", "&lt;")}</p><p>A paragraph of the harbour master, long enough to be read as text.</p>
      <a href="${SCRIPT_URL}">${text}</a><a href="/broken?${text}">${text}</a><a href="/more?${text}">${text}</a>
      <img src="/x.png?${text}" alt="${text}"><table><tr><th>${text}</th></tr><tr><td>${text}</td></tr></table></main></body></html>`);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

async function startJob(path: string, body: object): Promise<string> {
  const { text } = await call(path, { body });
  const { id } = JSON.parse(text) as { id?: string };
  if (id === undefined) throw new Error(`${path}: ${text}`);
  await vi.waitUntil(async () => {
    const { job } = JSON.parse((await call(`/v2/jobs/${id}`)).text) as { job: { status: string } };
    return !/running|queued/.test(job.status);
  }, READY);
  return id;
}

async function makeMonitor(url: string): Promise<string> {
  const targets = [{ type: "scrape", urls: [`${url}/?${encodeURIComponent(PAYLOAD)}`] }];
  const body = { name: PAYLOAD.slice(0, 100), schedule: { text: "weekly" }, targets };
  const { text } = await call("/v2/monitor", { body });
  const { data } = JSON.parse(text) as { data?: { id: string } };
  if (data === undefined) throw new Error(text);
  for (const checks of [1, 2]) {
    await call(`/v2/monitor/${data.id}/run`, { method: "POST" });
    await vi.waitUntil(async () => {
      const list = JSON.parse((await call(`/v2/monitor/${data.id}/checks`)).text) as { data: { status: string }[] };
      return list.data.filter(({ status }) => status === "completed").length === checks;
    }, READY);
  }
  return data.id;
}

async function sendWebhook(url: string): Promise<void> {
  const { status, text } = await call("/v2/team/webhooks/test", { body: { url } });
  if (status !== 200) throw new Error(text);
}

async function openSession(url: string): Promise<{ id: string; liveViewUrl: string; interactiveLiveViewUrl: string }> {
  const { text } = await call("/v2/browser", { body: { name: PAYLOAD.slice(0, 50), recordSession: true } });
  const session = JSON.parse(text) as { id: string; liveViewUrl: string; interactiveLiveViewUrl: string };
  const code = `await page.goto(${JSON.stringify(`${url}/?${PAYLOAD}`)}); console.log(${JSON.stringify(PAYLOAD)});
    await page.evaluate((text) => { console.log(text); console.error(text); }, ${JSON.stringify(PAYLOAD)});`;
  await call(`/v2/browser/${session.id}/execute`, { body: { code } });
  return session;
}
