import type { DeploymentCheck } from "../../core/deployment-check.ts";
import { NOT_HTML, type LoadedPage } from "../../core/scrape/page.ts";
import type { Deps } from "../deps.ts";
import { addedHeaders, addressesIn, headersOf } from "./seen-headers.ts";

type Uses = Pick<Deps, "http" | "engines" | "blobs" | "tasks" | "clock" | "sleep" | "deploymentProbes" | "settings">;

/** Effects of the checks outside of the service. */
export interface CheckTargets {
  /** URL of a JSON object whose `headers` are those of the request. */
  echoUrl: string;
  /** URL of a host whose certificate must not be accepted. */
  badCertificateUrl: string;
  /** Address of the caller, which no site should see. */
  callerAddress: string | undefined;
}

type Found = Pick<DeploymentCheck, "state" | "detail">;

/** Objects of the checks. Each check writes the same one again, so that none stays behind for each. */
const STORED_KEY = "deployment-check/object";
const QUEUE_KEY = "deployment-check/queue";
const TIME_LIMIT_MS = 60_000;
const LOAD_LIMIT_MS = 20_000;
/** A browser takes seconds to start. */
const BROWSER_LIMIT_MS = 50_000;
const QUEUE_LIMIT_MS = 30_000;
const QUEUE_PAUSE_MS = 250;
const MAX_ECHO_BYTES = 100_000;
const ACCEPT = "application/json";

/**
 * Checks what only a deployed service can show: its way out, and each binding once. A check that fails ends no other.
 * The checks run at the same time, within a minute.
 */
export async function checkDeployment(deps: Uses, targets: CheckTargets): Promise<DeploymentCheck[]> {
  const echo = echoOf(deps, targets);
  const checks: Record<string, () => Promise<Found>> = {
    headers: async () => headersFound(await echo, deps, targets),
    address: async () => addressFound(await echo),
    dns: () => checkName(deps),
    certificates: () => checkCertificate(deps, targets),
    browser: () => checkBrowser(deps, targets),
    database: () => checkDatabase(deps),
    bucket: () => checkBucket(deps),
    objects: async () => {
      await deps.deploymentProbes.callObject();
      return ok("An object answers");
    },
    queue: () => checkQueue(deps),
  };
  return await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const startedAtMs = deps.clock.now();
      const late = deps.sleep(TIME_LIMIT_MS).then(() => failed(`No answer within ${TIME_LIMIT_MS / 1_000} s`));
      const found = await Promise.race([check().catch((error: unknown) => failed(String(error))), late]);
      return { name, ...found, ms: deps.clock.now() - startedAtMs };
    }),
  );
}

/** Consumes the message of the queue check: stores its id, which the check waits for. Repeats change nothing. */
export async function answerQueueCheck({ blobs }: Pick<Deps, "blobs">, id: string): Promise<void> {
  await blobs.put(QUEUE_KEY, id);
}

const ok = (detail: string): Found => ({ state: "ok", detail });
const failed = (detail: string): Found => ({ state: "failed", detail });
const skipped = (detail: string): Found => ({ state: "skipped", detail });

type Echo = { kind: "headers"; headers: Record<string, string> } | { kind: "none"; found: Found };

/** Requests the echo as pages are requested. The service's own hosts are allowed here: the echo is one of its routes. */
async function echoOf({ http, clock, settings }: Uses, { echoUrl }: CheckTargets): Promise<Echo> {
  const outcome = await http.request({
    url: echoUrl,
    headers: { accept: ACCEPT, "user-agent": settings.userAgent },
    deadlineMs: clock.now() + LOAD_LIMIT_MS,
    maxBodyBytes: MAX_ECHO_BYTES,
    ownHosts: [],
  });
  if (outcome.kind === "failed" && outcome.code === "SAFE_MODE_BLOCKED") {
    return {
      kind: "none",
      found: skipped(`The service may not load ${echoUrl}: name another page that returns headers`),
    };
  }
  if (outcome.kind === "failed") return { kind: "none", found: failed(`${outcome.code}: ${outcome.message}`) };
  const { statusCode, body } = outcome.response;
  const headers = headersOf(new TextDecoder().decode(body));
  if (headers !== undefined) return { kind: "headers", headers };
  return { kind: "none", found: failed(`${echoUrl} returned no headers (status ${statusCode})`) };
}

function headersFound(echo: Echo, { settings }: Uses, { callerAddress }: CheckTargets): Found {
  if (echo.kind === "none") return echo.found;
  const leaks = Object.entries(echo.headers).filter(
    ([name, value]) => name !== "host" && callerAddress !== undefined && value.includes(callerAddress),
  );
  if (leaks.length > 0) {
    const names = leaks.map(([name]) => name).join(", ");
    return { state: "warning", detail: `Sites see the address of the caller in ${names}, which the platform sets` };
  }
  if (echo.headers["user-agent"] !== settings.userAgent) {
    return { state: "warning", detail: `The user agent arrives as ${echo.headers["user-agent"] ?? "nothing"}` };
  }
  const added = addedHeaders(echo.headers);
  return ok(added === "" ? "Sites see nothing that the service does not send" : `Added on the way: ${added}`);
}

function addressFound(echo: Echo): Found {
  if (echo.kind === "none") return echo.found;
  const addresses = addressesIn(echo.headers);
  return addresses === "" ? skipped("The echo does not state the address of the request") : ok(addresses);
}

/** A name that does not exist must be reported as such. RFC 2606 reserves `.invalid`. */
async function checkName({ http, clock }: Uses): Promise<Found> {
  const url = `https://${crypto.randomUUID()}.invalid/`;
  const outcome = await http.request({ url, deadlineMs: clock.now() + LOAD_LIMIT_MS, ownHosts: [] });
  return expectFailure(outcome, "SCRAPE_DNS_RESOLUTION_ERROR", "A name that does not exist");
}

async function checkCertificate({ http, clock }: Uses, { badCertificateUrl: url }: CheckTargets): Promise<Found> {
  const outcome = await http.request({ url, deadlineMs: clock.now() + LOAD_LIMIT_MS, ownHosts: [] });
  return expectFailure(outcome, "SCRAPE_SSL_ERROR", `The certificate of ${new URL(url).host}`);
}

function expectFailure(outcome: Awaited<ReturnType<Uses["http"]["request"]>>, code: string, subject: string): Found {
  if (outcome.kind === "response") return failed(`${subject} is accepted (status ${outcome.response.statusCode})`);
  return outcome.code === code
    ? ok(`${subject} ends as ${code}`)
    : failed(`${subject} ends as ${outcome.code}: ${outcome.message}`);
}

async function checkBrowser({ engines, clock }: Uses, { echoUrl, badCertificateUrl }: CheckTargets): Promise<Found> {
  const engine = engines.find((known) => known.engine === "browser");
  if (engine === undefined) return skipped("The deployment has no browser");
  const load = (url: string) =>
    engine.load({
      url,
      deadlineMs: clock.now() + BROWSER_LIMIT_MS,
      waitForMs: 0,
      mobile: false,
      headers: {},
      languages: [],
      blockAds: true,
      skipTlsVerification: false,
      fastMode: false,
      actions: [],
      screenshot: undefined,
      needs: new Set(["browser"]),
      ownHosts: [],
    });
  const outcome = await load(echoUrl);
  if (outcome.kind === "loaded") return describeBrowser(outcome.page);
  if (outcome.kind === "insufficient" && outcome.reason.startsWith(NOT_HTML)) return ok("A browser answers");
  const isRefused = outcome.kind === "failed" && outcome.code === "SAFE_MODE_BLOCKED";
  if (!isRefused) return failed(outcome.kind === "failed" ? `${outcome.code}: ${outcome.message}` : outcome.reason);
  // The echo may not be loaded: a page that must fail shows as well that a browser answers.
  const other = await load(badCertificateUrl);
  if (other.kind === "failed" && other.code === "SCRAPE_SSL_ERROR") return ok("A browser answers");
  return failed(
    other.kind === "failed" ? `${other.code}: ${other.message}` : "A page with a bad certificate was loaded",
  );
}

function describeBrowser({ statusCode, body, queuedMs = 0, browserMs = 0 }: LoadedPage): Found {
  const headers = headersOf(typeof body === "string" ? body : new TextDecoder().decode(body));
  const added = headers === undefined ? "" : addedHeaders(headers);
  const times = `waited ${queuedMs} ms for a browser, loaded in ${browserMs} ms`;
  return ok(`Status ${statusCode}, ${times}${added === "" ? "" : `; added on the way: ${added}`}`);
}

async function checkDatabase({ deploymentProbes }: Uses): Promise<Found> {
  const { region, isPrimary } = await deploymentProbes.readDatabase();
  const place = region === undefined ? "" : ` in ${region}`;
  if (isPrimary === undefined) return ok("The database answers and does not state from where");
  const other = "the service itself reads keys from the primary";
  return ok(isPrimary ? `The primary${place} answers; no replica is near` : `A replica${place} answers; ${other}`);
}

async function checkBucket({ blobs }: Uses): Promise<Found> {
  const text = crypto.randomUUID();
  await blobs.put(STORED_KEY, text);
  const stored = await blobs.text(STORED_KEY);
  return stored === text ? ok("What was stored is read back") : failed("Another text is read than was stored");
}

/** Sends a message and waits until its consumer has stored its id. */
async function checkQueue({ tasks, blobs, clock, sleep }: Uses): Promise<Found> {
  const id = crypto.randomUUID();
  const sentAtMs = clock.now();
  await tasks.send({ type: "answer_queue_check", id });
  while (clock.now() - sentAtMs < QUEUE_LIMIT_MS) {
    if ((await blobs.text(QUEUE_KEY)) === id)
      return ok(`A message is consumed ${clock.now() - sentAtMs} ms after it is sent`);
    await sleep(QUEUE_PAUSE_MS);
  }
  return failed(`No consumer has taken a message within ${QUEUE_LIMIT_MS / 1_000} s`);
}
