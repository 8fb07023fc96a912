import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { searchDeveloper, type DeveloperItem } from "../../../services/search/search-developer.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { BEARER, failures, json } from "../../route.ts";
import {
  AccountFields,
  AnswerFields,
  CallerParams,
  INDEX_FAILURES,
  QueryField,
  admitIndexSearch,
  countParam,
  nameIndexSearch,
} from "../../search/index-search.ts";
import { receiptOf } from "../../work.ts";

const REPLACEMENT = "/v2/search/developer";
const SNIPPET_CHARS = 300;
const SCORE_DECIMALS = 1e6;

const GithubQuery = z.strictObject({
  query: QueryField.openapi({ description: "Search query, 1 to 2,000 characters.", example: "bell rings twice" }),
  k: countParam(100, 20, "results"),
  ...CallerParams,
});

const GithubItem = z.object({
  resultType: z.enum(["github_history", "repo_readme"]).describe("An issue or pull request, or a readme."),
  repo: z.string().describe("Repository, as `owner/name`."),
  url: z.string().describe("URL of the result."),
  pageType: z.enum(["issue", "pull"]).optional().describe("Kind of the page. Absent for readmes."),
  number: z.int().optional().describe("Number of the issue or pull request. Absent for readmes."),
  readmeUrl: z.string().optional().describe("URL of the readme. Absent for issues and pull requests."),
  title: z.string().describe("Title of the issue or pull request, or name of the repository."),
  snippet: z.string().describe("Beginning of the best passage."),
  contentMd: z.string().optional().describe("The best passage. Absent when there is no text."),
  scores: z.object({ rrf: z.number().describe("Sum of the reciprocal ranks.") }).describe("Scores of the ranking."),
});

const GithubAnswer = z
  .object({
    ...AnswerFields,
    results: z.array(GithubItem).describe("Issues, merged pull requests and readmes, best first."),
    warnings: z.array(z.string()).describe("That this endpoint is deprecated."),
    replacement: z.string().describe("Path of the endpoint that replaces it."),
    ...AccountFields,
  })
  .openapi("GithubSearchResponse", {
    example: {
      success: true,
      results: [
        {
          resultType: "github_history",
          repo: "harrow/bell",
          url: "https://github.com/harrow/bell/issues/7",
          pageType: "issue",
          number: 7,
          title: "The bell rings twice",
          snippet: "At noon the bell rings twice.",
          contentMd: "At noon the bell rings twice.",
          scores: { rrf: 0.016393 },
        },
      ],
      warnings: [`Deprecated. Use ${REPLACEMENT}.`],
      replacement: REPLACEMENT,
      creditsUsed: 2,
    },
  });

const route = createRoute({
  method: "get",
  path: "/v2/search/research/github",
  "x-key-scope": "search",
  tags: ["Searching"],
  summary: "Search GitHub (deprecated)",
  deprecated: true,
  security: BEARER,
  request: { query: GithubQuery },
  responses: { 200: json(GithubAnswer, "The results"), ...failures(...INDEX_FAILURES) },
});

export const searchGithub = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  handler: async (c) => {
    const { query, k } = c.req.valid("query");
    await admitIndexSearch(c, query, k);
    const { items, warning, creditsUsed } = await searchDeveloper(c.var.deps, c.var.caller, {
      query,
      k,
      passages: 1,
      types: ["issue", "pull_request", "readme"],
      repos: [],
      sources: [],
      onlySkills: false,
    });
    nameIndexSearch(c, items.length);
    return c.json(
      {
        success: true as const,
        results: items.map(toGithubItem),
        warnings: [`Deprecated. Use ${REPLACEMENT}.`],
        replacement: REPLACEMENT,
        ...(warning === undefined ? {} : { warning }),
        creditsUsed,
        receipt: receiptOf(c),
      },
      200,
    );
  },
});

function toGithubItem({
  type,
  repo = "",
  url,
  number,
  title,
  passages,
  score,
}: DeveloperItem): z.input<typeof GithubItem> {
  const [passage = ""] = passages;
  const isReadme = type === "readme";
  return {
    resultType: isReadme ? "repo_readme" : "github_history",
    repo,
    url,
    ...(isReadme ? { readmeUrl: `${url}#readme` } : { pageType: type === "issue" ? "issue" : "pull" }),
    ...(number === undefined ? {} : { number }),
    title,
    snippet: passage.slice(0, SNIPPET_CHARS),
    ...(passage === "" ? {} : { contentMd: passage }),
    scores: { rrf: Math.round(score * SCORE_DECIMALS) / SCORE_DECIMALS },
  };
}
