/** Levels of effort of an agent, as clients send them. */
export const EFFORTS = ["low", "medium", "high"] as const;
export type Effort = (typeof EFFORTS)[number];

/** Limits of one run. */
export interface AgentBudget {
  /** Maximum number of pages that rules read. */
  pages: number;
  /** Maximum number of links from a start page that rules follow. */
  depth: number;
  /** Maximum number of steps of a model. */
  steps: number;
  searches: number;
  /** Credits, when the request sets no `maxCredits`. */
  credits: number;
  timeMs: number;
}

/** Limits by effort; a request without effort has those of `medium`. */
export const BUDGETS: Readonly<Record<Effort, AgentBudget>> = {
  low: { pages: 4, depth: 1, steps: 8, searches: 3, credits: 500, timeMs: 180_000 },
  medium: { pages: 12, depth: 2, steps: 24, searches: 12, credits: 2_500, timeMs: 600_000 },
  high: { pages: 30, depth: 3, steps: 48, searches: 24, credits: 5_000, timeMs: 1_200_000 },
};

/** Why a run ended. */
export const STOP_REASONS = [
  "completed",
  "not_found",
  "max_credits",
  "max_pages",
  "max_steps",
  "time_limit",
  "cancelled",
  "error",
] as const;
export type StopReason = (typeof STOP_REASONS)[number];
