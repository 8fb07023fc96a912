import { z } from "zod";
import { Judgment, type MonitorConfig, type MonitorPage, type PlannedPage } from "../../core/monitors/monitor.ts";
import { ownerOf } from "../../core/fair-order.ts";
import { isAppError } from "../../core/errors.ts";
import { splitText } from "../../content/text/split-text.ts";
import { wrapUntrusted, UNTRUSTED_RULE } from "../../core/text/untrusted-text.ts";
import { textTokens } from "../../formats/model/page-question.ts";
import type { LanguageModel } from "../../ports/language-model.ts";
import { giveBack, takeCredits } from "../account/account.ts";
import type { Deps, Payer } from "../deps.ts";
import { ownedModel } from "../owned-model.ts";

export const JUDGE_CREDITS = 1;
const DEADLINE_MS = 60_000;
const MAX_CHANGES = 20;
const MAX_REASON_CHARS = 1_000;
const MAX_WORDS_CHARS = 2_000;

const SYSTEM = `You decide for a program whether a change on the web matters to the user's goal. Keep to what the text says; never make anything up. ${UNTRUSTED_RULE}`;

const nullableWords = (description: string) => ({ type: ["string", "null"], description });
const SCHEMA = {
  type: "object",
  properties: {
    meaningful: { type: "boolean", description: "True if the goal asks to be informed of this" },
    confidence: { type: "string", enum: ["high", "medium", "low"] },
    reason: { type: "string", description: "Why, in one or two sentences" },
    meaningfulChanges: {
      type: "array",
      description: "The changes that matter; empty when none does",
      items: {
        type: "object",
        properties: {
          type: { type: "string", enum: ["added", "removed", "changed"] },
          before: nullableWords("The words or value before, copied exactly; null for what was added"),
          after: nullableWords("The words or value now, copied exactly; null for what was removed"),
          reason: { type: "string" },
        },
        required: ["type", "before", "after", "reason"],
      },
    },
  },
  required: ["meaningful", "confidence", "reason", "meaningfulChanges"],
};

/** Reports whether a monitor asks for the judgment of changes. */
export function isJudged({ goal, judgeEnabled }: Pick<MonitorConfig, "goal" | "judgeEnabled">): boolean {
  return judgeEnabled && goal !== null && goal.trim() !== "";
}

/**
 * Judges a changed page, or a new search result, by the monitor's goal. A failure of the model costs nothing; the page
 * then has a warning and no judgment.
 *
 * @returns the fields of the page's entry; none for pages that are not judged.
 */
export async function judgePage(
  deps: Pick<Deps, "llm" | "clock" | "keyLedger" | "settings" | "meter">,
  payer: Payer,
  { config, page, entry }: { config: MonitorConfig; page: PlannedPage; entry: MonitorPage },
): Promise<Pick<MonitorPage, "judgment" | "warning"> | undefined> {
  const found = textOf(page, entry);
  if (!isJudged(config) || found === undefined) return undefined;
  if (deps.llm === undefined) return notJudged(entry, "no language model is configured");
  if (!(await takeCredits(deps, payer, JUDGE_CREDITS))) return notJudged(entry, "the key has no credits left");
  try {
    const judgment = await judge(ownedModel(deps.llm, ownerOf(payer.key)), {
      ...found,
      goal: config.goal ?? "",
      url: page.url,
      deadlineMs: deps.clock.now() + DEADLINE_MS,
    });
    return { judgment };
  } catch (error) {
    giveBack(deps, JUDGE_CREDITS);
    if (!isAppError(error)) throw error;
    return notJudged(entry, error.message);
  }
}

function notJudged({ warning }: MonitorPage, why: string): Pick<MonitorPage, "judgment" | "warning"> {
  const words = `judgment: it was not judged whether the goal is concerned: ${why}.`;
  return { judgment: null, warning: warning === undefined ? words : `${warning} ${words}` };
}

/** Returns what the model reads; undefined for pages that have not changed. */
function textOf(
  { about = "" }: PlannedPage,
  { status, diff, currentScrapeId }: MonitorPage,
): { what: string; text: string } | undefined {
  if (status === "new" && currentScrapeId === null && about !== "")
    return { what: "A new search result, which was not there before:", text: about };
  if (status !== "changed" || diff === null) return undefined;
  const fields = "files" in diff.json ? undefined : JSON.stringify(diff.json, undefined, 1);
  const text = [diff.text, fields].filter((part) => part !== undefined).join("\n");
  return {
    what: "The change of a web page, as a patch (lines that begin with - were there before, lines that begin with + are there now) or as fields with their previous and current values:",
    text,
  };
}

async function judge(
  llm: LanguageModel,
  { what, text, goal, url, deadlineMs }: { what: string; text: string; goal: string; url: string; deadlineMs: number },
): Promise<Judgment> {
  const shown = splitText(text, textTokens(llm), 1)[0]?.text ?? "";
  const { value } = await llm.generateObject({
    system: SYSTEM,
    messages: [{ role: "user", text: `My goal: ${goal}\n\n${what}\n${wrapUntrusted(shown, { kind: "change", url })}` }],
    schema: SCHEMA,
    deadlineMs,
  });
  return checked(z.parse(Judgment, value), text);
}

/** Leaves out changes whose words are not in the text. A decision that rests on none is marked as uncertain. */
function checked({ meaningful, confidence, reason, meaningfulChanges }: Judgment, text: string): Judgment {
  const known = normalized(text);
  const isThere = (words: string | null): boolean => words === null || known.includes(normalized(words));
  const changes = meaningfulChanges
    .filter(({ before, after }) => (before ?? after) !== null && isThere(before) && isThere(after))
    .slice(0, MAX_CHANGES)
    .map((change) => ({
      type: kindOf(change),
      before: change.before?.slice(0, MAX_WORDS_CHARS) ?? null,
      after: change.after?.slice(0, MAX_WORDS_CHARS) ?? null,
      reason: change.reason.slice(0, MAX_REASON_CHARS),
    }));
  const isUnfounded = meaningful && changes.length === 0;
  return {
    meaningful,
    confidence: isUnfounded ? "low" : confidence,
    reason: reason.slice(0, MAX_REASON_CHARS),
    meaningfulChanges: meaningful ? changes : [],
  };
}

function kindOf({ before, after }: { before: string | null; after: string | null }): "added" | "removed" | "changed" {
  if (before === null) return "added";
  return after === null ? "removed" : "changed";
}

/** Ignores white space, escapes and the signs at the start of a patch's lines. */
function normalized(text: string): string {
  return text
    .replaceAll(/^[+-]/gm, "")
    .replaceAll(/[\s\\"]+/g, " ")
    .trim();
}
