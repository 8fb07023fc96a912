import { z } from "@hono/zod-openapi";
import { dayKey } from "../../core/account/day-key.ts";
import { AppError } from "../../core/errors.ts";

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 400;

const Day = z.iso.date().openapi({ description: "A day in UTC.", example: "2026-11-21" });

/** Query parameters of reports over days. */
export const UsageDays = {
  from: Day.optional().openapi({
    description: `First day to report, in UTC. Default: ${DEFAULT_DAYS} days before \`to\`.`,
  }),
  to: Day.optional().openapi({ description: "Last day to report, in UTC. Default: today." }),
};

/** Returns the days of a report. @throws AppError BAD_REQUEST for a range that is empty or too long. */
export function readDays(
  query: { from?: string | undefined; to?: string | undefined },
  nowMs: number,
): { from: string; to: string } {
  const to = query.to ?? dayKey(nowMs);
  const from = query.from ?? dayKey(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days >= 1 && days <= MAX_DAYS) return { from, to };
  throw new AppError("BAD_REQUEST", `from must not be after to, and no more than ${MAX_DAYS} days before it`);
}
