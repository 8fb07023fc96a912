import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { listFileFormats } from "../../../services/parse/list-file-formats.ts";
import { createRoute } from "../../account/key-scope.ts";
import { admit } from "../../account/rate-limit.ts";
import type { AppEnv } from "../../context.ts";
import { BEARER, COMMON_FAILURES, failures, json } from "../../route.ts";

/** The list changes with the service's version only. */
const CACHE_CONTROL = "private, max-age=3600";

const ParseFormats = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    data: z
      .object({
        formats: z
          .array(
            z.object({
              format: z.string().describe("Name of the file format."),
              kind: z
                .enum(["document", "spreadsheet", "presentation", "book", "web", "data", "text", "picture"])
                .describe("Family of the file format."),
              extensions: z.array(z.string()).describe("File extensions of the format, with their dot."),
              mimeTypes: z.array(z.string()).describe("Content types of the format."),
              available: z.boolean().describe("Whether this deployment can read the format."),
            }),
          )
          .describe("File formats, each with the names by which it is recognized."),
      })
      .describe("File formats that can be parsed."),
  })
  .openapi("ParseFormats", {
    example: {
      success: true,
      data: {
        formats: [
          {
            format: "pdf",
            kind: "document",
            extensions: [".pdf"],
            mimeTypes: ["application/pdf", "application/x-pdf"],
            available: true,
          },
        ],
      },
    },
  });

const route = createRoute({
  method: "get",
  path: "/v2/parse/formats",
  "x-key-scope": "parse",
  tags: ["Scraping"],
  summary: "List the file formats that can be parsed",
  security: BEARER,
  responses: { 200: json(ParseFormats, "The file formats"), ...failures(...COMMON_FAILURES) },
});

export const parseFormats = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  handler: async (c) => {
    await admit(c, { mode: "account", credits: 0 });
    c.header("Cache-Control", CACHE_CONTROL);
    return c.json({ success: true as const, data: { formats: listFileFormats(c.var.deps) } }, 200);
  },
});
