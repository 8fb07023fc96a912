import { z } from "zod";

/** Field of crawls and batches that archives their responses. */
export const ArchiveField = z
  .boolean()
  .optional()
  .describe(
    "Archives the response of each page as WARC, for `GET /v2/crawl/{id}/archive.wacz` and `POST /v2/crawl/{id}/reextract`. It is kept as long as the results, and refused with `zeroDataRetention`. Default: false.",
  );
