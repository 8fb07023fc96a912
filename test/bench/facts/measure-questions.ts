import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openPage } from "../../../src/content/page-view.ts";
import { readLabelledPages } from "./labelled-pages.ts";

interface PageQuestions {
  url: string;
  /** Texts of which an answer holds one; null when the page does not answer. */
  questions: { question: string; answer: string[] | null }[];
}

export interface QuestionScore {
  url: string;
  question: string;
  half: "tuned" | "kept aside";
  /** A page that does not answer is right when the response says so. */
  outcome: "right" | "not found" | "wrong";
  given: string;
}

/** Asks the questions of `questions.json` by rules. The pages are in `folder`, outside the repository. */
export async function measureQuestions(folder: string): Promise<QuestionScore[]> {
  const text = readFileSync(join(import.meta.dirname, "questions.json"), "utf8");
  const asked = JSON.parse(text) as PageQuestions[];
  const html = new Map<string, string>();
  for (const page of readLabelledPages(folder, new Set(asked.map(({ url }) => url)))) html.set(page.url, page.html);
  const scores: QuestionScore[] = [];
  for (const [index, { url, questions }] of asked.entries()) {
    const body = html.get(url);
    if (body === undefined) continue;
    const page = await openPage(
      { engine: "fetch", url, statusCode: 200, headers: {}, contentType: "text/html", body, warnings: [] },
      { clean: { onlyMainContent: true, includeTags: [], excludeTags: [] }, pdf: undefined, bytesOnly: false },
    );
    for (const { question, answer } of questions) {
      const given = await page.answer(question);
      const holds = answer?.some((part) => given.text.includes(part)) ?? false;
      const isRight = given.isFound ? holds : answer === null;
      const outcome = isRight ? "right" : given.isFound ? "wrong" : "not found";
      scores.push({ url, question, half: index % 2 === 0 ? "tuned" : "kept aside", outcome, given: given.text });
    }
  }
  return scores;
}
