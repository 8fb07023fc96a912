import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import {
  DEVELOPER_TYPES,
  searchDeveloper,
  type DeveloperItem,
  type DeveloperRequest,
} from "../../services/search/search-developer.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../account/key-scope.ts";
import { replayResponse } from "../replay-response.ts";
import { BEARER, failures, json, jsonBody } from "../route.ts";
import {
  AccountFields,
  AnswerFields,
  CallerParams,
  INDEX_FAILURES,
  QueryField,
  admitIndexSearch,
  countParam,
  listParamOf,
  nameIndexSearch,
} from "../search/index-search.ts";
import { receiptOf } from "../work.ts";

const MAX_RESULTS = 100;
const DEFAULT_RESULTS = 10;
const MAX_PASSAGES = 5;
const MAX_REPOS = 20;
const MAX_TOPICS = 8;
const MAX_STARS = 100_000_000;

const TypeName = z.enum(DEVELOPER_TYPES);
const REPO = /^[A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100}$/;
const Repo = z.string().trim().regex(REPO, "A repository is written as owner/name");
const Source = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9.-]{1,253}$/, "A source is a host name");
const Topic = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9-]{1,50}$/, "A topic has lower-case letters, digits and hyphens");
const Name = z.string().trim().min(1).max(60);
const Stars = z.int().min(0).max(MAX_STARS);

const WORDS = {
  query: "Question or search phrase of a developer, 1 to 2,000 characters.",
  passages: "Maximum number of passages of each result, 1 to 5. Default: 1.",
  types: "Kinds of results: doc, issue, pull_request and readme. Default: all.",
  repos: "Repositories to search in, as `owner/name`, at most 20. Default: all.",
  sources: "Host names of documentation to search in, at most 20. Default: all sites for developers.",
  language: "Main programming language of the repository. Default: any.",
  topic: "Topics that the repository must have, at most 8. Default: none.",
  license: "License of the repository as an SPDX identifier. Default: any.",
  min_stars: "Minimum number of stars of the repository. Default: none.",
  max_stars: "Maximum number of stars of the repository. Default: none.",
  archived: "Restricts to archived repositories, or to those that are not. Default: both.",
  fork: "True restricts to forks; false leaves forks out. Default: forks are left out.",
  skills: "`only` restricts to repositories of skills for agents. Default: all repositories.",
};

const DeveloperBody = z
  .strictObject({
    query: QueryField.describe(WORDS.query),
    k: z
      .int()
      .min(1)
      .max(MAX_RESULTS)
      .default(DEFAULT_RESULTS)
      .describe("Maximum number of results, 1 to 100. Default: 10."),
    passages: z.int().min(1).max(MAX_PASSAGES).default(1).describe(WORDS.passages),
    types: z.array(TypeName).min(1).optional().describe(WORDS.types),
    repos: z.array(Repo).max(MAX_REPOS).default([]).describe(WORDS.repos),
    sources: z.array(Source).max(MAX_REPOS).default([]).describe(WORDS.sources),
    language: Name.optional().describe(WORDS.language),
    topic: z.array(Topic).max(MAX_TOPICS).default([]).describe(WORDS.topic),
    license: Name.optional().describe(WORDS.license),
    min_stars: Stars.optional().describe(WORDS.min_stars),
    max_stars: Stars.optional().describe(WORDS.max_stars),
    archived: z.boolean().optional().describe(WORDS.archived),
    fork: z.boolean().optional().describe(WORDS.fork),
    skills: z.literal("only").optional().describe(WORDS.skills),
    ...CallerParams,
  })
  .openapi("DeveloperSearchRequest", { example: { query: "retry a request in hono", k: 5 } });

const numberParam = (description: string, { min, max }: { min: number; max: number }) =>
  z.coerce.number().int().min(min).max(max).optional().openapi({ type: "integer", description });
const flagParam = (description: string) =>
  z
    .enum(["true", "false"])
    .optional()
    .transform((text) => (text === undefined ? undefined : text === "true"))
    .openapi({ type: "boolean", description });
const STARS = { min: 0, max: MAX_STARS };

/** The fields of the body as a query string has them. */
const DeveloperQuery = z.strictObject({
  query: QueryField.openapi({ description: WORDS.query, example: "retry a request in hono" }),
  k: countParam(MAX_RESULTS, DEFAULT_RESULTS, "results"),
  passages: numberParam(WORDS.passages, { min: 1, max: MAX_PASSAGES }),
  types: listParamOf(TypeName, WORDS.types),
  repos: listParamOf(Repo, WORDS.repos),
  sources: listParamOf(Source, WORDS.sources),
  language: Name.optional().openapi({ description: WORDS.language }),
  topic: listParamOf(Topic, WORDS.topic, MAX_TOPICS),
  license: Name.optional().openapi({ description: WORDS.license }),
  min_stars: numberParam(WORDS.min_stars, STARS),
  max_stars: numberParam(WORDS.max_stars, STARS),
  archived: flagParam(WORDS.archived),
  fork: flagParam(WORDS.fork),
  skills: z.literal("only").optional().openapi({ description: WORDS.skills }),
  ...CallerParams,
});

const Result = z.object({
  id: z.string().describe("ID of the result: its type, and its repository and number or its URL."),
  url: z.string().describe("URL of the result."),
  title: z.string().describe("Title of the result."),
  passages: z
    .array(
      z.object({
        text: z.string().describe("Passage that answers the query."),
        citation_url: z.string().describe("URL to cite for the passage."),
      }),
    )
    .describe("Passages of the result, best first."),
  license: z.string().optional().describe("License of the repository as an SPDX identifier, where known."),
});

const DeveloperAnswer = z
  .object({
    ...AnswerFields,
    results: z.array(Result).describe("Results of all types, best first."),
    repos: z
      .array(
        z.object({
          repo: z.string().describe("The requested repository."),
          indexed: z.boolean().describe("Whether GitHub has the repository, and it passes the filters."),
          types: z
            .object({
              issue: z.boolean().describe("Whether its issues are searched."),
              pullRequest: z.boolean().describe("Whether its pull requests are searched."),
              readme: z.boolean().describe("Whether its readme is searched."),
            })
            .describe("The types that are searched in it."),
        }),
      )
      .optional()
      .describe("The requested repositories. Present with `repos`."),
    sources: z
      .array(
        z.object({
          source: z.string().describe("The requested source."),
          indexed: z.boolean().describe("Whether a page of it was found."),
        }),
      )
      .optional()
      .describe("The requested sources. Present with `sources`."),
    ...AccountFields,
  })
  .openapi("DeveloperSearchResponse", {
    example: {
      success: true,
      results: [
        {
          id: "issue:harrow/bell#7",
          url: "https://github.com/harrow/bell/issues/7",
          title: "The bell rings twice",
          passages: [
            { text: "At noon the bell rings twice.", citation_url: "https://github.com/harrow/bell/issues/7" },
          ],
        },
      ],
      creditsUsed: 2,
    },
  });

const base = {
  path: "/v2/search/developer" as const,
  "x-key-scope": "search" as const,
  tags: ["Searching"],
  security: BEARER,
  responses: { 200: json(DeveloperAnswer, "The results"), ...failures(...INDEX_FAILURES) },
};

const postRoute = createRoute({
  ...base,
  method: "post",
  summary: "Search issues, pull requests, readmes and documentation",
  middleware: [replayResponse("search")] as const,
  request: jsonBody(DeveloperBody),
  responses: { ...base.responses, ...failures("IDEMPOTENCY_KEY_USED") },
});
const getRoute = createRoute({
  ...base,
  method: "get",
  summary: "Search issues, pull requests, readmes and documentation by a query string",
  request: { query: DeveloperQuery },
});

export const searchForDevelopers = defineOpenAPIRoute<typeof postRoute, AppEnv>({
  route: postRoute,
  handler: async (c) => c.json(await respond(c, c.req.valid("json")), 200),
});

export const searchForDevelopersByQuery = defineOpenAPIRoute<typeof getRoute, AppEnv>({
  route: getRoute,
  handler: async (c) => c.json(await respond(c, c.req.valid("query")), 200),
});

type DeveloperFields = z.output<typeof DeveloperBody> | z.output<typeof DeveloperQuery>;

async function respond(c: Context<AppEnv>, body: DeveloperFields): Promise<z.input<typeof DeveloperAnswer>> {
  const request = toRequest(body);
  await admitIndexSearch(c, request.query, request.k);
  const { items, repos, sources, warning, creditsUsed } = await searchDeveloper(c.var.deps, c.var.caller, request);
  nameIndexSearch(c, items.length);
  const has = (type: DeveloperItem["type"]): boolean => request.types.includes(type);
  const types = { issue: has("issue"), pullRequest: has("pull_request"), readme: has("readme") };
  return {
    success: true,
    results: items.map(toResult),
    ...(repos.length === 0 ? {} : { repos: repos.map((repo) => ({ ...repo, types })) }),
    ...(sources.length === 0 ? {} : { sources }),
    ...(warning === undefined ? {} : { warning }),
    creditsUsed,
    receipt: receiptOf(c),
  };
}

function toRequest(body: DeveloperFields): DeveloperRequest {
  const { query, k, passages = 1, types = [], repos, sources, language, topic, license, archived, fork, skills } = body;
  return {
    query, k, passages, repos, sources, language, license, archived, fork,
    types: types.length === 0 ? DEVELOPER_TYPES : types,
    topics: topic,
    minStars: body.min_stars,
    maxStars: body.max_stars,
    onlySkills: skills === "only",
  }; // prettier-ignore
}

function toResult({ type, repo, number, url, title, passages, license }: DeveloperItem): z.input<typeof Result> {
  const place = type === "doc" ? url : `${repo}${number === undefined ? "" : `#${number}`}`;
  return {
    id: `${type}:${place}`,
    url,
    title,
    passages: passages.map((text) => ({ text, citation_url: url })),
    ...(license === undefined ? {} : { license }),
  };
}
