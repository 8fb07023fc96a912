import { UsageError } from "./locate.ts";

/** A command's words, with its options taken out. */
export interface Words {
  words: string[];
  has(...names: string[]): boolean;
  /** The value behind an option; undefined without the option. */
  value(...names: string[]): string | undefined;
}

/** @param valued options that are followed by a value, or carry it behind `=` */
export function parseWords(args: readonly string[], valued: readonly string[]): Words {
  const words: string[] = [];
  const flags = new Set<string>();
  const values = new Map<string, string>();
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    const [name = "", ...rest] = arg.split("=");
    if (!/^-{1,2}[a-zA-Z]/.test(arg)) words.push(arg);
    else if (!valued.includes(name)) flags.add(arg);
    else if (rest.length > 0) values.set(name, rest.join("="));
    else values.set(name, args[++index] ?? "");
  }
  return {
    words,
    has: (...names) => names.some((name) => flags.has(name)),
    value: (...names) => names.map((name) => values.get(name)).find((value) => value !== undefined),
  };
}

/**
 * The word at a place.
 * @throws UsageError that says what is missing
 */
export function need(words: readonly string[], index: number, what: string): string {
  const word = words[index];
  if (word === undefined || word === "") throw new UsageError(`Missing: ${what}`);
  return word;
}

/** @throws UsageError for what is no number */
export function toNumber(word: string, what: string): number {
  const value = Number(word);
  if (!Number.isFinite(value)) throw new UsageError(`Not a number: ${what} ${word}`);
  return value;
}
