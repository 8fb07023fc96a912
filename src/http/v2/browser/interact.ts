import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { ownerOf } from "../../../core/fair-order.ts";
import { AppError } from "../../../core/errors.ts";
import type { ExecutionOutcome } from "../../../core/sessions/execution.ts";
import { closeSessionOfScrape, sessionOfScrape } from "../../../services/sessions/interact-with-scrape.ts";
import { browserSessionsOf } from "../../../services/sessions/open-browser.ts";
import { ownedModel } from "../../../services/owned-model.ts";
import { promptBrowser } from "../../../services/sessions/prompt-browser.ts";
import { runInBrowser } from "../../../services/sessions/run-in-browser.ts";
import { SESSION_LINKS, sessionLinks } from "../../sessions/browser-response.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { checkLanguage, EXECUTION_FIELDS, executionFields, LANGUAGES } from "../../sessions/execution-response.ts";
import { unknownFieldsWarning } from "../../sessions/unknown-fields.ts";
import { publicOrigin } from "../../public-origin.ts";
import { admit, admitWork } from "../../account/rate-limit.ts";
import { BEARER, COMMON_FAILURES, ReceiptField, IdParam, failures, json, jsonBody } from "../../route.ts";
import { receiptOf } from "../../work.ts";
import { EXAMPLE_ID, EXECUTION_EXAMPLE, SESSION_LINKS_EXAMPLE } from "../../docs/examples.ts";

const TAGS = ["Browser sessions"];
const DEFAULT_TIMEOUT_SECONDS = 30;
/** A prompt takes many steps. Clients end the request itself after 300 seconds. */
const PROMPT_TIMEOUT_SECONDS = 240;
const TIMEOUT_EXIT_CODE = 124;

const InteractBody = z
  .looseObject({
    code: z
      .string()
      .min(1)
      .max(100_000)
      .optional()
      .describe(
        "Source code to run, 1 to 100,000 characters. Either `code` or `prompt` is required; `code` takes precedence, and `warning` says so.",
      ),
    prompt: z
      .string()
      .min(1)
      .max(10_000)
      .optional()
      .describe("Task for the language model to perform in the browser, 1 to 10,000 characters."),
    language: z
      .enum(LANGUAGES)
      .default("node")
      .describe(
        "Language of the code: `node`, `bash`, or `python`, which is refused. Prompts have no language, and `warning` names any other than `node`, which some clients always send. Default: node.",
      ),
    timeout: z
      .number()
      .min(1)
      .max(300)
      .optional()
      .openapi({ description: "Time limit in seconds, 1 to 300. Default: 30 for code, 240 for prompts." }),
    existingSessionId: z.uuid().optional().describe("ID of a browser session to use instead of a new one."),
    integration: z.string().nullish().describe("Name of the calling integration. It does not change the result."),
    origin: z.string().optional().describe("Name of the calling program. It does not change the result."),
  })
  .refine(({ code, prompt }) => code !== undefined || prompt !== undefined, {
    message: "Either 'code' or 'prompt' must be provided.",
  })
  .openapi("Interact", { example: { code: "await page.click('text=More'); await page.title()" } });

const InteractResponse = z
  .object({
    success: z.boolean().describe("Whether the code ended with exit code 0 in time."),
    sessionId: z.string().describe("ID of the browser session."),
    ...SESSION_LINKS,
    output: z.string().optional().openapi({ description: "Answer of the language model. Present for prompts." }),
    ...EXECUTION_FIELDS,
    warning: z
      .string()
      .optional()
      .describe(
        "Fields of the request that have no effect, and what a new session has not of its scrape. Absent when there is nothing to report.",
      ),
    receipt: ReceiptField,
  })
  .openapi("InteractResponse", {
    example: { success: true, sessionId: EXAMPLE_ID, ...SESSION_LINKS_EXAMPLE, ...EXECUTION_EXAMPLE },
  });

const interactRoute = createRoute({
  method: "post",
  path: "/v2/scrape/{id}/interact",
  "x-key-scope": "browser",
  tags: TAGS,
  summary: "Interact with a scraped page",
  security: BEARER,
  request: { params: IdParam, ...jsonBody(InteractBody) },
  responses: {
    200: json(InteractResponse, "The outcome of the code or prompt"),
    ...failures(
      "BAD_REQUEST",
      "INVALID_JOB_ID",
      "JOB_NOT_FOUND",
      "REPLAY_UNAVAILABLE",
      "BROWSER_SESSION_ENDED",
      "CONCURRENCY_LIMITED",
      "NOT_AVAILABLE",
      "REPLAY_FAILED",
      "BROWSER_SESSION_FAILED",
      "MODEL_NOT_CONFIGURED",
      "MODEL_UNAVAILABLE",
      "MODEL_TIMEOUT",
      "MODEL_REFUSED",
      "MODEL_BAD_OUTPUT",
      "BROWSER_NOT_CONFIGURED",
      "PROFILE_NOT_FOUND",
      "PROFILE_UNREADABLE",
      "PROFILES_NOT_CONFIGURED",
      ...COMMON_FAILURES,
    ),
  },
});

export const interact = defineOpenAPIRoute<typeof interactRoute, AppEnv>({
  route: interactRoute,
  handler: async (c) => {
    const body = c.req.valid("json");
    const language = checkLanguage(body.code === undefined ? "node" : body.language);
    if (body.code === undefined && c.var.deps.llm === undefined) throw new AppError("MODEL_NOT_CONFIGURED");
    await admitWork(c, {
      mode: "browserExecute",
      endpoint: "browser",
      listedAs: "interact",
      target: null,
      credits: 0,
    });
    const wanted = { scrapeId: c.req.valid("param").id, existingSessionId: body.existingSessionId };
    const { view, warnings } = await sessionOfScrape(c.var.deps, c.var.caller, wanted);
    const { id } = view.life;
    const { output, outcome } =
      body.code === undefined
        ? await prompt(c, { id, prompt: body.prompt ?? "", timeout: body.timeout ?? PROMPT_TIMEOUT_SECONDS })
        : { output: undefined, outcome: await run(c, { id, language, code: body.code, timeout: body.timeout }) };
    const tokens = view.tokens ?? { cdp: "", view: "", drive: "" };
    return c.json(
      {
        success: outcome.exitCode === 0 && !outcome.killed,
        sessionId: id,
        ...sessionLinks(publicOrigin(c.req.raw), id, tokens),
        ...(output === undefined ? {} : { output }),
        ...executionFields(outcome),
        ...unknownFieldsWarning(InteractBody, body, [...withoutEffect(body), ...warnings]),
        receipt: receiptOf(c),
      },
      200,
    );
  },
});

/** Returns the warnings about options that do not apply to the requested kind of work. */
function withoutEffect({ code, prompt, language }: z.infer<typeof InteractBody>): string[] {
  if (code !== undefined) return prompt === undefined ? [] : ["prompt: it has no effect, since code takes precedence."];
  return language === "node" ? [] : [`language: ${language} has no effect on a prompt.`];
}

async function run(
  c: Context<AppEnv>,
  { id, language, code, timeout = DEFAULT_TIMEOUT_SECONDS }: RunRequest,
): Promise<ExecutionOutcome> {
  return runInBrowser(c.var.deps, c.var.caller, { id, language, code, timeoutMs: timeout * 1000 });
}

interface RunRequest {
  id: string;
  language: "node" | "bash";
  code: string;
  timeout: number | undefined;
}

async function prompt(
  c: Context<AppEnv>,
  { id, prompt, timeout }: { id: string; prompt: string; timeout: number },
): Promise<{ output: string; outcome: ExecutionOutcome }> {
  const { llm, clock, sleep, clientLeft: left } = c.var.deps;
  if (llm === undefined) throw new AppError("MODEL_NOT_CONFIGURED");
  const sessions = browserSessionsOf(c.var.deps);
  await sessions.markPrompted(id);
  const deadlineMs = clock.now() + timeout * 1000;
  const now = (): number => clock.now();
  const { output, steps, stoppedBy } = await promptBrowser(
    { sessions, llm: ownedModel(llm, ownerOf(c.var.caller.key)), now, sleep },
    { sessionId: id, prompt, deadlineMs, left },
  );
  const killed = stoppedBy !== undefined;
  const why = stoppedBy === "time" ? "The time was used up" : "The steps were used up";
  return {
    output,
    outcome: {
      stdout: steps.map((step) => `${step}\n`).join(""),
      stderr: killed ? `${why} before the model was done.\n` : "",
      result: undefined,
      exitCode: killed ? TIMEOUT_EXIT_CODE : 0,
      killed,
    },
  };
}

const StoppedInteract = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    sessionDurationMs: z.number().describe("Duration of the session in milliseconds."),
    creditsBilled: z.number().optional().describe("Credits charged for the session."),
    cleanupQueued: z.boolean().describe("Whether the browser is closed in the background."),
  })
  .openapi("StoppedInteract", {
    example: { success: true, sessionDurationMs: 41_200, creditsBilled: 2, cleanupQueued: true },
  });

const stopInteractRoute = createRoute({
  method: "delete",
  path: "/v2/scrape/{id}/interact",
  "x-key-scope": "browser",
  tags: TAGS,
  summary: "Delete the browser session of a scrape",
  security: BEARER,
  request: { params: IdParam },
  responses: {
    200: json(StoppedInteract, "The session is deleted"),
    ...failures("INVALID_JOB_ID", "JOB_NOT_FOUND", "BROWSER_NOT_CONFIGURED", ...COMMON_FAILURES),
  },
});

export const stopInteract = defineOpenAPIRoute<typeof stopInteractRoute, AppEnv>({
  route: stopInteractRoute,
  handler: async (c) => {
    await admit(c, { mode: "browserExecute", credits: 0 });
    const { durationMs, credits, wasEnded } = await closeSessionOfScrape(
      c.var.deps,
      c.var.caller,
      c.req.valid("param").id,
    );
    const billed = wasEnded ? {} : { creditsBilled: credits };
    return c.json({ success: true as const, sessionDurationMs: durationMs, ...billed, cleanupQueued: true }, 200);
  },
});
