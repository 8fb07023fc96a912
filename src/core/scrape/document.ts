import { z } from "zod";
import { PAGE_CHANGES } from "../crawl/page-version.ts";
import { Attempt } from "./attempt.ts";
import { ChangeTracking } from "./change-tracking.ts";
import { Branding } from "./branding.ts";
import { Chunk } from "./chunk.ts";
import { Evidence } from "./evidence.ts";
import { Menu } from "./menu.ts";
import { Product } from "./product.ts";

/**
 * Metadata of a page and of its scrape (api-contract.md, “Metadata”). Other meta tags are included under their own
 * names.
 */
export const DocumentMetadata = z.looseObject({
  title: z.string().optional().describe("Title of the page."),
  description: z.string().optional().describe("Description from the meta tags of the page."),
  language: z.string().optional().describe("Language that the page declares."),
  /** Exactly the URL that the caller sent. */
  sourceURL: z.string().describe("URL exactly as it was requested."),
  /** Final URL, after redirects. */
  url: z.string().optional().describe("Final URL after redirects."),
  /** HTTP status of the page, which may be 404 although the scrape succeeded. */
  statusCode: z.int().optional().describe("HTTP status of the page, which may be an error while the scrape succeeded."),
  /** Text of the page's status when it is 400 or above, or the reason that the content is missing. */
  error: z
    .string()
    .optional()
    .describe("HTTP status text for a status of 400 or more, or what kept the content from being read."),
  contentType: z.string().optional().describe("Media type of the page."),
  proxyUsed: z
    .string()
    .optional()
    .describe("How the request left: `stealth` by a route of `enhanced`, otherwise `basic`."),
  egressRoute: z
    .string()
    .optional()
    .describe("Name of the egress route of `proxy` or of a rule. Absent for the direct way, and for `stealth`."),
  /** Absent when the cache was not consulted. */
  cacheState: z
    .enum(["hit", "miss"])
    .optional()
    .describe("Whether the page came from the cache. Absent when the cache was not consulted."),
  cachedAt: z.string().optional().describe("Time at which the cached copy was made. Present for cache hits."),
  scrapeId: z.string().optional().describe("ID of the scrape, for `GET /v2/scrape/{id}`."),
  creditsUsed: z.number().optional().describe("Credits charged for the page."),
  changeStatus: z
    .enum(PAGE_CHANGES)
    .optional()
    .describe("Difference to the earlier crawl, for crawls with `since`. A page that cannot be judged has none."),
  removedChunks: z
    .array(z.string())
    .optional()
    .describe("Ids of the chunks that the page no longer has, for crawls with `since` and the format `chunks`."),
  numPages: z.int().optional().describe("Number of pages of a PDF that were read."),
  totalPages: z.int().optional().describe("Number of pages of the PDF."),
  timezone: z.string().optional().describe("Time zone of the browser that loaded the page."),
  concurrencyLimited: z.boolean().optional().describe("Whether the scrape waited because of the concurrency limit."),
  concurrencyQueueDurationMs: z
    .number()
    .optional()
    .describe("Time spent waiting because of the concurrency limit, in milliseconds."),
  /** Engine that loaded the page: `fetch`, `browser`, or `cache`. */
  engine: z.string().optional().describe("How the page was loaded, for example `fetch`, `browser` or `cache`."),
  /** Every attempt, with the reason if it was not loaded. */
  attempts: z.array(Attempt).optional().describe("Attempts to load the page, in order."),
});
export type DocumentMetadata = z.infer<typeof DocumentMetadata>;

const AttributeValues = z.object({
  selector: z.string().describe("CSS selector as requested."),
  attribute: z.string().describe("Name of the attribute as requested."),
  values: z.array(z.string()).describe("Values in document order; empty when nothing matches."),
});

/** A scraped page (api-contract.md, “Document”). A field is present if and only if its format was requested. */
export const ScrapeDocument = z.object({
  markdown: z.string().optional().describe("Content as Markdown, for the format `markdown`."),
  html: z.string().optional().describe("Cleaned HTML, for the format `html`."),
  rawHtml: z.string().optional().describe("Body as received, for the format `rawHtml`."),
  rawBase64: z.string().optional().describe("Body in Base64, for the format `rawBase64`."),
  links: z.array(z.string()).optional().describe("Absolute URLs of all links, for the format `links`."),
  images: z.array(z.string()).optional().describe("Absolute URLs of all images, for the format `images`."),
  /** URL of the screenshot. */
  screenshot: z.string().optional().describe("URL of the screenshot, for the format `screenshot`. It expires."),
  attributes: z.array(AttributeValues).optional().describe("Values of attributes, for the format `attributes`."),
  /** Data extracted by a schema or a prompt; null when nothing was found. */
  json: z
    .unknown()
    .optional()
    .describe("Structured data, for `json` and `deterministicJson`; null when nothing was found."),
  extract: z.unknown().optional().describe("Structured data, for the format `extract` of version 1."),
  /** When requested: sources of the values of `json` or `extract`, and of a `product` or `menu` that a model has read. */
  evidence: z
    .array(Evidence)
    .optional()
    .describe("Where the values of structured data come from, with `evidence` in the format."),
  summary: z.string().optional().describe("Summary of the page, for the format `summary`."),
  answer: z.string().optional().describe("Answer from the page, for the formats `question` and `query`."),
  highlights: z.string().optional().describe("Matching passages, for the format `highlights`."),
  chunks: z.array(Chunk).optional().describe("Passages of the content for retrieval, for the format `chunks`."),
  branding: Branding.optional().describe("Look of the page, for the format `branding`."),
  product: Product.optional().describe("Product of the page, for the format `product`."),
  menu: Menu.optional().describe("Menu of the page, for the format `menu`."),
  changeTracking: ChangeTracking.optional().describe(
    "Comparison with the previous scrape, for the format `changeTracking`.",
  ),
  actions: z
    .object({
      screenshots: z
        .array(z.string())
        .optional()
        .describe("URLs of the screenshots, in order. In version 1 present with every output."),
      scrapes: z
        .array(
          z.object({
            url: z.string().describe("URL of the page when it was captured."),
            html: z.string().describe("HTML of the page when it was captured."),
          }),
        )
        .optional()
        .describe("Pages captured by `scrape` actions, in order."),
      javascriptReturns: z
        .array(
          z.object({
            type: z.string().describe("JavaScript type of the value."),
            value: z.unknown().describe("Value that the script returned."),
          }),
        )
        .optional()
        .describe("Values of `executeJavascript` actions, in order."),
      pdfs: z
        .array(z.string())
        .optional()
        .describe("URLs of the PDFs, in order. In version 1 present with every output."),
    })
    .optional()
    .describe("Output of actions; absent when there is none."),
  /** Pages of a PDF, when the parser's options request them. */
  pages: z
    .array(
      z.object({
        pageNumber: z.int().describe("Number of the page, from 1."),
        markdown: z.string().describe("Content of the page as Markdown."),
      }),
    )
    .optional()
    .describe("Pages of a PDF, when `parsers` asks for them."),
  figures: z
    .array(
      z.object({
        pageNumber: z.int().describe("Number of the page, from 1."),
        bbox: z
          .array(z.number())
          .length(4)
          .describe("Left, top, right and bottom in points, from the upper left corner of the page."),
        width: z.int().describe("Width of the picture in pixels."),
        height: z.int().describe("Height of the picture in pixels."),
        description: z.string().optional().describe("Description by a vision model, where one is configured."),
      }),
    )
    .optional()
    .describe("Pictures of a PDF, when `parsers` asks for them."),
  blocks: z.array(z.unknown()).optional().describe("Layout blocks of a PDF, when `parsers` asks for them."),
  tools: z
    .array(
      z.looseObject({
        provider: z.string().describe("Provider of the capability."),
        capability: z.string().describe("Name of the capability, for `alexandria` of a scrape."),
        description: z.string().describe("What the capability does."),
      }),
    )
    .optional()
    .describe("Capabilities for the host of the page, when `domainTools` asks for them and there are any."),
  /** Options without effect and incomplete results. */
  warning: z.string().optional().describe("What could not be done as requested."),
  metadata: DocumentMetadata.describe("Facts about the page and the scrape."),
});
export type ScrapeDocument = z.infer<typeof ScrapeDocument>;
