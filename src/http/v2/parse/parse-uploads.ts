import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { AppError } from "../../../core/errors.ts";
import type { Owner } from "../../../core/fair-order.ts";
import { CallerFields } from "../../../formats/scrape-options.ts";
import { MAX_UPLOAD_BYTES } from "../../../services/parse/parse-document.ts";
import { openUpload, receiveUpload } from "../../../services/parse/parse-uploads.ts";
import type { AppEnv } from "../../context.ts";
import { readFileBody } from "../../body/limit-body.ts";
import { createRoute } from "../../account/key-scope.ts";
import { jobUrl } from "../../jobs/job-responses.ts";
import { admitWork } from "../../account/rate-limit.ts";
import { Done, BEARER, COMMON_FAILURES, IdParam, ReceiptField, failures, json, jsonBody } from "../../route.ts";
import { receiptOf } from "../../work.ts";
import { EXAMPLE_ID, EXAMPLE_ORIGIN, EXAMPLE_TOKEN } from "../../docs/examples.ts";
import { replayResponse } from "../../replay-response.ts";

const UploadUrlBody = z
  .strictObject({
    filename: z
      .string()
      .min(1)
      .max(512)
      .describe("Name of the file, 1 to 512 characters. Its extension tells the file type."),
    contentType: z.string().min(1).max(255).optional().describe("Media type of the file, at most 255 characters."),
    declaredSizeBytes: z
      .int()
      .min(1)
      .max(MAX_UPLOAD_BYTES)
      .optional()
      .describe("Size of the file in bytes, at most 52,428,800."),
    ...CallerFields,
  })
  .openapi("UploadUrlRequest", { example: { filename: "report.pdf", contentType: "application/pdf" } });

const UploadUrlResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    data: z
      .object({
        uploadUrl: z.string().openapi({ description: "URL to send the file to. It contains its own token." }),
        uploadRef: z.string().openapi({ description: "Reference to send to `POST /v2/parse` instead of the file." }),
        method: z.literal("PUT").describe("HTTP method of the upload."),
        headers: z.record(z.string(), z.string()).describe("HTTP headers to send with the upload."),
        expiresAt: z.string().describe("Time at which the resource expires."),
        maxSizeBytes: z.int().describe("Maximum size of the file in bytes."),
      })
      .describe("The upload URL and how to use it."),
    receipt: ReceiptField,
  })
  .openapi("UploadUrl", {
    example: {
      success: true,
      data: {
        uploadUrl: `${EXAMPLE_ORIGIN}/v2/parse/upload/${EXAMPLE_ID}?uploadRef=${EXAMPLE_TOKEN}`,
        uploadRef: EXAMPLE_TOKEN,
        method: "PUT",
        headers: { "Content-Type": "application/pdf" },
        expiresAt: "2026-11-21T10:25:00.000Z",
        maxSizeBytes: MAX_UPLOAD_BYTES,
      },
    },
  });

const openRoute = createRoute({
  method: "post",
  path: "/v2/parse/upload-url",
  "x-key-scope": "parse",
  tags: ["Scraping"],
  summary: "Create an upload URL",
  security: BEARER,
  middleware: [replayResponse("scrape")] as const,
  request: jsonBody(UploadUrlBody),
  responses: {
    200: json(UploadUrlResponse, "The upload URL, valid for one file and 10 minutes"),
    ...failures(
      "BAD_REQUEST",
      "UNSUPPORTED_FILE_TYPE",
      "PARSE_UPLOAD_UNPARSED_LIMIT_REACHED",
      "IDEMPOTENCY_KEY_USED",
      ...COMMON_FAILURES,
    ),
  },
});

export const openUploadUrl = defineOpenAPIRoute<typeof openRoute, AppEnv>({
  route: openRoute,
  handler: async (c) => {
    await admitWork(c, { mode: "scrape", endpoint: "parse", target: null, credits: 0 });
    const { filename, contentType, declaredSizeBytes } = c.req.valid("json");
    const file = { fileName: filename, contentType, declaredBytes: declaredSizeBytes };
    const { id, uploadRef, expiresAtMs } = await openUpload(c.var.deps, c.var.caller, file);
    c.header("Cache-Control", "no-store");
    return c.json(
      {
        success: true as const,
        data: {
          uploadUrl: jobUrl(c, `/v2/parse/upload/${id}?uploadRef=${uploadRef}`),
          uploadRef,
          method: "PUT" as const,
          headers: { "Content-Type": contentType ?? "application/octet-stream" },
          expiresAt: new Date(expiresAtMs).toISOString(),
          maxSizeBytes: declaredSizeBytes ?? MAX_UPLOAD_BYTES,
        },
        receipt: receiptOf(c),
      },
      200,
    );
  },
});

const sendRoute = createRoute({
  method: "put",
  path: "/v2/parse/upload/{id}",
  "x-key-scope": "url",
  tags: ["Scraping"],
  summary: "Upload a file",
  request: {
    params: IdParam,
    query: z.object({
      uploadRef: z.string().max(200).optional().describe("Reference of the upload, as contained in `uploadUrl`."),
    }),
  },
  // Any type of file, unparsed: a schema would read it as text.
  requestBody: { required: true, content: { "*/*": { schema: { type: "string", format: "binary" } } } },
  responses: {
    200: json(Done, "The file is uploaded"),
    ...failures("BAD_REQUEST", "PAYLOAD_TOO_LARGE", "RATE_LIMITED"),
  },
});

export const sendUpload = defineOpenAPIRoute<typeof sendRoute, AppEnv>({
  route: sendRoute,
  handler: async (c) => {
    const { uploadRef } = c.req.valid("query");
    if (uploadRef === undefined) throw new AppError("BAD_REQUEST", "Missing uploadRef: it has no signature");
    let release: (() => void) | undefined;
    const read = async (limits: { maxBytes: number; owner: Owner }): Promise<Uint8Array> => {
      const file = await readFileBody(c, limits);
      release = file.release;
      return file.bytes;
    };
    try {
      await receiveUpload(c.var.deps, { id: c.req.valid("param").id, uploadRef, read });
    } finally {
      release?.();
    }
    return c.json({ success: true as const }, 200);
  },
});
