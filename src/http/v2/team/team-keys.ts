import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { KeyLimits, KeyScopes, type ApiKey } from "../../../core/account/api-key.ts";
import * as manage from "../../../services/account/manage-keys.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { admit } from "../../account/rate-limit.ts";
import { BEARER, COMMON_FAILURES, IdParam, failures, json, jsonBody } from "../../route.ts";
import { EXAMPLE_ID, EXAMPLE_START, OTHER_ID } from "../../docs/examples.ts";

/** Managing keys counts against the mode of the team's routes and costs nothing. */
const INTENT = { mode: "account", credits: 0 } as const;

const CreateKeyBody = z
  .strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .openapi({ example: "nightly crawl" })
      .describe("Name of the key for your own reference, 1 to 100 characters."),
    teamId: z.uuid().toLowerCase().optional().openapi({
      description: "ID of the team of the key. Keys of a team share their jobs and results. Default: your team.",
    }),
    expiresAt: z.iso
      .datetime({ offset: true })
      .optional()
      .describe("Time at which the key expires, in ISO 8601 with a time zone. Default: never."),
    scopes: z
      .strictObject(KeyScopes.shape)
      .optional()
      .describe("What the key may do. Default: everything except administration."),
    limits: KeyLimits.optional().openapi({
      description: "Requests per minute for each rate limit mode. Default: the limits of the deployment.",
    }),
    monthlyCredits: z
      .int()
      .min(0)
      .max(1_000_000_000)
      .optional()
      .describe("Credits per calendar month (UTC). Default: the limit of the deployment."),
    maxConcurrency: z
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe("Maximum number of concurrent jobs, 1 to 10,000. Default: the limit of the deployment."),
    origin: z.string().optional().describe("Name of the calling program. It does not change the result."),
  })
  .openapi("CreateKey", {
    example: { name: "nightly crawl", scopes: { endpoints: ["crawl"] }, monthlyCredits: 5_000 },
  });

const KEY_EXAMPLE = {
  id: EXAMPLE_ID,
  teamId: OTHER_ID,
  name: "nightly crawl",
  prefix: "fc-1a2b3c",
  scopes: { admin: false, endpoints: ["crawl"] },
  limits: {},
  monthlyCredits: 5_000,
  maxConcurrency: null,
  createdAt: EXAMPLE_START,
  expiresAt: null,
  revokedAt: null,
};
const KeyInfo = z
  .object({
    id: z.string().describe("ID of the resource."),
    teamId: z.string().describe("ID of the team of the key."),
    name: z.string().describe("Name of the key."),
    prefix: z.string().openapi({ description: "First characters of the key." }),
    scopes: KeyScopes.describe("What the key may do."),
    limits: KeyLimits.describe("Requests per minute by mode, where they differ from the deployment."),
    monthlyCredits: z
      .number()
      .nullable()
      .describe("Credits per calendar month, or null for the limit of the deployment."),
    maxConcurrency: z
      .number()
      .nullable()
      .describe("Maximum number of concurrent jobs, or null for the limit of the deployment."),
    createdAt: z.string().describe("Time of creation."),
    expiresAt: z.string().nullable().describe("Time at which the key expires, or null."),
    revokedAt: z.string().nullable().describe("Time at which the key was revoked, or null."),
  })
  .openapi("Key", { description: "An API key, without its secret.", example: KEY_EXAMPLE });

const NEW_KEY = `fc-${"0".repeat(32)}`;
const CreatedKey = KeyInfo.extend({
  key: z.string().openapi({ description: "The key itself. It is returned only once.", example: NEW_KEY }),
}).openapi("CreatedKey", {
  description: "The new API key with its secret.",
  example: { ...KEY_EXAMPLE, key: NEW_KEY },
});
const Created = z
  .object({ success: z.literal(true).describe("Always true in a successful response."), data: CreatedKey })
  .openapi("KeyCreated", { example: { success: true, data: { ...KEY_EXAMPLE, key: NEW_KEY } } });
const Keys = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    data: z.array(KeyInfo).describe("Keys, newest first."),
  })
  .openapi("Keys", { example: { success: true, data: [KEY_EXAMPLE] } });

const createKeyRoute = createRoute({
  method: "post",
  path: "/v2/team/keys",
  "x-key-scope": "admin",
  tags: ["Team"],
  summary: "Create an API key",
  security: BEARER,
  request: jsonBody(CreateKeyBody),
  responses: {
    200: json(Created, "The new key"),
    ...failures("BAD_REQUEST", ...COMMON_FAILURES),
  },
});

export const createKey = defineOpenAPIRoute<typeof createKeyRoute, AppEnv>({
  route: createKeyRoute,
  handler: async (c) => {
    await admit(c, INTENT);
    const { origin: _origin, expiresAt, scopes, limits, ...rest } = c.req.valid("json");
    const { text, key } = await manage.createKey(c.var.deps, c.var.caller, {
      ...rest,
      expiresAtMs: expiresAt === undefined ? undefined : Date.parse(expiresAt),
      scopes: scopes ?? { admin: false },
      limits: limits ?? {},
    });
    c.header("Cache-Control", "no-store");
    return c.json({ success: true as const, data: { ...toKeyInfo(key), key: text } }, 200);
  },
});

const listKeysRoute = createRoute({
  method: "get",
  path: "/v2/team/keys",
  "x-key-scope": "admin",
  tags: ["Team"],
  summary: "List API keys",
  security: BEARER,
  responses: {
    200: json(Keys, "All keys, newest first"),
    ...failures(...COMMON_FAILURES),
  },
});

export const listKeys = defineOpenAPIRoute<typeof listKeysRoute, AppEnv>({
  route: listKeysRoute,
  handler: async (c) => {
    await admit(c, INTENT);
    const keys = await manage.listKeys(c.var.deps, c.var.caller);
    return c.json({ success: true as const, data: keys.map(toKeyInfo) }, 200);
  },
});

const KeyRevoked = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    stopped: z
      .object({
        jobs: z.int().describe("Number of jobs."),
        pagesInFlight: z.int().openapi({
          description:
            "Number of pages of these jobs that were being scraped. Those that had started are completed, listed and charged.",
        }),
        sessions: z.int().describe("Number of browser sessions."),
        failed: z
          .int()
          .optional()
          .describe(
            "Number of jobs and sessions that could not be stopped now. The jobs stop with their next worker run, the sessions at their end. Absent when there are none.",
          ),
      })
      .describe("Work of the key that is being stopped."),
  })
  .openapi("KeyRevoked", { example: { success: true, stopped: { jobs: 1, pagesInFlight: 4, sessions: 0 } } });

const revokeKeyRoute = createRoute({
  method: "delete",
  path: "/v2/team/keys/{id}",
  "x-key-scope": "admin",
  tags: ["Team"],
  summary: "Revoke an API key",
  security: BEARER,
  request: { params: IdParam },
  responses: {
    200: json(KeyRevoked, "The key is revoked. Its jobs and sessions stop within 30 seconds."),
    ...failures("KEY_NOT_FOUND", ...COMMON_FAILURES),
  },
});

export const revokeKey = defineOpenAPIRoute<typeof revokeKeyRoute, AppEnv>({
  route: revokeKeyRoute,
  handler: async (c) => {
    await admit(c, INTENT);
    const stopped = await manage.revokeKey(c.var.deps, c.var.caller, c.req.valid("param").id);
    return c.json({ success: true as const, stopped }, 200);
  },
});

function toKeyInfo(key: ApiKey): z.infer<typeof KeyInfo> {
  return {
    id: key.id,
    teamId: key.teamId,
    name: key.name,
    prefix: key.prefix,
    scopes: key.scopes,
    limits: key.limits,
    monthlyCredits: key.monthlyCredits ?? null,
    maxConcurrency: key.maxConcurrency ?? null,
    createdAt: new Date(key.createdAtMs).toISOString(),
    expiresAt: toIso(key.expiresAtMs),
    revokedAt: toIso(key.revokedAtMs),
  };
}

function toIso(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
