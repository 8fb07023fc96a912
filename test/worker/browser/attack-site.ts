import { createSocket, type Socket } from "node:dgram";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ODD_TYPES } from "../scrape/odd-types.ts";

export interface AttackSite {
  /** A page that tries every way that a browser knows to reach the target. */
  url: string;
  close(): Promise<void>;
}

/**
 * A page that tries to reach a private server, and that server, which records its requests. They are listed under `/hits`
 * of the page's own origin; the frame in another process comes from `localhost`. `/forget` starts another private server
 * on another port, so that late requests of a browser that is being closed do not count for the next test.
 */
export async function startAttackSite(): Promise<AttackSite> {
  let target = await startTarget();
  const served = new Set<string>();
  const pages = createServer((request, response) => void answer(request.url ?? "/", response));
  const port = await listen(pages);

  async function answer(url: string, response: ServerResponse): Promise<void> {
    const path = url.split("?")[0] ?? "/";
    if (path === "/forget") {
      await closeTarget(target);
      target = await startTarget();
      served.clear();
    }
    const places = { target: target.host, self: `127.0.0.1:${port}`, other: `localhost:${port}` };
    served.add(url);
    if (path === "/served") return reply(response, "application/json", JSON.stringify([...served]));
    if (path === "/target") return reply(response, "application/json", JSON.stringify(places.target));
    if (path === "/hits") return reply(response, "application/json", JSON.stringify([...target.hits]));
    if (path === "/oddities")
      return reply(response, "text/html", oddPage(places, new URL(url, "http://any").searchParams));
    if (path.startsWith("/odd/")) return replyOddly(path, places, response);
    if (path.startsWith("/redirect-")) {
      response.writeHead(302, { location: `http://${places.target}${path}` }).end();
      return;
    }
    if (path === "/") {
      const report = `default-src * data: blob: 'unsafe-inline'; font-src 'none'; report-uri http://${places.target}/report`;
      response.setHeader("content-security-policy-report-only", report);
    }
    const [type, make] = FILES[path] ?? ["text/plain", () => ""];
    response.setHeader("service-worker-allowed", "/");
    reply(response, type, make(places));
  }

  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      await Promise.all([closeTarget(target), close(pages)]);
    },
  };
}

interface Target {
  server: Server;
  /** On the same port, for WebRTC and WebTransport. */
  datagrams: Socket;
  host: string;
  hits: Set<string>;
}

async function startTarget(): Promise<Target> {
  const hits = new Set<string>();
  const server = createServer((request, response) => {
    hits.add(request.url ?? "");
    response.setHeader("access-control-allow-origin", "*").end("secret");
  });
  server.on("upgrade", (request, socket) => {
    hits.add(`upgrade ${request.url}`);
    socket.end();
  });
  const port = await listen(server);
  const datagrams = createSocket("udp4").on("message", () => void hits.add("datagram"));
  await new Promise<void>((bound) => datagrams.bind(port, "127.0.0.1", bound));
  return { server, datagrams, host: `127.0.0.1:${port}`, hits };
}

async function closeTarget({ server, datagrams }: Target): Promise<void> {
  await Promise.all([close(server), new Promise<void>((closed) => datagrams.close(closed))]);
}

/** Statuses with a body that is shown: of a redirect without an address, and of one that is none. */
const ODD_STATUSES = [300, 302, 404, 500];

/** `/odd/worker/TYPE`, `/odd/frame/TYPE` and `/odd/status/STATUS`: a body that opens a socket, in unusual clothes. */
function replyOddly(path: string, places: Places, response: ServerResponse): void {
  const [, , kind = "", name = ""] = path.split("/");
  const knock = CONNECT(places, `${kind}-${name}`);
  const type = kind === "status" ? "text/html" : ODD_TYPES[name];
  if (type !== undefined) response.setHeader("content-type", type);
  if (name === "attachment") response.setHeader("content-disposition", "attachment");
  if (name === "300") response.setHeader("location", `http://${places.target}/odd`);
  if (kind === "status") response.statusCode = Number(name);
  // Of what it is not told, Chromium looks at the first bytes.
  const page = `<!doctype html><title>odd</title><script>${knock}</script>`;
  response.end(
    kind === "worker" ? `${knock}\nnew Worker(URL.createObjectURL(new Blob([${JSON.stringify(knock)}])));` : page,
  );
}

interface Places {
  target: string;
  self: string;
  other: string;
}

const CONNECT = ({ target }: Places, from: string): string => `
  fetch("http://${target}/${from}-fetch", { mode: "no-cors" }).catch(() => undefined);
  try { new WebSocket("ws://${target}/${from}-socket") } catch {}
  try { new WebTransport("https://${target}/${from}-transport").ready.catch(() => undefined) } catch {}`;

const FILES: Record<string, [type: string, make: (places: Places) => string]> = {
  "/": ["text/html", attackPage],
  "/frame": [
    "text/html",
    (places) => `<script>${CONNECT(places, "frame")}
      try { open("http://${places.target}/frame-popup") } catch {}
      navigator.serviceWorker?.register("/service-worker.js?frame").catch(() => undefined);
      new Worker("/worker.js");</script>`,
  ],
  "/worker.js": [
    "text/javascript",
    (places) => `${CONNECT(places, "worker")}
      try { importScripts("http://${places.target}/worker-import") } catch {}
      new Worker(URL.createObjectURL(new Blob([${JSON.stringify(CONNECT(places, "nested-worker"))}])));`,
  ],
  "/shared-worker.js": ["text/javascript", (places) => CONNECT(places, "shared-worker")],
  "/service-worker.js": [
    "text/javascript",
    (places) => `${CONNECT(places, "service-worker")}
      try { importScripts("http://${places.target}/service-worker-import") } catch {}`,
  ],
  "/navigate": ["text/html", ({ target }) => `<script>location.href = "http://${target}/navigated"</script>`],
  "/refresh": [
    "text/html",
    ({ target }) => `<meta http-equiv="refresh" content="0; url=http://${target}/refreshed"><p>Going.</p>`,
  ],
  "/socket": [
    "text/html",
    ({ self }) => `<p id="state">waiting</p><script>
      const socket = new WebSocket("ws://${self}/");
      socket.onerror = () => { document.getElementById("state").textContent = "reached " + socket.url };</script>`,
  ],
};

function attackPage(places: Places): string {
  const { target, other } = places;
  const direct = `http://${target}`;
  return `<!doctype html><title>Knocking</title>
<link rel="stylesheet" href="${direct}/stylesheet"><link rel="prefetch" href="${direct}/prefetch">
<link rel="preload" as="image" href="${direct}/preload"><link rel="manifest" href="${direct}/manifest">
<link rel="icon" href="${direct}/icon">
<script type="speculationrules">{
  "prefetch": [{ "urls": ["${direct}/speculative-prefetch", "/redirect-speculative-prefetch"], "eagerness": "immediate" }],
  "prerender": [{ "urls": ["/redirect-prerender", "/frame?prerender"], "eagerness": "immediate" }]
}</script>
<div><template shadowrootmode="open"><script type="speculationrules">{
  "prefetch": [{ "urls": ["${direct}/shadow-prefetch", "/redirect-shadow-prefetch"], "eagerness": "immediate" }]
}</script></template></div>
<img src="${direct}/image"><img src="/redirect-image"><iframe src="${direct}/iframe"></iframe>
<iframe src="/redirect-iframe"></iframe><iframe src="http://${other}/frame"></iframe>
<style>@font-face { font-family: knock; src: url(${direct}/font) } body { font-family: knock; background: url(${direct}/background) }</style>
<script type="module">import "${direct}/module"</script>
<video src="${direct}/video"></video><object data="${direct}/object"></object><embed src="${direct}/embed">
<a id="link" target="_blank" href="${direct}/link-popup">x</a>
<a id="ping" href="#here" ping="${direct}/ping">y</a>
<form id="form" target="_blank" action="${direct}/form-popup"></form>
<iframe srcdoc='<script>${CONNECT(places, "srcdoc")}</script>'></iframe>
<iframe sandbox="allow-scripts allow-popups" srcdoc='<script>open("${direct}/sandbox-popup")</script>'></iframe>
<script>
  const attempt = (knock) => { try { knock() } catch {} };
  ${CONNECT(places, "page")}
  fetch("/redirect-fetch", { mode: "no-cors" }).catch(() => undefined);
  attempt(() => {
    const rules = document.body.appendChild(document.createElement("script"));
    setTimeout(() => {
      rules.type = "speculationrules";
      rules.textContent = JSON.stringify({ prefetch: [{ urls: ["${direct}/late-prefetch"], eagerness: "immediate" }] });
    }, 300);
  });
  attempt(() => navigator.sendBeacon("${direct}/beacon", "x"));
  attempt(() => new EventSource("${direct}/event-source"));
  attempt(() => open("${direct}/popup"));
  attempt(() => { const popup = open("about:blank"); popup.location = "${direct}/popup-location"; });
  attempt(() => document.getElementById("link").click());
  attempt(() => document.getElementById("ping").click());
  attempt(() => document.getElementById("form").submit());
  attempt(() => { const link = document.createElement("a"); link.target = "_blank"; link.href = "${direct}/loose-link"; link.click(); });
  attempt(() => new Worker("/worker.js"));
  attempt(() => new Worker(URL.createObjectURL(new Blob([${JSON.stringify(CONNECT(places, "blob-worker"))}]))));
  attempt(() => new Worker("data:text/javascript," + encodeURIComponent(${JSON.stringify(CONNECT(places, "data-worker"))})));
  attempt(() => new SharedWorker("/shared-worker.js"));
  attempt(() => navigator.serviceWorker.register("/service-worker.js"));
  attempt(() => {
    const frame = document.body.appendChild(document.createElement("iframe"));
    const inner = frame.contentWindow;
    inner.fetch("${direct}/blank-frame-fetch").catch(() => undefined);
    attempt(() => new inner.WebSocket("ws://${target}/blank-frame-socket"));
    attempt(() => new inner.SharedWorker("/shared-worker.js"));
    attempt(() => inner.open("${direct}/blank-frame-popup"));
    attempt(() => inner.ServiceWorkerContainer.prototype.register.call(navigator.serviceWorker, "/service-worker.js?inner"));
  });
  attempt(() => {
    const frame = document.createElement("iframe");
    frame.src = "data:text/html," + encodeURIComponent("<script>" + ${JSON.stringify(CONNECT(places, "data-frame"))} + "<\\/script>");
    document.body.append(frame);
  });
  attempt(() => new WebTransport("https://${target}/transport"));
  attempt(() => { const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:${target}" }] }); peer.createDataChannel("x"); peer.createOffer().then((offer) => peer.setLocalDescription(offer)); });
</script>`;
}

/** Workers and frames in unusual clothes, of all types or of those that are named, and ways of asking that are not pages' own. */
function oddPage(places: Places, query: URLSearchParams): string {
  const types = query.get("types")?.split(",") ?? Object.keys(ODD_TYPES);
  const { target } = places;
  const direct = `http://${target}`;
  return `<!doctype html><title>Odd</title><body><script>
  const attempt = (knock) => { try { knock() } catch {} };
  ${CONNECT(places, "odd-page")}
  for (const type of ${JSON.stringify(types)}) {
    attempt(() => new Worker("/odd/worker/" + type));
    attempt(() => new Worker("/odd/worker/" + type + "?module", { type: "module" }));
    attempt(() => { document.body.appendChild(document.createElement("iframe")).src = "/odd/frame/" + type; });
  }
  for (const status of ${JSON.stringify(ODD_STATUSES)}) {
    attempt(() => { document.body.appendChild(document.createElement("iframe")).src = "/odd/status/" + status; });
  }
  attempt(() => CSS.paintWorklet.addModule("${direct}/paint-worklet"));
  attempt(() => new AudioContext().audioWorklet.addModule("${direct}/audio-worklet"));
  attempt(() => { const frame = document.createElement("iframe"); frame.src = "javascript:" + ${JSON.stringify(CONNECT(places, "script-frame"))}; document.body.append(frame); });
  attempt(() => { const frame = document.createElement("iframe"); frame.src = URL.createObjectURL(new Blob(["<script>" + ${JSON.stringify(CONNECT(places, "blob-frame"))} + "<\\/script>"], { type: "text/html" })); document.body.append(frame); });
  attempt(() => new PaymentRequest([{ supportedMethods: "https://${target}/payment" }], { total: { label: "x", amount: { currency: "EUR", value: "1" } } }).canMakePayment());
  attempt(() => navigator.credentials.get({ identity: { providers: [{ configURL: "http://${target}/fedcm", clientId: "x" }] } }).catch(() => undefined));
  attempt(() => fetch("${direct}/keepalive", { keepalive: true, mode: "no-cors", method: "POST", body: "x" }).catch(() => undefined));
</script>`;
}

function reply(response: ServerResponse, type: string, body: string): void {
  response.setHeader("content-type", type).end(body);
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  // A TCP server that listens has an address with a port.
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
}
