import { agentService } from "../../fakes/services/agent-service.ts";
import { wordSearch } from "../../fakes/word-search.ts";
import type { LanguageModel } from "../../../src/ports/language-model.ts";
import { madeUpPages } from "../../site/made-up-web/pages.ts";
import type { MadeUpQuestion } from "../../site/made-up-web/questions.ts";

/** Outcome of one question. */
export interface Judged {
  question: MadeUpQuestion;
  /** `wrong` is a value that was stated as a fact and is not the answer. */
  verdict: "right" | "not found" | "wrong";
  result: string;
  /** True when the response says that a value of the result, or all of it, is unverified. */
  isMarked: boolean;
  warning: string;
  stopReason: string;
  pagesRead: number;
  creditsUsed: number;
}

interface AgentBody {
  status?: string;
  data?: { result?: string };
  evidence?: { field: string; unverified?: true }[];
  warning?: string;
  stopReason: string;
  creditsUsed: number;
}

const NOT_FOUND = /^(?:Nothing was found|Not found|The pages that were read state different)/;

/** Asks an agent questions about the made-up web: real extraction over pages in memory. */
export async function askMadeUpWeb(
  questions: readonly MadeUpQuestion[],
  options: { llm?: LanguageModel; body?: object } = {},
): Promise<Judged[]> {
  const pages = madeUpPages();
  const service = agentService({
    pages: Object.fromEntries(pages.map(({ url, html }) => [url, html])),
    search: wordSearch(pages),
    creditsPerMonth: 1_000_000,
    ...(options.llm === undefined ? {} : { llm: options.llm }),
  });
  const judged: Judged[] = [];
  for (const question of questions) {
    service.loaded.length = 0;
    const { prompt, urls } = question;
    const response = await service.post("/v2/agent", {
      prompt,
      evidence: true,
      ...(urls && { urls }),
      ...options.body,
    });
    const body = (await response.json()) as AgentBody;
    if (body.status !== "completed") throw new Error(`${prompt}: ${JSON.stringify(body)}`);
    const { data, creditsUsed, evidence = [], warning = "", stopReason } = body;
    const result = data?.result ?? "";
    judged.push({
      question,
      verdict: judge(question, result),
      result,
      isMarked: evidence.some(({ field, unverified }) => field === "result" && unverified === true),
      warning,
      stopReason,
      pagesRead: service.loaded.length,
      creditsUsed,
    });
  }
  return judged;
}

/** The first paragraph of a result states the answer; the quotes below it are not judged. */
function judge({ answer, isValue }: MadeUpQuestion, result: string): Judged["verdict"] {
  const [stated = ""] = result.split("\n\n");
  if (stated === "" || NOT_FOUND.test(stated)) return "not found";
  if (answer === undefined) return "wrong";
  return answer.test(isValue ? stated : result) ? "right" : "wrong";
}
