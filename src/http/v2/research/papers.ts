import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { PAPER_CREDITS, readPaper } from "../../../services/search/read-paper.ts";
import { searchPapers } from "../../../services/search/papers.ts";
import { similarPapers } from "../../../services/search/similar-papers.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { admitWork } from "../../account/rate-limit.ts";
import { BEARER, failures, json } from "../../route.ts";
import {
  AccountFields,
  AnswerFields,
  CallerParams,
  INDEX_FAILURES,
  QueryField,
  admitIndexSearch,
  countParam,
  listParam,
  nameIndexSearch,
} from "../../search/index-search.ts";
import { receiptOf } from "../../work.ts";

const MAX_PAPERS = 500;
const MAX_PASSAGES = 50;
const MAX_ANCHORS = 9;

const Day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, "A date has the form YYYY-MM-DD")
  .refine((day) => !Number.isNaN(Date.parse(day)), "There is no such day")
  .optional();

const PAPER_FIELDS = {
  paperId: z.string().describe("ID of the paper, for `GET /v2/search/research/papers/{id}`. It equals `primaryId`."),
  ids: z
    .record(z.string(), z.array(z.string()))
    .describe("IDs of the paper by registry: `arxiv`, `pmid`, `doi`, `pmcid` and `openalex`, as far as known."),
  title: z.string().describe("Title of the paper."),
  abstract: z.string().describe("Abstract as plain text; empty when no source has it."),
  authors: z.string().optional().describe("Names of the authors, joined by commas. Absent when unknown."),
  categories: z.array(z.string()).optional().describe("Categories of arXiv. Absent when the paper is not on arXiv."),
  createdDate: z.string().optional().describe("Date of publication. Absent when unknown."),
  updateDate: z.string().optional().describe("Date of the last change. Absent when unknown."),
};

const PaperItem = z.object({
  ...PAPER_FIELDS,
  primaryId: z.string().describe("Preferred ID, such as `arxiv:2105.05233`, `pmid:40953549` or `doi:10.1000/182`."),
  score: z.number().describe("Score of the ranking, comparable within a response only."),
  sources: z.array(z.string()).describe("Sources that returned the paper."),
});

const EXAMPLE_PAPER = {
  paperId: "arxiv:2503.01234",
  ids: { arxiv: ["2503.01234"], doi: ["10.7717/bells.4375"] },
  title: "Acoustics of the harbour bell",
  abstract: "We measure how far a bell and its echo carry over water.",
  authors: "Edith Marrow, Jonas Pell",
  categories: ["physics.class-ph"],
  createdDate: "2025-03-04T10:00:00Z",
};
const EXAMPLE_ITEM = {
  ...EXAMPLE_PAPER,
  primaryId: "arxiv:2503.01234",
  score: 0.032522,
  sources: ["arxiv", "openalex"],
};

const SearchQuery = z.strictObject({
  query: QueryField.openapi({ description: "Topic or question, 1 to 2,000 characters.", example: "harbour bells" }),
  k: countParam(MAX_PAPERS, 40, "papers"),
  authors: listParam("Name of an author, or a part of it. All must match."),
  categories: listParam("Category of arXiv, such as `cs.LG`. All must match; only arXiv is then searched."),
  from: Day.openapi({ description: "First day of publication or change, as `YYYY-MM-DD`. Default: no limit." }),
  to: Day.openapi({ description: "Last day of publication or change, as `YYYY-MM-DD`. Default: no limit." }),
  ...CallerParams,
});

const SearchResponse = z
  .object({
    ...AnswerFields,
    results: z.array(PaperItem).describe("Papers, best first."),
    ...AccountFields,
  })
  .openapi("PaperSearchResponse", { example: { success: true, results: [EXAMPLE_ITEM], creditsUsed: 2 } });

const searchRoute = createRoute({
  method: "get",
  path: "/v2/search/research/papers",
  "x-key-scope": "search",
  tags: ["Searching"],
  summary: "Search for papers",
  security: BEARER,
  request: { query: SearchQuery },
  responses: { 200: json(SearchResponse, "The papers"), ...failures(...INDEX_FAILURES) },
});

export const findPapers = defineOpenAPIRoute<typeof searchRoute, AppEnv>({
  route: searchRoute,
  handler: async (c) => {
    const { query, k, authors, categories, from, to } = c.req.valid("query");
    await admitIndexSearch(c, query, k);
    const answer = await searchPapers(c.var.deps, c.var.caller, { query, k, authors, categories, from, to });
    nameIndexSearch(c, answer.results.length);
    return c.json({ success: true as const, ...answer, receipt: receiptOf(c) }, 200);
  },
});

const PaperParam = z.object({
  id: z.string().openapi({
    description: "ID of a paper: `arxiv:`, `doi:`, `pmid:`, `pmcid:` or `openalex:` with its ID, or its address there.",
    param: { name: "id", in: "path" },
    example: "arxiv:2503.01234",
  }),
});

const ReadQuery = z
  .strictObject({
    query: QueryField.optional().openapi({
      description: "Question whose passages are returned. Default: none; only the paper's record is returned.",
    }),
    k: z.coerce
      .number("k is a number")
      .int()
      .min(1)
      .max(MAX_PASSAGES)
      .optional()
      .openapi({
        type: "integer",
        description: `Maximum number of passages, 1 to ${MAX_PASSAGES}. It requires \`query\`. Default: 4.`,
      }),
    ...CallerParams,
  })
  .refine(({ query, k }) => query !== undefined || k === undefined, {
    message: "k requires query",
    path: ["k"],
  });

const DEFAULT_PASSAGES = 4;

const ReadAnswer = z
  .object({
    ...AnswerFields,
    paper: z.object(PAPER_FIELDS).describe("Record of the paper, merged from the sources that have it."),
    paperId: z.string().optional().describe("ID of the paper. Present with `query`."),
    query: z.string().optional().describe("The question. Present with `query`."),
    passages: z
      .array(
        z.object({
          text: z.string().describe("Passage of the paper's text."),
          score: z.number().describe("Score of the passage, comparable within a response only."),
        }),
      )
      .optional()
      .describe("Passages that answer the question, best first. Present with `query`; empty when no text can be read."),
    ...AccountFields,
  })
  .openapi("PaperResponse", { example: { success: true, paper: EXAMPLE_PAPER, creditsUsed: 1 } });

const readRoute = createRoute({
  method: "get",
  path: "/v2/search/research/papers/{id}",
  "x-key-scope": "search",
  tags: ["Searching"],
  summary: "Get a paper, or passages of its text",
  security: BEARER,
  request: { params: PaperParam, query: ReadQuery },
  responses: { 200: json(ReadAnswer, "The paper"), ...failures("NOT_FOUND", ...INDEX_FAILURES) },
});

export const getPaper = defineOpenAPIRoute<typeof readRoute, AppEnv>({
  route: readRoute,
  handler: async (c) => {
    const { id } = c.req.valid("param");
    const { query, k = DEFAULT_PASSAGES } = c.req.valid("query");
    await admitWork(c, { mode: "search", endpoint: "search", target: id, credits: PAPER_CREDITS });
    const answer = await readPaper(c.var.deps, c.var.caller, { id, query, k });
    nameIndexSearch(c, 1);
    const asked = query === undefined ? {} : { paperId: answer.paper.paperId, query };
    const credits = { creditsUsed: PAPER_CREDITS, receipt: receiptOf(c) };
    return c.json({ success: true as const, ...answer, ...asked, ...credits }, 200);
  },
});

const SimilarQuery = z.strictObject({
  intent: QueryField.openapi({ description: "Words that candidates are ranked by.", example: "sound over water" }),
  mode: z.enum(["similar", "citers", "references"]).default("similar").openapi({
    description:
      "Relation: papers on the same subjects, papers that cite these, or papers that these cite. Default: similar.",
  }),
  k: countParam(MAX_PAPERS, 40, "papers"),
  rerank: z.enum(["true", "false"]).default("true").openapi({
    type: "boolean",
    description: "Ranks the candidates by `intent`; false leaves them in the order of the graph. Default: true.",
  }),
  anchor: listParam("ID of a further paper to start from, at most 9.", MAX_ANCHORS),
  ...CallerParams,
});

const SimilarAnswer = z
  .object({
    ...AnswerFields,
    results: z
      .array(
        PaperItem.extend({
          signals: z
            .object({
              structural: z.number().describe("Number of the given papers that a known citation links it to."),
              semantic: z.number().describe("Share of the words of `intent` in its title and abstract, 0 to 1."),
              articleRank: z.number().describe("Decimal logarithm of one more than the papers that cite it."),
              seedOverlap: z.number().describe("Number of the given papers that it is linked to."),
            })
            .describe("Signals of the rank."),
        }),
      )
      .describe("Related papers, best first."),
    poolSize: z.int().describe("Number of candidates that were ranked."),
    truncated: z.boolean().describe("Whether there are more candidates than were returned."),
    note: z.string().optional().describe("Why there are no results. Absent when there are some."),
    ...AccountFields,
  })
  .openapi("SimilarPapersResponse", {
    example: {
      success: true,
      results: [{ ...EXAMPLE_ITEM, signals: { structural: 1, semantic: 0.5, articleRank: 1.2, seedOverlap: 1 } }],
      poolSize: 1,
      truncated: false,
      creditsUsed: 2,
    },
  });

const similarRoute = createRoute({
  method: "get",
  path: "/v2/search/research/papers/{id}/similar",
  "x-key-scope": "search",
  tags: ["Searching"],
  summary: "Find related papers",
  security: BEARER,
  request: { params: PaperParam, query: SimilarQuery },
  responses: { 200: json(SimilarAnswer, "The related papers"), ...failures("NOT_FOUND", ...INDEX_FAILURES) },
});

export const findSimilarPapers = defineOpenAPIRoute<typeof similarRoute, AppEnv>({
  route: similarRoute,
  handler: async (c) => {
    const { id } = c.req.valid("param");
    const { intent, mode, k, rerank, anchor } = c.req.valid("query");
    await admitIndexSearch(c, id, k);
    const request = { seeds: [id, ...anchor], intent, mode, k, rerank: rerank === "true" };
    const answer = await similarPapers(c.var.deps, c.var.caller, request);
    nameIndexSearch(c, answer.results.length);
    return c.json({ success: true as const, ...answer, receipt: receiptOf(c) }, 200);
  },
});
