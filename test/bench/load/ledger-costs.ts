import { PRICES_NANO_DOLLARS, toReceipt } from "../../../src/core/account/receipt.ts";
import { leasedLedgers } from "../../fakes/services/leased-ledgers.ts";
import { table } from "./table.ts";

const KEY = "key";
const SECONDS = 120;
const NOON = Date.UTC(2026, 10, 21, 12);
const RATES = [0.1, 0.5, 1, 2, 5, 10, 50];
const ISOLATES = [1, 5];

/**
 * Prints what admission and record of a million requests cost, by the requests a second of the key and the isolates that
 * they reach in turn: each kind of call, rows, and dollars at list prices. Time is simulated.
 */
export async function ledgerCosts(): Promise<string> {
  const rows: (string | number)[][] = [];
  for (const isolates of ISOLATES) {
    for (const rate of RATES) rows.push(await costsOf(rate, isolates));
  }
  const head = [
    "requests a second",
    "isolates",
    "waited for the ledger, %",
    "calls a request",
    "rows a request",
    "$ a million",
  ];
  return table(head, rows);
}

async function costsOf(rate: number, count: number): Promise<(string | number)[]> {
  const service = leasedLedgers(NOON);
  const isolates = Array.from({ length: count }, service.isolate);
  const requests = Math.round(SECONDS * rate);
  const calls: string[] = [];
  for (let request = 0; request < requests; request++) {
    const holdId = `r${request}`;
    const { ledger } = isolates[request % count] ?? service.isolate();
    await ledger.admit(KEY, { mode: "scrape", limit: 30_000, credits: 1, monthlyCredits: undefined, holdId });
    const work = { requestId: holdId, id: holdId, endpoint: "scrape", apiVersion: "v2", target: null } as const;
    const done = { ms: 1, hasFailed: false, pages: 1, receipt: toReceipt({ credits: 1 }) };
    void ledger.record(KEY, { ...work, ...done });
    await service.advance(1_000 / rate);
    calls.push(...service.takeCalls());
  }
  await service.advance(60_000);
  calls.push(...service.takeCalls());
  const [rowsOfOne, callsOfOne] = [service.rowsWritten(KEY) / requests, calls.length / requests];
  const { durableObjectRequest, durableObjectRowWritten } = PRICES_NANO_DOLLARS;
  const dollars = (callsOfOne * durableObjectRequest + rowsOfOne * durableObjectRowWritten) / 1_000;
  const waited = calls.filter((name) => name === "admit").length / requests;
  return [String(rate), String(count), waited * 100, callsOfOne, rowsOfOne, dollars];
}
