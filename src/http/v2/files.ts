import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../account/key-scope.ts";
import { findFile } from "../../services/jobs/read-job-document.ts";
import { failures } from "../route.ts";

const route = createRoute({
  method: "get",
  path: "/v2/files/{token}",
  "x-key-scope": "url",
  tags: ["Scraping"],
  summary: "Download a screenshot or PDF",
  request: {
    params: z.object({
      token: z.string().openapi({
        description: "Signed name of the file, as part of the URL that a scrape returned.",
        param: { name: "token", in: "path" },
      }),
    }),
  },
  responses: {
    200: { description: "The file", content: { "application/octet-stream": { schema: z.string() } } },
    ...failures("FILE_GONE"),
  },
});

/** Files come from untrusted pages: the browser that shows one may not run its scripts. */
const SAFETY_HEADERS = {
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "private, max-age=3600, immutable",
  "Referrer-Policy": "no-referrer",
};

export const getFile = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  handler: async (c) => {
    const file = await findFile(c.var.deps, c.req.valid("param").token);
    return c.body(file.body, 200, {
      ...SAFETY_HEADERS,
      "Content-Type": file.contentType,
      "Content-Length": String(file.size),
    });
  },
});
