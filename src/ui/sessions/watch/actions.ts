/** Locators of Playwright, by which an element is found again. */
export type Locator =
  | { by: "role"; role: string; name: string }
  | { by: "label" | "placeholder" | "testId" | "css"; text: string };

/** An action of a person in a session's page. */
export type Action =
  | { kind: "goto"; url: string }
  | { kind: "click" | "check" | "uncheck"; locator: Locator }
  /** `isSecret`: the value of a password field, which is not recorded. */
  | { kind: "fill"; locator: Locator; value: string; isSecret: boolean }
  | { kind: "select"; locator: Locator; value: string }
  | { kind: "press"; locator: Locator; key: string };

const MAX_ACTIONS = 500;
const KINDS = ["click", "check", "uncheck", "fill", "select", "press"];

/** Returns the actions with another one. A field that is filled again keeps the latest value only. */
export function withAction(actions: readonly Action[], next: Action): readonly Action[] {
  const last = actions.at(-1);
  const repeats = last !== undefined && "locator" in last && "locator" in next && isSame(last.locator, next.locator);
  if (repeats && last.kind === "fill" && next.kind === "fill") return [...actions.slice(0, -1), next];
  if (last?.kind === "goto" && next.kind === "goto" && last.url === next.url) return actions;
  return [...actions, next].slice(-MAX_ACTIONS);
}

/** Reads an action that the script in the page has sent; undefined for anything else. */
export function readAction(payload: unknown): Action | undefined {
  try {
    const { kind, locator, value = "", isSecret, key = "" } = JSON.parse(String(payload)) as Record<string, unknown>;
    const found = readLocator(locator);
    if (found === undefined || typeof kind !== "string" || !KINDS.includes(kind)) return undefined;
    return { kind, locator: found, value: String(value), key: String(key), isSecret: isSecret === true } as Action;
  } catch {
    return undefined;
  }
}

function readLocator(value: unknown): Locator | undefined {
  const { by, role, name, text } = (value ?? {}) as Record<string, unknown>;
  if (by === "role" && typeof role === "string" && typeof name === "string") return { by, role, name };
  const isText = by === "label" || by === "placeholder" || by === "testId" || by === "css";
  return isText && typeof text === "string" ? { by, text } : undefined;
}

/** Returns actions as code for Playwright, which also runs in `POST /v2/browser/{id}/execute`. */
export function toPlaywright(actions: readonly Action[]): string {
  return actions.map(toLine).join("\n");
}

function toLine(action: Action): string {
  if (action.kind === "goto") return `await page.goto(${quote(action.url)});`;
  const target = `await page.${toLocator(action.locator)}`;
  switch (action.kind) {
    case "fill":
      return `${target}.fill(${action.isSecret ? 'process.env.PASSWORD ?? ""' : quote(action.value)});`;
    case "select":
      return `${target}.selectOption(${quote(action.value)});`;
    case "press":
      return `${target}.press(${quote(action.key)});`;
    default:
      return `${target}.${action.kind}();`;
  }
}

function toLocator(locator: Locator): string {
  if (locator.by === "role") return `getByRole(${quote(locator.role)}, { name: ${quote(locator.name)}, exact: true })`;
  const method = { label: "getByLabel", placeholder: "getByPlaceholder", testId: "getByTestId", css: "locator" }[
    locator.by
  ];
  return `${method}(${quote(locator.text)})`;
}

function isSame(one: Locator, other: Locator): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns a string literal of JavaScript. */
function quote(text: string): string {
  return JSON.stringify(text);
}
