import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { ScrapeDocument } from "../../../core/scrape/document.ts";
import { AppError, isAppError } from "../../../core/errors.ts";
import { parseWithinLimits } from "../../../core/schema/list-limits.ts";
import { outputsOf } from "../../../formats/outputs.ts";
import { CallerFields, SCRAPE_OPTION_FIELDS, checkCombinations } from "../../../formats/scrape-options.ts";
import { checkRetention } from "../../../services/account/check-retention.ts";
import { parseDocument, type ParseRequest } from "../../../services/parse/parse-document.ts";
import { withUpload } from "../../../services/parse/parse-uploads.ts";
import { estimateCredits } from "../../../services/scrape/scrape-credits.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { schemaError } from "../../error-response.ts";
import { assertSmallJson } from "../../body/limit-body.ts";
import { boundaryOf } from "../../body/limit-parts.ts";
import { publicOrigin } from "../../public-origin.ts";
import { admitWork } from "../../account/rate-limit.ts";
import { BEARER, COMMON_FAILURES, ReceiptField, failures, json } from "../../route.ts";
import { checkUnread } from "../../scrape/counted-body.ts";
import { respondWithDocument } from "../../scrape/scrape-response.ts";
import { nameWork, workTarget } from "../../work.ts";
import { EXAMPLE_ID, EXAMPLE_TOKEN } from "../../docs/examples.ts";

const ParseOptions = z
  .strictObject({
    ...SCRAPE_OPTION_FIELDS,
    zeroDataRetention: z
      .boolean()
      .optional()
      .describe(
        "Keeps neither the file nor the result. It is refused unless the deployment allows it. Default: false.",
      ),
    ...CallerFields,
  })
  .superRefine(checkCombinations);

const ParseReference = z
  .strictObject({
    uploadRef: z
      .string()
      .min(1)
      .max(200)
      .describe("Reference of a file that was uploaded to the URL of `POST /v2/parse/upload-url`."),
    ...SCRAPE_OPTION_FIELDS,
    zeroDataRetention: z
      .boolean()
      .optional()
      .describe(
        "Keeps neither the file nor the result. It is refused unless the deployment allows it. Default: false.",
      ),
    ...CallerFields,
  })
  .superRefine(checkCombinations);

const ParseResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    data: ScrapeDocument.describe("Content of the file."),
    receipt: ReceiptField,
  })
  .openapi("ParseResponse", {
    example: {
      success: true,
      data: {
        markdown: "# Report\n\nThe harbour had 84 berths.",
        metadata: { sourceURL: "report.pdf", contentType: "application/pdf", numPages: 1, scrapeId: EXAMPLE_ID },
      },
    },
  });

const route = createRoute({
  method: "post",
  path: "/v2/parse",
  "x-key-scope": "parse",
  tags: ["Scraping"],
  summary: "Parse a file",
  security: BEARER,
  // Parsed and documented by hand: clients send the parts in either order, and a schema would hold the file as text.
  requestBody: {
    required: true,
    content: {
      "multipart/form-data": {
        schema: {
          type: "object",
          required: ["file"],
          properties: {
            file: { type: "string", format: "binary", description: "File to parse, at most 50 MiB." },
            options: { type: "string", description: "Scrape options as JSON text." },
          },
          example: { file: "(the bytes of report.pdf)", options: '{"formats":["markdown"]}' },
        },
      },
      "application/json": {
        schema: {
          type: "object",
          required: ["uploadRef"],
          properties: {
            uploadRef: { type: "string", description: "Reference of an uploaded file. Options are fields beside it." },
          },
          example: { uploadRef: EXAMPLE_TOKEN },
        },
      },
    },
  },
  responses: {
    200: json(ParseResponse, "The content of the file"),
    ...failures(
      "BAD_REQUEST",
      "PAYLOAD_TOO_LARGE",
      "UNSUPPORTED_FILE_TYPE",
      "PARSE_UNSUPPORTED_OPTIONS",
      ...COMMON_FAILURES,
    ),
  },
});

/** Parts of an upload; the last two name the calling program. */
const PARTS = ["file", "options", "origin", "integration"];
const MAX_SHOWN_CHARS = 100;

export const parse = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  handler: async (c) => {
    if (c.req.header("Content-Type")?.startsWith("application/json") !== true) {
      const { file, options } = await readUpload(c);
      return await answerParse(c, file, options);
    }
    const { uploadRef, ...options } = await readReference(c);
    return await withUpload(c.var.deps, c.var.caller, { uploadRef, read: (file) => answerParse(c, file, options) });
  },
});

async function answerParse(c: Context<AppEnv>, file: ParseRequest["file"], options: z.infer<typeof ParseOptions>) {
  const { zeroDataRetention = false, origin: _, integration: __, ...scrapeOptions } = options;
  checkRetention(c.var.deps, zeroDataRetention);
  const request: ParseRequest = {
    file,
    options: scrapeOptions,
    zeroDataRetention,
    publicOrigin: publicOrigin(c.req.raw),
  };
  const formats = outputsOf(scrapeOptions);
  const target = workTarget(file.fileName, zeroDataRetention);
  checkUnread(c);
  await admitWork(c, { mode: "scrape", endpoint: "parse", target, formats, credits: estimateCredits(request) });
  const { id, engine, json: text } = await parseDocument(c.var.deps, c.var.caller, request);
  nameWork(c, { id, engine, pages: 1 });
  return respondWithDocument(c, text);
}

/** Reads a reference to an uploaded file, and its options. */
async function readReference(c: Context<AppEnv>): Promise<z.infer<typeof ParseReference>> {
  const body: unknown = await c.req.json().catch(() => {
    throw new AppError("BAD_REQUEST_INVALID_JSON");
  });
  const parsed = parseWithinLimits(ParseReference, body);
  if (!parsed.success) throw schemaError(parsed.error.issues, body);
  return parsed.data;
}

async function readUpload(
  c: Context<AppEnv>,
): Promise<{ file: ParseRequest["file"]; options: z.infer<typeof ParseOptions> }> {
  const form = await readForm(c);
  checkParts(form);
  const file = form.get("file");
  if (!(file instanceof File)) {
    throw new AppError("BAD_REQUEST", "Missing file upload: send multipart/form-data with the part `file`");
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const contentType = file.type === "" ? undefined : file.type;
  return { file: { fileName: file.name, contentType, bytes }, options: readOptions(form.get("options")) };
}

/** Refuses what would have no effect: a second file or other parts, such as options that are no field of `options`. */
function checkParts(form: FormData): void {
  const names = [...form.keys()];
  const unknown = names.find((part) => !PARTS.includes(part));
  if (unknown !== undefined) {
    const shown = JSON.stringify(unknown.slice(0, MAX_SHOWN_CHARS));
    throw new AppError("BAD_REQUEST", `Unknown part ${shown}: send the parts \`file\` and \`options\`, a JSON text`);
  }
  const repeated = PARTS.find((part) => form.getAll(part).length > 1);
  if (repeated !== undefined) throw new AppError("BAD_REQUEST", `Send one part \`${repeated}\` for each request`);
}

async function readForm(c: Context<AppEnv>): Promise<FormData> {
  // A form of another type, or with an odd boundary, may have any number of parts.
  if (boundaryOf(c.req.header("Content-Type")) === undefined) {
    throw new AppError("BAD_REQUEST", "Missing file upload: the body is not multipart/form-data");
  }
  try {
    // Not by the framework, which would keep the form beside the bytes of its file.
    return await c.req.raw.formData();
  } catch (error) {
    if (isAppError(error)) throw error;
    throw new AppError("BAD_REQUEST", "Missing file upload: the body is not multipart/form-data", { cause: error });
  }
}

function readOptions(text: File | string | null): z.infer<typeof ParseOptions> {
  if (text === null || text === "") return {};
  const options = typeof text === "string" ? parseJson(text) : undefined;
  const parsed = parseWithinLimits(ParseOptions, options);
  if (!parsed.success) throw schemaError(parsed.error.issues, options);
  return parsed.data;
}

function parseJson(text: string): unknown {
  assertSmallJson(text);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("BAD_REQUEST", "Invalid JSON in the part `options`", { cause: error });
  }
}
