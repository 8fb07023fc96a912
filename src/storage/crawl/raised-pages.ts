import type { FrontierState } from "../../core/crawl/frontier.ts";
import type { PageRaise } from "../../ports/crawl/frontier.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { readLeases } from "./frontier-leases.ts";

/** Returns the credits that leased pages have reserved beyond those of one page. */
export function raisedCredits({ raised = {} }: FrontierState): number {
  return Object.values(raised).reduce((sum, credits) => sum + credits, 0);
}

/** Reports whether a page is leased at this attempt: only then its result counts. */
export function isLeased(sql: Sql, { key, attempt }: PageRaise): boolean {
  return readLeases(sql).some(({ items }) => items.some((item) => item[0] === key && item[1] === attempt));
}

/** Records the reservation of a leased page, in place of an earlier one of this page. Changes the state in place. */
export function raisePage(state: FrontierState, { key, credits }: PageRaise): void {
  state.raised = { ...state.raised, [key]: credits };
}

/** Ends the reservation of a page that is no longer leased. Changes the state in place. */
export function lowerPage(state: FrontierState, key: string): void {
  if (state.raised === undefined || !Object.hasOwn(state.raised, key)) return;
  const { [key]: _, ...rest } = state.raised;
  state.raised = Object.keys(rest).length === 0 ? undefined : rest;
}
