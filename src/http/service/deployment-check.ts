import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { CHECK_STATES } from "../../core/deployment-check.ts";
import { checkDeployment } from "../../services/upkeep/check-deployment.ts";
import { admit } from "../account/rate-limit.ts";
import { createRoute } from "../account/key-scope.ts";
import type { AppEnv } from "../context.ts";
import { publicOrigin } from "../public-origin.ts";
import { BEARER, COMMON_FAILURES, failures, json, jsonBody } from "../route.ts";

const ECHO_PATH = "/service/echo";
/** A public test site with an expired certificate. */
const BAD_CERTIFICATE_URL = "https://expired.badssl.com/";
/** Headers that a browser holds back from scripts, which could read them here. */
const SECRET_HEADERS = new Set(["authorization", "cookie"]);
const siteUrl = z.url({ protocol: /^https?$/ }).max(2_000);

/** The response to a browser. */
const PAGE_EXAMPLE = `<!doctype html><title>Headers</title><pre>{"headers":{"accept":"text/html"}}</pre>`;
const Echo = z
  .object({ headers: z.record(z.string(), z.string()).describe("Headers of the request, with names in lower case.") })
  .openapi("Echo", { example: { headers: { "user-agent": "curl/8.5.0", accept: "*/*" } } });

const echoRoute = createRoute({
  method: "get",
  path: ECHO_PATH,
  "x-key-scope": "public",
  tags: ["Service"],
  summary: "Get the headers of the request",
  description:
    "Returns the headers that arrived, without `Authorization` and `Cookie`. The check of the deployment loads it to see how sites see the service.",
  responses: {
    200: {
      description: "The headers of the request",
      content: {
        "application/json": { schema: Echo },
        "text/html": { schema: z.string().openapi({ description: "The same as a page.", example: PAGE_EXAMPLE }) },
      },
    },
  },
});
/** Returns a caller its own headers. */
export const echo = defineOpenAPIRoute<typeof echoRoute, AppEnv>({
  route: echoRoute,
  handler: (c) => {
    c.header("Cache-Control", "no-store");
    const headers = [...c.req.raw.headers].filter(([name]) => !SECRET_HEADERS.has(name));
    const seen = { headers: Object.fromEntries(headers) };
    // The browser of the check shows pages only.
    if (c.req.header("accept")?.includes("text/html") === true) return c.html(toPage(JSON.stringify(seen)), 200);
    return c.json(seen, 200);
  },
});

function toPage(text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<!doctype html><title>Headers</title><pre>${escaped}</pre>`;
}

const CheckBody = z
  .strictObject({
    echoUrl: siteUrl
      .optional()
      .describe("URL that returns JSON with the request's `headers`. Default: `/service/echo` of this deployment."),
    badCertificateUrl: siteUrl
      .optional()
      .describe(`URL of a host whose certificate must be refused. Default: \`${BAD_CERTIFICATE_URL}\`.`),
  })
  .openapi("DeploymentCheckRequest", { example: { badCertificateUrl: BAD_CERTIFICATE_URL } });

const Checks = z
  .object({
    success: z.literal(true).describe("Always true: the state of each check is in `checks`."),
    place: z.string().optional().describe("Data centre that ran the checks, as its airport code."),
    checks: z
      .array(
        z.object({
          name: z.string().describe("What was checked."),
          state: z.enum(CHECK_STATES).describe("`skipped` when the check cannot be made in this deployment."),
          detail: z.string().describe("What was found."),
          ms: z.number().describe("Duration in milliseconds."),
        }),
      )
      .describe("The result of each check."),
  })
  .openapi("DeploymentCheck", {
    example: {
      success: true,
      place: "FRA",
      checks: [{ name: "queue", state: "ok", detail: "A message is consumed 1240 ms after it is sent", ms: 1310 }],
    },
  });

const checkRoute = createRoute({
  method: "post",
  path: "/service/check",
  "x-key-scope": "admin",
  tags: ["Service"],
  summary: "Check the deployment",
  description:
    "Checks what only the deployed service can show: headers and address of outgoing requests, DNS, certificates, browser, database, bucket, objects and the round trip of a queue message. Takes up to a minute.",
  security: BEARER,
  request: jsonBody(CheckBody),
  responses: {
    200: json(Checks, "The result of each check"),
    ...failures("BAD_REQUEST", ...COMMON_FAILURES),
  },
});

/** Runs the checks of a deployment, for keys with the admin scope. */
export const deploymentCheck = defineOpenAPIRoute<typeof checkRoute, AppEnv>({
  route: checkRoute,
  handler: async (c) => {
    await admit(c, { mode: "account", credits: 0 });
    const { echoUrl = `${publicOrigin(c.req.raw)}${ECHO_PATH}`, badCertificateUrl = BAD_CERTIFICATE_URL } =
      c.req.valid("json");
    const callerAddress = c.req.header("cf-connecting-ip");
    const checks = await checkDeployment(c.var.deps, { echoUrl, badCertificateUrl, callerAddress });
    const { colo } = Object(c.req.raw.cf) as { colo?: unknown };
    const place = typeof colo === "string" ? { place: colo } : {};
    return c.json({ success: true as const, ...place, checks }, 200);
  },
});
