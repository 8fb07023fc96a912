import { z } from "zod";
import { listOf, optionalNumber, optionalText, present } from "../response-fields.ts";
import { askJson, askText, isAbsent, type Asked, type ProviderWeb } from "../ask.ts";
import { PUBLIC_ONLY, wordsOnly } from "../github-words.ts";
import { githubHeaders } from "../providers/github.ts";

/** An issue or a pull request. */
export interface GithubThread {
  kind: "issue" | "pull_request";
  /** `owner/name`. */
  repo: string;
  number: number;
  url: string;
  title: string;
  /** Markdown. */
  body: string;
}

export interface GithubRepository {
  /** `owner/name`. */
  repo: string;
  url: string;
  description: string;
  /** SPDX identifier; absent when the repository has none that GitHub knows. */
  license?: string;
}

/** Filters of repositories, as GitHub's search has them. */
export interface RepositoryFilters {
  language?: string | undefined;
  topics?: readonly string[] | undefined;
  license?: string | undefined;
  minStars?: number | undefined;
  maxStars?: number | undefined;
  archived?: boolean | undefined;
  fork?: boolean | undefined;
}

/** One question to GitHub's search. */
export interface GithubQuery {
  words: string;
  /** `owner/name`; empty for all. */
  repos: readonly string[];
  filters: RepositoryFilters;
  limit: number;
  /** Ms since the epoch. */
  deadlineMs: number;
}

/** GitHub's issues, pull requests, repositories and readmes. It never throws: what went wrong is an outcome. */
export interface GithubIndex {
  name: string;
  findThreads(kind: GithubThread["kind"], query: GithubQuery): Promise<Asked<GithubThread[]>>;
  findRepositories(query: GithubQuery): Promise<Asked<GithubRepository[]>>;
  /** @returns undefined as the value when the repository has none. */
  readReadme(repo: string, deadlineMs: number): Promise<Asked<string | undefined>>;
}

const Thread = z.object({
  html_url: z.string(),
  number: z.number(),
  title: optionalText,
  body: optionalText,
  repository_url: z.string(),
});
const Threads = z.object({ items: listOf(Thread) });
const Repository = z.object({
  full_name: z.string(),
  html_url: z.string(),
  description: optionalText,
  stargazers_count: optionalNumber,
  license: z.object({ spdx_id: optionalText }).nullish().catch(undefined),
});
const Repositories = z.object({ items: listOf(Repository) });

const MAX_RESULTS = 100;
/** GitHub accepts 256 characters of words, without the qualifiers. */
const MAX_WORDS_CHARS = 250;
/** Longer bodies are cut. */
const MAX_BODY_CHARS = 50_000;

/** Search of GitHub (docs.github.com, REST API version 2022-11-28). A token raises its limits and is not needed. */
export function createGithubIndex(
  web: ProviderWeb,
  { baseUrl, token }: { baseUrl: string; token: string | undefined },
): GithubIndex {
  const headers = githubHeaders(token);
  const address = (path: string, terms: readonly string[], limit: number): string =>
    `${baseUrl}/search/${path}?${new URLSearchParams({ q: [...terms, PUBLIC_ONLY].filter((term) => term !== "").join(" "), per_page: String(Math.min(MAX_RESULTS, limit)) })}`;

  return {
    name: "github",
    async findThreads(kind, { words, repos, filters, limit, deadlineMs }) {
      const { language, archived } = filters;
      const terms = [
        cutWords(words),
        kind === "issue" ? "is:issue" : "is:pr is:merged",
        ...repos.map((repo) => `repo:${repo}`),
        ...qualifiersOf({ language, archived }),
      ];
      const url = address("issues", terms, limit);
      const asked = await askJson(web, { deadlineMs }, { url, headers, schema: Threads });
      if (isUnknown(asked)) return { kind: "answered", value: [] };
      return asked.kind === "failed"
        ? asked
        : { kind: "answered", value: asked.value.items.flatMap((item) => toThread(item, kind)) };
    },
    async findRepositories({ words, repos, filters, limit, deadlineMs }) {
      const named = repos.map((repo) => `repo:${repo}`);
      const wanted = words === "" ? [] : [cutWords(words), "in:name,description,topics,readme"];
      const url = address("repositories", [...wanted, ...named, ...qualifiersOf(filters)], limit);
      const asked = await askJson(web, { deadlineMs }, { url, headers, schema: Repositories });
      if (isUnknown(asked)) return { kind: "answered", value: [] };
      return asked.kind === "failed" ? asked : { kind: "answered", value: asked.value.items.map(toRepository) };
    },
    async readReadme(repo, deadlineMs) {
      const url = `${baseUrl}/repos/${repo}/readme`;
      const raw = { ...headers, accept: "application/vnd.github.raw+json" };
      const asked = await askText(web, { deadlineMs }, { url, headers: raw });
      if (isAbsent(asked)) return { kind: "answered", value: undefined };
      return asked.kind === "failed" ? asked : { kind: "answered", value: asked.value.slice(0, MAX_BODY_CHARS) };
    },
  };
}

/** Reports whether GitHub answered that none of the named repositories exists or may be read. */
function isUnknown(asked: Asked<unknown>): boolean {
  return asked.kind === "failed" && asked.status === 422;
}

function cutWords(text: string): string {
  const words = wordsOnly(text);
  return words.length <= MAX_WORDS_CHARS ? words : words.slice(0, Math.max(1, words.lastIndexOf(" ", MAX_WORDS_CHARS)));
}

function qualifiersOf(filters: RepositoryFilters): string[] {
  const { language, topics = [], license, minStars, maxStars, archived, fork } = filters;
  const stars = minStars === undefined && maxStars === undefined ? [] : [`stars:${minStars ?? 0}..${maxStars ?? "*"}`];
  return [
    ...(language === undefined ? [] : [`language:"${wordsOnly(language)}"`]),
    ...topics.map((topic) => `topic:${oneWord(topic)}`),
    ...(license === undefined ? [] : [`license:${oneWord(license).toLowerCase()}`]),
    ...stars,
    ...(archived === undefined ? [] : [`archived:${archived}`]),
    ...(fork === true ? ["fork:only"] : []),
  ];
}

/** Returns the value of a qualifier that is not quoted: a space would end it. */
function oneWord(text: string): string {
  return wordsOnly(text).replaceAll(" ", "-");
}

function toThread(item: z.output<typeof Thread>, kind: GithubThread["kind"]): GithubThread[] {
  const repo = /\/repos\/([^/]+\/[^/]+)$/.exec(item.repository_url)?.[1];
  if (repo === undefined) return [];
  const { html_url: url, number, title, body } = item;
  return [{ kind, repo, number, url, title, body: body.slice(0, MAX_BODY_CHARS) }];
}

function toRepository({ full_name: repo, html_url: url, description, license }: z.output<typeof Repository>) {
  const spdx = license?.spdx_id ?? "";
  return { repo, url, description, ...present("license", spdx === "NOASSERTION" ? "" : spdx) };
}
