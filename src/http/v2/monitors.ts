import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { nextTurn } from "../../core/in-turns.ts";
import { outputsOf } from "../../formats/outputs.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { CHECK_STATUSES, PAGE_STATUSES } from "../../core/monitors/monitor.ts";
import {
  createMonitor,
  findCheck,
  findMonitor,
  findUsableMonitor,
  updateMonitor,
} from "../../services/monitors/manage-monitors.ts";
import { startManualCheck } from "../../services/monitors/start-monitor-check.ts";
import { replayResponse } from "../replay-response.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../account/key-scope.ts";
import { jobUrl } from "../jobs/job-responses.ts";
import {
  CHECK_EXAMPLE,
  MONITOR_EXAMPLE,
  CheckInfo,
  MonitorInfo,
  toCheckInfo,
  withMatches,
  toMonitorInfo,
  warningOf,
} from "../monitors/monitor-response.ts";
import { MonitorBody, MonitorChange, type WrittenTarget } from "../monitors/monitor-body.ts";
import { MonitorPage, PAGE_EXAMPLE } from "../monitors/monitor-page.ts";
import { EstimateResponse, respondWithEstimate } from "../jobs/estimate-response.ts";
import { estimateMonitor } from "../../services/estimate/estimate-monitor.ts";
import { fingerprintOf } from "../../services/estimate/kept-estimates.ts";
import { publicOrigin } from "../public-origin.ts";
import { admit } from "../account/rate-limit.ts";
import { Done, BEARER, COMMON_FAILURES, PROFILE_FAILURES, IdParam, failures, json, jsonBody } from "../route.ts";

const common = { tags: ["Monitors"], security: BEARER };
const Success = { success: z.literal(true).describe("Always true in a successful response.") };
const MonitorResponse = z
  .object({
    ...Success,
    data: MonitorInfo,
    warning: z
      .string()
      .optional()
      .describe("What could not be done as requested. Absent when there is nothing to report."),
  })
  .openapi("MonitorResponse", { example: { success: true, data: MONITOR_EXAMPLE } });
const NOT_THERE = failures("INVALID_JOB_ID", "JOB_NOT_FOUND", ...COMMON_FAILURES);
const CHANGES = failures("BAD_REQUEST", "INVALID_JOB_ID", "JOB_NOT_FOUND", ...COMMON_FAILURES, ...PROFILE_FAILURES);
const READS = { mode: "crawlStatus", credits: 0 } as const;
const Range = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(25)
    .describe("Maximum number of items, 1 to 100. Default: 25."),
  offset: z.coerce.number().int().min(0).default(0).describe("Number of items to skip. Default: 0."),
});

/** Counts the request, and refuses formats of the targets that the key may not use. */
async function admitTargets(c: Context<AppEnv>, targets: readonly WrittenTarget[] = []): Promise<void> {
  const options = targets.flatMap((target): ScrapeOptions[] =>
    target.type === "search" ? [] : [target.scrapeOptions ?? {}],
  );
  const formats = options.flatMap(outputsOf);
  await admit(c, { mode: "crawl", formats, credits: 0 });
}

async function respondWithMonitorEstimate(c: Context<AppEnv>, body: Omit<MonitorBody, "estimate">) {
  const { deps, caller } = c.var;
  const { targets } = body;
  const [first] = targets;
  const options = targets.flatMap((target): ScrapeOptions[] =>
    target.type === "search" ? [] : [target.scrapeOptions ?? {}],
  );
  return await respondWithEstimate(c, {
    endpoint: "monitor",
    body,
    target: first?.type === "crawl" ? first.url : first?.type === "scrape" ? first.urls[0] : first?.queries[0],
    options,
    work: () => estimateMonitor(deps, caller, body),
  });
}

const createRouteSpec = createRoute({
  ...common,
  method: "post",
  path: "/v2/monitor",
  "x-key-scope": "monitor",
  summary: "Create a monitor",
  middleware: [replayResponse("crawl")] as const,
  request: jsonBody(MonitorBody),
  responses: {
    200: json(z.union([MonitorResponse, EstimateResponse]), "The monitor; with `estimate`, its estimate"),
    ...failures("BAD_REQUEST", ...COMMON_FAILURES, ...PROFILE_FAILURES),
    ...failures("IDEMPOTENCY_KEY_USED", "MONITOR_LIMIT_REACHED"),
  },
});

export const startMonitor = defineOpenAPIRoute<typeof createRouteSpec, AppEnv>({
  route: createRouteSpec,
  handler: async (c) => {
    const { estimate, ...body } = c.req.valid("json");
    if (estimate === true) return c.json(await respondWithMonitorEstimate(c, body), 200);
    await admitTargets(c, body.targets);
    const { deps, caller, workId: id } = c.var;
    const monitor = await createMonitor(deps, caller, {
      ...body,
      id,
      publicOrigin: publicOrigin(c.req.raw),
      fingerprint: await fingerprintOf("monitor", body),
    });
    const data = toMonitorInfo(monitor, { nowMs: deps.clock.now(), caller });
    return c.json({ success: true as const, data, ...warningOf(monitor, deps.llm !== undefined) }, 200);
  },
});

const Next = { next: z.string().optional().describe("URL of the next page. Absent when there is none.") };
/** Characters of the configurations of a page of monitors: each has up to a million. */
const MAX_LIST_CHARS = 5_000_000;

const listRoute = createRoute({
  ...common,
  method: "get",
  path: "/v2/monitor",
  "x-key-scope": "monitor",
  summary: "List monitors",
  request: { query: Range },
  responses: {
    200: json(
      z
        .object({
          ...Success,
          data: z
            .array(MonitorInfo)
            .describe(
              "Monitors of the team, newest first: fewer than `limit` where they have more than 5 MB together.",
            ),
          ...Next,
        })
        .openapi("Monitors", { example: { success: true, data: [MONITOR_EXAMPLE] } }),
      "The monitors, newest first",
    ),
    ...failures("BAD_REQUEST", ...COMMON_FAILURES),
  },
});

export const listMonitors = defineOpenAPIRoute<typeof listRoute, AppEnv>({
  route: listRoute,
  handler: async (c) => {
    await admit(c, READS);
    const { deps, caller } = c.var;
    const { limit, offset } = c.req.valid("query");
    const range = { limit, offset, maxBytes: MAX_LIST_CHARS };
    const { monitors, hasMore } = await deps.monitors.list(caller.key.teamId, range);
    const data: z.infer<typeof MonitorInfo>[] = [];
    for (const monitor of monitors) {
      // The estimate of a large monitor takes tens of milliseconds.
      await nextTurn();
      data.push(toMonitorInfo(monitor, { nowMs: deps.clock.now(), caller }));
    }
    const query = `?limit=${limit}&offset=${offset + monitors.length}`;
    const next = hasMore ? { next: jobUrl(c, `${c.req.path}${query}`) } : {};
    return c.json({ success: true as const, data, ...next }, 200);
  },
});

const getRoute = createRoute({
  ...common,
  method: "get",
  path: "/v2/monitor/{id}",
  "x-key-scope": "monitor",
  summary: "Get a monitor",
  request: { params: IdParam },
  responses: { 200: json(MonitorResponse, "The monitor"), ...NOT_THERE },
});

export const getMonitor = defineOpenAPIRoute<typeof getRoute, AppEnv>({
  route: getRoute,
  handler: async (c) => {
    await admit(c, READS);
    const { deps, caller } = c.var;
    const monitor = await findMonitor(deps, caller, c.req.valid("param").id);
    return c.json(
      {
        success: true as const,
        data: toMonitorInfo(monitor, { nowMs: deps.clock.now(), caller }),
        ...warningOf(monitor, deps.llm !== undefined),
      },
      200,
    );
  },
});

const changeRoute = createRoute({
  ...common,
  method: "patch",
  path: "/v2/monitor/{id}",
  "x-key-scope": "monitor",
  summary: "Update, pause or resume a monitor",
  request: { params: IdParam, ...jsonBody(MonitorChange) },
  responses: { 200: json(MonitorResponse, "The monitor"), ...CHANGES, ...failures("MONITOR_LIMIT_REACHED") },
});

export const changeMonitor = defineOpenAPIRoute<typeof changeRoute, AppEnv>({
  route: changeRoute,
  handler: async (c) => {
    const requested = c.req.valid("json");
    await admitTargets(c, requested.targets);
    const { deps, caller } = c.var;
    const monitor = await updateMonitor(deps, caller, { id: c.req.valid("param").id, requested });
    return c.json(
      {
        success: true as const,
        data: toMonitorInfo(monitor, { nowMs: deps.clock.now(), caller }),
        ...warningOf(monitor, deps.llm !== undefined),
      },
      200,
    );
  },
});

const deleteRoute = createRoute({
  ...common,
  method: "delete",
  path: "/v2/monitor/{id}",
  "x-key-scope": "monitor",
  summary: "Delete a monitor and its checks",
  request: { params: IdParam },
  responses: { 200: json(Done, "The monitor is deleted"), ...NOT_THERE },
});

export const deleteMonitor = defineOpenAPIRoute<typeof deleteRoute, AppEnv>({
  route: deleteRoute,
  handler: async (c) => {
    await admit(c, READS);
    const { deps, caller } = c.var;
    const { id } = await findMonitor(deps, caller, c.req.valid("param").id);
    await deps.monitors.remove(id);
    return c.json({ success: true as const }, 200);
  },
});

const Busy = z.object({
  success: z.literal(false).describe("Always false for an error."),
  error: z.string().describe("Why no check was started."),
  checkId: z.string().optional().describe("ID of the check that is running."),
});
const runRoute = createRoute({
  ...common,
  method: "post",
  path: "/v2/monitor/{id}/run",
  "x-key-scope": "monitor",
  summary: "Run a monitor now",
  middleware: [replayResponse("crawl")] as const,
  request: { params: IdParam },
  responses: {
    ...NOT_THERE,
    200: json(
      z
        .object({ ...Success, id: z.string().describe("ID of the check."), data: CheckInfo })
        .openapi("MonitorRun", { example: { success: true, id: CHECK_EXAMPLE.id, data: CHECK_EXAMPLE } }),
      "The check has begun",
    ),
    409: json(
      Busy,
      "IDEMPOTENCY_KEY_USED: Idempotency key already used; or the monitor is paused, or a check is running",
    ),
  },
});

export const runMonitor = defineOpenAPIRoute<typeof runRoute, AppEnv>({
  route: runRoute,
  handler: async (c) => {
    await admit(c, { mode: "crawl", credits: 0 });
    const { deps, caller } = c.var;
    const { id } = c.req.valid("param");
    const monitor = await findUsableMonitor(deps, caller, id);
    const check = await startManualCheck(deps, monitor, c.var.workId);
    if (check !== undefined)
      return c.json({ success: true as const, id: check.id, data: toCheckInfo(monitor, check) }, 200);
    const { status, currentCheckId: checkId } = await findMonitor(deps, caller, id);
    if (status === "paused") return c.json({ success: false as const, error: "Monitor is paused" }, 409);
    const running = checkId === undefined ? {} : { checkId };
    return c.json({ success: false as const, error: "A check of this monitor is already running", ...running }, 409);
  },
});

const checksRoute = createRoute({
  ...common,
  method: "get",
  path: "/v2/monitor/{id}/checks",
  "x-key-scope": "monitor",
  summary: "List the checks of a monitor",
  request: {
    params: IdParam,
    query: Range.extend({
      status: z.enum(CHECK_STATUSES).optional().describe("Returns only checks with this status. Default: all checks."),
    }),
  },
  responses: {
    200: json(
      z
        .object({ ...Success, data: z.array(CheckInfo).describe("Checks, newest first."), ...Next })
        .openapi("MonitorChecks", { example: { success: true, data: [CHECK_EXAMPLE] } }),
      "The checks, newest first",
    ),
    ...CHANGES,
  },
});

export const listChecks = defineOpenAPIRoute<typeof checksRoute, AppEnv>({
  route: checksRoute,
  handler: async (c) => {
    await admit(c, READS);
    const { deps, caller } = c.var;
    const monitor = await findMonitor(deps, caller, c.req.valid("param").id);
    const { limit, offset, status } = c.req.valid("query");
    const checks = await deps.monitors.listChecks(monitor.id, { limit: limit + 1, offset, status });
    const data = checks.slice(0, limit).map((check) => toCheckInfo(monitor, check));
    const query = `?limit=${limit}&offset=${offset + limit}${status === undefined ? "" : `&status=${status}`}`;
    const next = checks.length > limit ? { next: jobUrl(c, `${c.req.path}${query}`) } : {};
    return c.json({ success: true as const, data, ...next }, 200);
  },
});

const DETAIL_EXAMPLE = { ...CHECK_EXAMPLE, pages: [PAGE_EXAMPLE] };
const DetailedCheck = CheckInfo.extend({
  pages: z.array(MonitorPage).describe("Pages of the check."),
  ...Next,
}).openapi({
  example: DETAIL_EXAMPLE,
});
const CheckDetail = z
  .object({ ...Success, ...Next, data: DetailedCheck.describe("The check with its pages.") })
  .openapi("MonitorCheckDetail", { example: { success: true, data: DETAIL_EXAMPLE } });

const checkRoute = createRoute({
  ...common,
  method: "get",
  path: "/v2/monitor/{id}/checks/{checkId}",
  "x-key-scope": "monitor",
  summary: "Get a check and its pages",
  request: {
    params: IdParam.extend({ checkId: z.string().describe("ID of the check.") }),
    query: z.object({
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(100)
        .default(25)
        .describe("Maximum number of pages, 1 to 100. Default: 25."),
      skip: z.coerce.number().int().min(0).default(0).describe("Number of pages to skip. Default: 0."),
      status: z.enum(PAGE_STATUSES).optional().describe("Returns only pages with this status. Default: all pages."),
    }),
  },
  responses: { 200: json(CheckDetail, "The check"), ...CHANGES },
});

export const getCheck = defineOpenAPIRoute<typeof checkRoute, AppEnv>({
  route: checkRoute,
  handler: async (c) => {
    await admit(c, READS);
    const { deps, caller } = c.var;
    const { id, checkId } = c.req.valid("param");
    const { limit, skip, status } = c.req.valid("query");
    const monitor = await findUsableMonitor(deps, caller, id);
    const check = await findCheck(deps, monitor, checkId);
    const pages = await deps.monitors.pages(checkId, { limit: limit + 1, skip, status });
    const query = `?skip=${skip + limit}&limit=${limit}${status === undefined ? "" : `&status=${status}`}`;
    const next = pages.length > limit ? { next: jobUrl(c, `${c.req.path}${query}`) } : {};
    const summary = check.summary ?? (await deps.monitors.summary(checkId));
    const newPages = await deps.monitors.newPages(checkId);
    const data = {
      ...withMatches(toCheckInfo(monitor, check), newPages),
      summary,
      pages: pages.slice(0, limit),
      ...next,
    };
    return c.json({ success: true as const, ...next, data }, 200);
  },
});
