const NUMBER =
  /(?<![\w./-])(?:\+\d{1,3}[\s.-]?(?:\(\d{1,4}\)[\s.-]?)?\d{1,4}(?:[\s./-]?\d{2,4}){2,4}|0\d{1,4}-\d{1,4}-\d{3,4}|(?:1[-. ])?\(\d{3}\)\s?\d{3}[-. ]\d{4}|(?:1[-.])?\d{3}[-.]\d{3}[-.]\d{4})(?![\w/-])/g;
const CUE = /\b(?:call|phone|tel|telephone|telefon|contact|reach|anruf|appel|llame|chiama)\w*[^\d]{0,60}$/i;
const MAX_CHARS = 400;
const MAX_NUMBERS = 50;

/** Returns the first telephone number of a text as displayed. */
export function firstPhone(text: string): string | undefined {
  return text.slice(0, MAX_CHARS).match(NUMBER)?.[0];
}

/** Collects the telephone numbers in the texts of a page. */
export class PhoneNumbers {
  /** Numbers as displayed, by their last digits. */
  readonly #numbers = new Map<string, { text: string; isCalled: boolean }>();

  add(text: string): void {
    if (text.length > MAX_CHARS || !/\d{3}/.test(text)) return;
    for (const match of text.matchAll(NUMBER)) {
      const digits = match[0].replace(/\D/g, "").slice(-9);
      const isCalled = CUE.test(text.slice(Math.max(0, match.index - 80), match.index));
      const known = this.#numbers.get(digits);
      if (known !== undefined) known.isCalled ||= isCalled;
      else if (digits.length === 9 && this.#numbers.size < MAX_NUMBERS)
        this.#numbers.set(digits, { text: match[0], isCalled });
    }
  }

  /** Returns the only number of the page, or the only one that a reader is asked to call. */
  main(): string | undefined {
    const all = [...this.#numbers.values()];
    const called = all.filter(({ isCalled }) => isCalled);
    return all.length === 1 ? all[0]?.text : called.length === 1 ? called[0]?.text : undefined;
  }
}
