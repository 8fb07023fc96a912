import { z } from "zod";
import { Owner } from "../fair-order.ts";

/** Limits and timing of the pool. */
export const PoolSettings = z.object({
  /** Maximum number of browsers, including those that are starting or closing. */
  maxBrowsers: z.number(),
  /** Browsers of the account that others may hold, when the account's limit without them replaces a lower `maxBrowsers`. */
  reservedOfAccount: z.number().optional(),
  /** Browsers beyond `maxBrowsers`, for teams that hold none while others hold all contexts; default 0. */
  browsersBeside: z.number().optional(),
  /** Maximum concurrent isolated contexts (page loads) in one browser. */
  contextsPerBrowser: z.number(),
  /** Number of idle browsers that stay open longer than others. */
  warm: z.number(),
  /** Browsers to start in advance after each request; default 0. */
  spare: z.number().optional(),
  /** Delay between a request and the start of spare browsers, in ms: the request has priority on the machine. */
  spareDelayMs: z.number().optional(),
  /** Minimum time between two launches, in ms (the platform's launch budget). */
  launchIntervalMs: z.number(),
  /** Number of pages after which a browser accepts no more. */
  maxPages: z.number(),
  /** Age at which a browser accepts no more pages, in ms. */
  maxAgeMs: z.number(),
  /** Time after which an idle browser beyond the warm ones is closed, in ms. */
  idleCloseMs: z.number(),
  /** Time after which an idle warm browser is closed, in ms: idle browsers are billed. */
  warmCloseMs: z.number(),
  /** Time after its deadline at which a lease is revoked, in ms. */
  leaseGraceMs: z.number(),
});
export type PoolSettings = z.infer<typeof PoolSettings>;

/** Outcome of a lease. `crashed` and `hung` refer to the page, `gone` to the whole browser. */
export type LeaseOutcome = "ok" | "crashed" | "hung" | "gone";

export const PooledBrowser = z.object({
  sessionId: z.string(),
  bornAtMs: z.number(),
  pages: z.number(),
  lastUsedAtMs: z.number(),
  /** Time of its last successful operation. */
  provenAtMs: z.number(),
  /** True when it accepts no more pages and is closed after the last one. */
  draining: z.boolean(),
  /** Start time of closing, while it is being closed. */
  closingSinceMs: z.number().optional(),
});
export type PooledBrowser = z.infer<typeof PooledBrowser>;

export const Lease = z.object({
  leaseId: z.string(),
  sessionId: z.string(),
  /** The browser context of the load, once created. */
  contextId: z.string().optional(),
  expiresAtMs: z.number(),
  /** Owner of the load. */
  owner: Owner.optional(),
});
export type Lease = z.infer<typeof Lease>;

export interface Waiter {
  leaseId: string;
  owner?: Owner | undefined;
  askedAtMs: number;
  deadlineMs: number;
}

/** State of the pool. Browsers and leases survive a restart, waiters and launches do not. */
export interface PoolState {
  browsers: readonly PooledBrowser[];
  leases: readonly Lease[];
  /** In order of arrival; teams and their keys are served in turn (`fair-order.ts`). */
  waiters: readonly Waiter[];
  /** Owners in the order in which they were served, latest last. */
  served: readonly Owner[];
  launching: number;
  nextLaunchAtMs: number;
  /** Consecutive failed launches. */
  failures: number;
  /** Time at which to start spare browsers for the next requests; undefined when none are needed. */
  sparesDueMs: number | undefined;
}

export const EMPTY_POOL: PoolState = {
  browsers: [],
  leases: [],
  waiters: [],
  served: [],
  launching: 0,
  nextLaunchAtMs: 0,
  failures: 0,
  sparesDueMs: undefined,
};

export type PoolEvent =
  | { kind: "asked"; leaseId: string; deadlineMs: number; owner?: Owner | undefined }
  | { kind: "bound"; leaseId: string; contextId: string }
  | { kind: "released"; leaseId: string; outcome: LeaseOutcome }
  | { kind: "launched"; sessionId: string }
  /** A browser of the operator that answers again, without a launch. */
  | { kind: "found"; sessionId: string }
  | { kind: "launch_failed"; retryAfterMs?: number }
  | { kind: "closed"; sessionId: string }
  | { kind: "ticked" };

export type RefusalReason = "deadline" | "unavailable";

/** Action that the caller of the state machine must perform. */
export type PoolEffect =
  | { kind: "grant"; leaseId: string; sessionId: string; queuedMs: number }
  | { kind: "refuse"; leaseId: string; reason: RefusalReason; retryAfterMs?: number }
  | { kind: "launch" }
  | { kind: "close"; sessionId: string }
  | { kind: "dispose"; sessionId: string; contextId: string }
  /** Leases that ended without a release; for the metrics. */
  | { kind: "lost"; leases: number };
