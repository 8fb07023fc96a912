import { z } from "zod";
import { ChangeTracking } from "./change-tracking.ts";
import { Branding } from "./branding.ts";
import { Evidence } from "./evidence.ts";
import { Menu } from "./menu.ts";
import { Product } from "./product.ts";

/**
 * What a page says about itself, and what its scrape was like (api-contract.md, “Metadata”). Other meta tags stand
 * under their own names.
 */
export const DocumentMetadata = z.looseObject({
  title: z.string().optional(),
  description: z.string().optional(),
  language: z.string().optional(),
  /** Exactly the URL that the caller sent. */
  sourceURL: z.string(),
  /** Final URL, after redirects. */
  url: z.string().optional(),
  /** Status of the target page, which may be 404 while the scrape succeeded. */
  statusCode: z.int().optional(),
  /** The target's status in words when it is 400 or above, or what stood in the way of the content. */
  error: z.string().optional(),
  contentType: z.string().optional(),
  proxyUsed: z.enum(["basic", "stealth"]).optional(),
  /** Absent when the cache was not consulted. */
  cacheState: z.enum(["hit", "miss"]).optional(),
  cachedAt: z.string().optional(),
  scrapeId: z.string().optional(),
  creditsUsed: z.number().optional(),
  numPages: z.int().optional(),
  totalPages: z.int().optional(),
  timezone: z.string().optional(),
  concurrencyLimited: z.boolean().optional(),
  concurrencyQueueDurationMs: z.number().optional(),
  /** How the page was loaded: `fetch`, `browser`, or `cache`. */
  engine: z.string().optional(),
  /** Every engine's turn, with what it lacked. */
  attempts: z
    .array(z.object({ engine: z.string(), outcome: z.string(), reason: z.string().optional(), ms: z.number() }))
    .optional(),
});
export type DocumentMetadata = z.infer<typeof DocumentMetadata>;

const AttributeValues = z.object({ selector: z.string(), attribute: z.string(), values: z.array(z.string()) });

/** A scraped page (api-contract.md, “Document”). A field is there if and only if its format was asked for. */
export const ScrapeDocument = z.object({
  markdown: z.string().optional(),
  html: z.string().optional(),
  rawHtml: z.string().optional(),
  rawBase64: z.string().optional(),
  links: z.array(z.string()).optional(),
  images: z.array(z.string()).optional(),
  /** URL of the picture. */
  screenshot: z.string().optional(),
  attributes: z.array(AttributeValues).optional(),
  /** Data by a schema or a wish; null when nothing was found. */
  json: z.unknown().optional(),
  extract: z.unknown().optional(),
  /** Where each value of `json` or `extract` comes from, and of a `product` or `menu` that a model has read. */
  evidence: z.array(Evidence).optional(),
  summary: z.string().optional(),
  answer: z.string().optional(),
  highlights: z.string().optional(),
  branding: Branding.optional(),
  product: Product.optional(),
  menu: Menu.optional(),
  changeTracking: ChangeTracking.optional(),
  actions: z
    .object({
      screenshots: z.array(z.string()).optional(),
      scrapes: z.array(z.object({ url: z.string(), html: z.string() })).optional(),
      javascriptReturns: z.array(z.object({ type: z.string(), value: z.unknown() })).optional(),
      pdfs: z.array(z.string()).optional(),
    })
    .optional(),
  /** Per page of a PDF, when its parser was asked for pages. */
  pages: z.array(z.object({ pageNumber: z.int(), markdown: z.string() })).optional(),
  blocks: z.array(z.unknown()).optional(),
  /** What could not be done as asked. */
  warning: z.string().optional(),
  metadata: DocumentMetadata,
});
export type ScrapeDocument = z.infer<typeof ScrapeDocument>;
