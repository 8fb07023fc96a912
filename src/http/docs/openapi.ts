import type { OpenAPIHono } from "@hono/zod-openapi";
import { etag } from "hono/etag";
import type { ErrorCode } from "../../core/errors.ts";
import type { AppEnv } from "../context.ts";
import { failures } from "../route.ts";
import { AlexandriaBody } from "../scrape/alexandria.ts";

type Document = ReturnType<OpenAPIHono<AppEnv>["getOpenAPI31Document"]>;
type Operation = NonNullable<NonNullable<Document["paths"]>[string]["get"]>;

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

/** Order of the groups in the document; other groups come last. */
const TAG_ORDER = [
  "Scraping",
  "Batch scrape",
  "Crawling",
  "Mapping",
  "Searching",
  "Extraction",
  "Agent",
  "Jobs",
  "Browser sessions",
  "Monitors",
  "Team",
  "Service",
  "Version 1",
];

/** Errors that every route with a body can return before its handler runs (`body/limit-body.ts`). */
const BODY_FAILURES = ["REQUEST_TIMEOUT", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"] as const satisfies ErrorCode[];
/** Bodies that an operation takes instead of its own, answered by middleware. */
const ALTERNATIVE_BODIES = [{ path: "/v2/scrape", name: "AlexandriaRequest", schema: AlexandriaBody }] as const;
const ERROR_REFERENCE = { $ref: "#/components/schemas/Error" };

/** Serves the OpenAPI 3.1 document of the routes' schemas. */
export function documentation(app: OpenAPIHono<AppEnv>): void {
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", { type: "http", scheme: "bearer" });
  for (const { name, schema } of ALTERNATIVE_BODIES) app.openAPIRegistry.register(name, schema);
  let parts: [head: string, tail: string] | undefined;
  // Clients ask again with the ETag of what they have.
  app.get("/openapi.json", etag(), (c) => {
    parts ??= partsOf(describe(app));
    const origin = JSON.stringify(new URL(c.req.url).origin);
    return c.body(parts.join(origin), 200, { "Content-Type": "application/json", "Cache-Control": "no-cache" });
  });
}

/** Stands for the origin of the request in the text that is stored. */
const ANY_ORIGIN = "https://any-origin.invalid";

/** Returns the text before and after the origin. It is written once: that takes as long as many requests. */
function partsOf(document: Document): [head: string, tail: string] {
  const text = JSON.stringify(document);
  const origin = JSON.stringify(ANY_ORIGIN);
  const at = text.indexOf(origin);
  return [text.slice(0, at), text.slice(at + origin.length)];
}

function describe(app: OpenAPIHono<AppEnv>): Document {
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Orbweaver",
      version: "0.1.0",
      description:
        "Web data API: scrape pages to clean markdown, crawl and map sites, search, extract, and drive browsers.",
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    servers: [{ url: ANY_ORIGIN }],
  });
  for (const { path, name } of ALTERNATIVE_BODIES) addBody(document.paths?.[path]?.post, name);
  const tags = new Set<string>();
  for (const [path, operations] of Object.entries(document.paths ?? {})) {
    for (const method of METHODS) {
      const operation = operations[method];
      if (operation === undefined) continue;
      complete(operation, { method, path });
      for (const tag of operation.tags ?? []) tags.add(tag);
    }
  }
  const ordered = [...TAG_ORDER.filter((name) => tags.delete(name)), ...tags];
  return { ...document, tags: ordered.map((name) => ({ name })) };
}

/** Documents another body of an operation as an alternative to its own. */
function addBody(operation: Operation | undefined, name: string): void {
  const { requestBody } = operation ?? {};
  const media =
    requestBody !== undefined && "content" in requestBody ? requestBody.content["application/json"] : undefined;
  if (media?.schema !== undefined) media.schema = { anyOf: [media.schema, { $ref: `#/components/schemas/${name}` }] };
}

/** Adds what follows from an operation's path and method: its id, and the failures of the middleware. */
function complete(operation: Operation, { method, path }: { method: string; path: string }): void {
  operation.operationId ??= operationIdOf(method, path);
  // A route without a declaration needs no key.
  operation.security ??= [];
  operation.responses = { ...plainFailures(operation), ...operation.responses };
  const conflict = Object(operation.responses["409"]) as { description?: string };
  if (conflict.description?.includes("IDEMPOTENCY_KEY_USED") === true) {
    operation.parameters = [...(operation.parameters ?? []), IDEMPOTENCY_KEY];
  }
}

/** The idempotency header of an operation. */
const IDEMPOTENCY_KEY: NonNullable<Operation["parameters"]>[number] = {
  name: "x-idempotency-key",
  in: "header",
  required: false,
  schema: { type: "string", format: "uuid" },
  description:
    "A repeat with the same key and the same body gets the job or the answer of the first request, also after a crash. " +
    "Another body is refused with 409. Keys are kept as long as results.",
};

function plainFailures(operation: Operation): Operation["responses"] {
  const body = operation.requestBody === undefined ? [] : BODY_FAILURES;
  const codes: ErrorCode[] = ["HOST_NOT_ALLOWED", ...body];
  return Object.fromEntries(
    Object.entries(failures(...codes)).map(([status, { description }]) => [
      status,
      { description, content: { "application/json": { schema: ERROR_REFERENCE } } },
    ]),
  );
}

/** Converts `post /v2/crawl/{id}/urls` to `postV2CrawlByIdUrls`, from which client generators name methods. */
function operationIdOf(method: string, path: string): string {
  const words = path.split(/[/-]/).filter((word) => word !== "");
  const named = words.map((word) => word.replace(/^\{(\w+)\}$/, (_whole, name: string) => `by-${name}`));
  return (
    method +
    named
      .flatMap((word) => word.split(/[-_.]/))
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join("")
  );
}
