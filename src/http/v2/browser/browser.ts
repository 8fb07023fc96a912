import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { AppError } from "../../../core/errors.ts";
import { DEFAULT_VIEWPORT, MAX_VIEWPORT_SIDE } from "../../../core/sessions/browser-session.ts";
import { sessionReceipt } from "../../../core/account/receipt.ts";
import { giveBack } from "../../../services/account/account.ts";
import { checkRetention } from "../../../services/account/check-retention.ts";
import { closeBrowser } from "../../../services/sessions/close-browser.ts";
import { listBrowsers, type ListedBrowser } from "../../../services/sessions/list-browsers.ts";
import { runInBrowser } from "../../../services/sessions/run-in-browser.ts";
import { openBrowser } from "../../../services/sessions/open-browser.ts";
import { SESSION_LINKS, sessionLinks } from "../../sessions/browser-response.ts";
import { replayResponse } from "../../replay-response.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { checkLanguage, EXECUTION_FIELDS, executionFields, LANGUAGES } from "../../sessions/execution-response.ts";
import { warningField } from "../../warning-field.ts";
import { UnknownFieldsWarning, unknownFieldsWarning } from "../../sessions/unknown-fields.ts";
import { publicOrigin } from "../../public-origin.ts";
import { admit, admitWork } from "../../account/rate-limit.ts";
import { BEARER, COMMON_FAILURES, IdParam, ReceiptField, failures, json, jsonBody } from "../../route.ts";
import { nameWork, receiptOf } from "../../work.ts";
import {
  EXAMPLE_END,
  EXAMPLE_ID,
  EXAMPLE_START,
  EXECUTION_EXAMPLE,
  SESSION_LINKS_EXAMPLE,
} from "../../docs/examples.ts";

/** Charged when a session is opened: its first minute. */
const FIRST_CREDITS = 2;
const TAGS = ["Browser sessions"];

const CreateBody = z
  .looseObject({
    ttl: z
      .int()
      .min(30)
      .max(3600)
      .default(600)
      .openapi({ description: "Maximum lifetime of the session in seconds, 30 to 3,600. Default: 600." }),
    activityTtl: z
      .int()
      .min(10)
      .max(3600)
      .default(300)
      .openapi({ description: "Time without use after which the session ends in seconds, 10 to 3,600. Default: 300." }),
    name: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe("Name of the session in lists and in the dashboard, 1 to 100 characters."),
    viewport: z
      .strictObject({
        width: z.int().min(320).max(MAX_VIEWPORT_SIDE).describe("Width in CSS pixels, 320 to 1,920."),
        height: z.int().min(240).max(MAX_VIEWPORT_SIDE).describe("Height in CSS pixels, 240 to 1,920."),
      })
      .optional()
      .describe(
        "Initial size of the session's pages, of their live view and of their recording. Code and CDP clients may set another one. Default: 1280 × 720.",
      ),
    streamWebView: z.boolean().default(true).describe("Makes the live view available. Default: true."),
    recordSession: z
      .boolean()
      .default(false)
      .describe("Records the session for replay. It cannot be combined with `zeroDataRetention`. Default: false."),
    profile: z
      .strictObject({
        name: z.string().min(1).max(128).describe("Name of the profile within the team, 1 to 128 characters."),
        saveChanges: z
          .boolean()
          .default(true)
          .describe(
            "Saves the state when the session is deleted; only one session at a time can do so. Default: true.",
          ),
      })
      .optional()
      .describe("Stored browser state to load: cookies, local and session storage, and IndexedDB."),
    zeroDataRetention: z
      .boolean()
      .default(false)
      .openapi({ description: "Refuses options that store data, where the deployment allows it. Default: false." }),
    integration: z.string().nullish().describe("Name of the calling integration. It does not change the result."),
    origin: z.string().optional().describe("Name of the calling program. It does not change the result."),
  })
  .refine(({ zeroDataRetention, recordSession }) => !zeroDataRetention || !recordSession, {
    message: "recordSession keeps what the session shows, which zeroDataRetention forbids",
  })
  .refine(({ zeroDataRetention, profile }) => !zeroDataRetention || profile?.saveChanges !== true, {
    message: "A profile with saveChanges keeps data, which zeroDataRetention forbids",
  })
  .openapi("CreateBrowser", {
    example: { ttl: 600, recordSession: true, name: "Checkout test", viewport: { width: 1280, height: 720 } },
  });

const CreatedBrowser = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    id: z.string().describe("ID of the resource."),
    ...SESSION_LINKS,
    expiresAt: z.string().describe("Time at which the resource expires."),
    warning: z.string().optional().openapi({
      description:
        "Fields of the request that have no effect, and storage of the profile that was not restored. Absent when there are none.",
    }),
    receipt: ReceiptField,
  })
  .openapi("CreatedBrowser", {
    example: { success: true, id: EXAMPLE_ID, ...SESSION_LINKS_EXAMPLE, expiresAt: "2026-11-21T10:25:00.000Z" },
  });

const createBrowserRoute = createRoute({
  method: "post",
  path: "/v2/browser",
  "x-key-scope": "browser",
  tags: TAGS,
  summary: "Create a browser session",
  middleware: [replayResponse("browser")] as const,
  security: BEARER,
  request: { body: { ...jsonBody(CreateBody).body, required: false } },
  responses: {
    200: json(CreatedBrowser, "The session"),
    ...failures(
      "BAD_REQUEST",
      "IDEMPOTENCY_KEY_USED",
      "ZERO_DATA_RETENTION_DISABLED",
      "CONCURRENCY_LIMITED",
      "BROWSER_SESSION_FAILED",
      "BROWSER_NOT_CONFIGURED",
      "PROFILE_LOCKED",
      "PROFILE_UNREADABLE",
      "PROFILES_NOT_CONFIGURED",
      ...COMMON_FAILURES,
    ),
  },
});
export const createBrowser = defineOpenAPIRoute<typeof createBrowserRoute, AppEnv>({
  route: createBrowserRoute,
  handler: (c) => handleCreate(c, c.req.valid("json")),
});
const createInteractRoute = createRoute({ ...createBrowserRoute, path: "/v2/interact" });
export const createInteract = defineOpenAPIRoute<typeof createInteractRoute, AppEnv>({
  route: createInteractRoute,
  handler: (c) => handleCreate(c, c.req.valid("json")),
});

async function handleCreate(c: Context<AppEnv>, body: Partial<z.infer<typeof CreateBody>>) {
  // A request without a body has no options.
  const { ttl, activityTtl, streamWebView, recordSession, ...others } = CreateBody.parse(body);
  const named = { profile: others.profile, name: others.name, viewport: others.viewport };
  const { deps, caller, workId: id } = c.var;
  checkRetention(deps, others.zeroDataRetention);
  if (deps.browserSessions === undefined) throw new AppError("BROWSER_NOT_CONFIGURED");
  await admitWork(c, { mode: "browser", endpoint: "browser", target: null, credits: FIRST_CREDITS });
  const requested = { id, ttlMs: ttl * 1000, activityTtlMs: activityTtl * 1000, streamWebView, recordSession };
  try {
    const opened = await openBrowser(deps, caller, { ...requested, ...named });
    if (opened.kind === "taken" || opened.view.tokens === undefined) throw new AppError("BROWSER_SESSION_FAILED");
    const { life, tokens } = opened.view;
    const links = sessionLinks(publicOrigin(c.req.raw), life.id, tokens);
    const expiresAt = new Date(life.expiresAtMs).toISOString();
    nameWork(c, { id: life.id });
    const created = { success: true as const, id: life.id, ...links, expiresAt };
    const warning = unknownFieldsWarning(CreateBody, body, opened.warning === undefined ? [] : [opened.warning]);
    return c.json({ ...created, ...warning, receipt: receiptOf(c) }, 200);
  } catch (error) {
    giveBack(deps, FIRST_CREDITS);
    throw error;
  }
}

const SESSION_EXAMPLE = {
  id: EXAMPLE_ID,
  status: "active",
  ...SESSION_LINKS_EXAMPLE,
  streamWebView: true,
  createdAt: EXAMPLE_START,
  lastActivity: EXAMPLE_END,
  expiresAt: "2026-11-21T10:25:00.000Z",
  name: "Checkout test",
  recordSession: true,
  viewport: { width: 1280, height: 720 },
};
const ListedSession = z
  .object({
    id: z.string().describe("ID of the resource."),
    status: z.enum(["active", "destroyed"]).describe("State of the session."),
    ...SESSION_LINKS,
    streamWebView: z.boolean().describe("Whether the live view is available."),
    createdAt: z.string().describe("Time of creation."),
    lastActivity: z.string().describe("Time of the last use."),
    expiresAt: z.string().describe("Time at which the session ends at the latest."),
    name: z.string().optional().describe("Name of the session. Absent when it was given none."),
    profile: z.string().optional().describe("Name of the profile that was loaded. Absent without one."),
    recordSession: z.boolean().describe("Whether the session is recorded."),
    viewport: z
      .object({
        width: z.number().describe("Width in CSS pixels."),
        height: z.number().describe("Height in CSS pixels."),
      })
      .optional()
      .describe("Initial size of the pages of an active session."),
  })
  .openapi("BrowserSession", { description: "A browser session of the team.", example: SESSION_EXAMPLE });

const Sessions = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    sessions: z.array(ListedSession).describe("Sessions, newest first."),
  })
  .openapi("BrowserSessions", { example: { success: true, sessions: [SESSION_EXAMPLE] } });

const listBrowsersRoute = createRoute({
  method: "get",
  path: "/v2/browser",
  "x-key-scope": "browser",
  tags: TAGS,
  summary: "List browser sessions",
  security: BEARER,
  request: {
    query: z.object({
      status: z
        .enum(["active", "destroyed"])
        .optional()
        .describe("Returns only sessions with this status. Default: all sessions."),
    }),
  },
  responses: {
    200: json(Sessions, "The sessions, newest first"),
    ...failures("BAD_REQUEST", ...COMMON_FAILURES),
  },
});
export const getBrowsers = defineOpenAPIRoute<typeof listBrowsersRoute, AppEnv>({
  route: listBrowsersRoute,
  handler: (c) => handleList(c, c.req.valid("query").status),
});
const listInteractsRoute = createRoute({ ...listBrowsersRoute, path: "/v2/interact" });
export const getInteracts = defineOpenAPIRoute<typeof listInteractsRoute, AppEnv>({
  route: listInteractsRoute,
  handler: (c) => handleList(c, c.req.valid("query").status),
});

async function handleList(c: Context<AppEnv>, status: "active" | "destroyed" | undefined) {
  await admit(c, { mode: "browser", credits: 0 });
  const listed = await listBrowsers(c.var.deps, c.var.caller, status);
  const origin = publicOrigin(c.req.raw);
  return c.json({ success: true as const, sessions: listed.map((entry) => toListed(entry, origin)) }, 200);
}

/** Converts a session for the list. An ended session has no URLs; the fields stay as texts, which clients expect. */
function toListed({ row, view }: ListedBrowser, origin: string): z.infer<typeof ListedSession> {
  const links =
    view?.tokens === undefined
      ? { cdpUrl: "", liveViewUrl: "", interactiveLiveViewUrl: "" }
      : sessionLinks(origin, row.id, view.tokens);
  return {
    id: row.id,
    status: row.status,
    ...links,
    streamWebView: row.streamWebView,
    createdAt: new Date(row.createdAtMs).toISOString(),
    lastActivity: new Date(view?.life.lastActivityMs ?? row.lastActivityMs).toISOString(),
    expiresAt: new Date(row.expiresAtMs).toISOString(),
    recordSession: row.recordSession === true,
    name: row.name,
    profile: row.profile?.name,
    ...(view === undefined ? {} : { viewport: view.life.viewport ?? DEFAULT_VIEWPORT }),
  };
}

const DeletedBrowser = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    sessionDurationMs: z.number().describe("Duration of the session in milliseconds."),
    creditsBilled: z
      .number()
      .optional()
      .describe("Credits charged for the session. Absent when it was deleted before."),
    cleanupQueued: z.boolean().describe("Whether the browser is closed in the background."),
    warning: z.string().optional().describe("What was not saved of the profile. Absent when all of it was."),
    receipt: ReceiptField,
  })
  .openapi("DeletedBrowser", {
    example: { success: true, sessionDurationMs: 41_200, creditsBilled: 2, cleanupQueued: true },
  });

const deleteBrowserRoute = createRoute({
  method: "delete",
  path: "/v2/browser/{id}",
  "x-key-scope": "browser",
  tags: TAGS,
  summary: "Delete a browser session",
  security: BEARER,
  request: { params: IdParam },
  responses: {
    200: json(DeletedBrowser, "The session is deleted"),
    ...failures("BROWSER_SESSION_NOT_FOUND", "BROWSER_NOT_CONFIGURED", ...COMMON_FAILURES),
  },
});
export const deleteBrowser = defineOpenAPIRoute<typeof deleteBrowserRoute, AppEnv>({
  route: deleteBrowserRoute,
  handler: (c) => handleDelete(c, c.req.valid("param").id),
});
const deleteInteractRoute = createRoute({ ...deleteBrowserRoute, path: "/v2/interact/{id}" });
export const deleteInteract = defineOpenAPIRoute<typeof deleteInteractRoute, AppEnv>({
  route: deleteInteractRoute,
  handler: (c) => handleDelete(c, c.req.valid("param").id),
});

async function handleDelete(c: Context<AppEnv>, id: string) {
  await admit(c, { mode: "browser", credits: 0 });
  const { durationMs, credits, wasEnded, warning } = await closeBrowser(c.var.deps, c.var.caller, id);
  const billed = wasEnded ? {} : { creditsBilled: credits };
  const receipt = sessionReceipt({ durationMs, credits: credits - FIRST_CREDITS });
  return c.json(
    {
      success: true as const,
      sessionDurationMs: durationMs,
      ...billed,
      cleanupQueued: true,
      ...warningField([warning]),
      receipt,
    },
    200,
  );
}

const ExecuteBody = z
  .looseObject({
    code: z.string().min(1).max(100_000).describe("Source code to run, 1 to 100,000 characters."),
    language: z
      .enum(LANGUAGES)
      .default("node")
      .describe(
        "Language of the code: `node` runs JavaScript with Playwright, `bash` runs agent-browser commands, `python` is refused. Default: node.",
      ),
    timeout: z
      .number()
      .min(1)
      .max(300)
      .default(30)
      .openapi({ description: "Time limit in seconds, 1 to 300. Default: 30." }),
    integration: z.string().nullish().describe("Name of the calling integration. It does not change the result."),
    origin: z.string().optional().describe("Name of the calling program. It does not change the result."),
  })
  .openapi("ExecuteInBrowser", { example: { code: "await page.goto('https://example.com'); await page.title()" } });

const executeRoute = createRoute({
  method: "post",
  path: "/v2/browser/{id}/execute",
  "x-key-scope": "browser",
  tags: TAGS,
  summary: "Run code in a browser session",
  security: BEARER,
  request: { params: IdParam, ...jsonBody(ExecuteBody) },
  responses: {
    200: json(
      z
        .object({
          success: z.literal(true).describe("Always true, also when the code failed; see `error`."),
          ...EXECUTION_FIELDS,
          warning: UnknownFieldsWarning,
          receipt: ReceiptField,
        })
        .openapi("ExecutedInBrowser", { example: { success: true, ...EXECUTION_EXAMPLE } }),
      "The output of the code, or its error",
    ),
    ...failures(
      "BAD_REQUEST",
      "BROWSER_SESSION_NOT_FOUND",
      "BROWSER_SESSION_ENDED",
      "NOT_AVAILABLE",
      "BROWSER_NOT_CONFIGURED",
      ...COMMON_FAILURES,
    ),
  },
});
export const executeInBrowser = defineOpenAPIRoute<typeof executeRoute, AppEnv>({
  route: executeRoute,
  handler: (c) => handleExecute(c, c.req.valid("param").id, c.req.valid("json")),
});
const executeInteractRoute = createRoute({ ...executeRoute, path: "/v2/interact/{id}/execute" });
export const executeInInteract = defineOpenAPIRoute<typeof executeInteractRoute, AppEnv>({
  route: executeInteractRoute,
  handler: (c) => handleExecute(c, c.req.valid("param").id, c.req.valid("json")),
});

async function handleExecute(c: Context<AppEnv>, id: string, body: z.infer<typeof ExecuteBody>) {
  const language = checkLanguage(body.language);
  await admitWork(c, { mode: "browserExecute", endpoint: "browser", target: null, credits: 0 });
  const request = { id, language, code: body.code, timeoutMs: body.timeout * 1000 };
  const outcome = await runInBrowser(c.var.deps, c.var.caller, request);
  const warning = unknownFieldsWarning(ExecuteBody, body);
  return c.json({ success: true as const, ...executionFields(outcome), ...warning, receipt: receiptOf(c) }, 200);
}
