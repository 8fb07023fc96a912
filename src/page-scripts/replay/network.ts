import { byId } from "../page/by-id.ts";
import { BASE, QUERY } from "../page/page-url.ts";
import { seenAtMs, toClock, type RecordedPage } from "./recording.ts";

const MAX_ROWS = 5_000;
/** Requests are marked as current for this long, in ms. */
const CURRENT_MS = 1_000;

/** The fields of a HAR 1.2 entry that are shown. */
interface Entry {
  pageref: string;
  startedDateTime: string;
  /** Duration in ms. */
  time: number;
  request: { method: string; url: string };
  response: { status: number; _error?: string };
}

interface Row {
  item: HTMLElement;
  /** Time since the start of the recording, in ms. */
  atMs: number;
  text: string;
}

let rows: Row[] = [];

/** Lets the viewer hide the list of requests and filter it. */
export function listenToNetwork(resized: () => void): void {
  const filter = byId("filter", HTMLInputElement);
  filter.addEventListener("input", () => {
    const text = filter.value.toLowerCase();
    for (const row of rows) row.item.hidden = !row.text.includes(text);
    byId("none").hidden = rows.some((row) => !row.item.hidden);
  });
  byId("toggle").addEventListener("click", () => {
    const network = byId("network");
    network.hidden = !network.hidden;
    byId("toggle").setAttribute("aria-pressed", String(!network.hidden));
    resized();
  });
}

/**
 * Loads the requests of the recording.
 * @param pages tabs of the recording, which starts at `startMs`.
 * @param show is called with the time at which a request that was selected can be seen, in ms since the start.
 */
export async function loadRequests(
  { startMs, pages }: { startMs: number; pages: readonly RecordedPage[] },
  show: (ms: number) => void,
): Promise<void> {
  const address = `${BASE}/network.har${QUERY}`;
  byId("har", HTMLAnchorElement).href = address;
  const response = await fetch(address);
  // The service's own response: hence the cast without a parse.
  const entries = response.ok ? ((await response.json()) as { log: { entries: Entry[] } }).log.entries : [];
  const sorted = entries.toSorted((one, other) => one.startedDateTime.localeCompare(other.startedDateTime));
  rows = sorted.slice(0, MAX_ROWS).map((entry) => {
    const atMs = Date.parse(entry.startedDateTime);
    return toRow(entry, atMs - startMs, () => show(seenAtMs(atMs, entry.pageref, pages) - startMs));
  });
  byId("requests").replaceChildren(...rows.map(({ item }) => item));
  byId("none").hidden = rows.length > 0;
}

/** Marks the requests that are made at a time of the recording (in ms), and those that follow. */
export function markRequests(nowMs: number): void {
  for (const { item, atMs } of rows) {
    item.classList.toggle("later", atMs > nowMs);
    item.classList.toggle("now", atMs <= nowMs && atMs > nowMs - CURRENT_MS);
  }
}

function toRow({ time, request, response }: Entry, atMs: number, show: () => void): Row {
  const button = document.createElement("button");
  button.type = "button";
  button.append(
    cell("at", toClock(atMs)),
    cell(`status${kindOf(response.status)}`, response.status === 0 ? "failed" : String(response.status)),
    cell("name", (request.method === "GET" ? "" : `${request.method} `) + nameOf(request.url)),
    cell("took", `${Math.round(time)} ms`),
  );
  const { _error: failure } = response;
  const error = failure ? ` – ${failure}` : "";
  button.title = `${request.method} ${request.url}${error}`;
  button.addEventListener("click", show);
  const item = document.createElement("li");
  item.append(button);
  return { item, atMs, text: button.title.toLowerCase() };
}

function cell(name: string, text: string): HTMLElement {
  const span = document.createElement("span");
  span.className = name;
  span.textContent = text;
  return span;
}

function kindOf(status: number): string {
  if (status === 0 || status >= 400) return " bad";
  return status >= 300 ? " warn" : "";
}

function nameOf(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  return (url.pathname.split("/").findLast(Boolean) ?? url.host) + url.search;
}
