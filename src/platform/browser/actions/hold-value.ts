import { parse, type Statement } from "acorn";

/** Longer scripts are not parsed here: that takes a second for 10 MB. */
const MAX_PARSED = 200_000;
/** Characters from which on the text of an error is cut in the page. */
const LONG_TEXT = 10_000;
const CUT_LENGTH = 1_000;
/** Throws a caught error on; one with a long text becomes the start of the text. */
const RETHROW = `catch(error){const text=typeof error==="string"?error:typeof error==="object"&&error!==null?\`\${error.stack??""}\${error.message??""}\`:"";throw text.length>${LONG_TEXT}?text.slice(0,${CUT_LENGTH}):error}`;

/**
 * Returns a script whose value is an object with the given one's as `value`: the protocol sends objects as references, but
 * texts of any length by value. Declarations stay those of the page. One with `return` outside of a function, or that
 * is not parsed here, runs as the body of a function, or as an indirect `eval`.
 */
export function holdValue(script: string): string {
  const body = script.length > MAX_PARSED ? undefined : parseScript(script, { isFunctionBody: false });
  if (body === undefined) {
    const isBody = script.length <= MAX_PARSED && parseScript(script, { isFunctionBody: true }) !== undefined;
    return isBody ? asFunctionBody(script) : `({ value: (0, eval)(${JSON.stringify(script)}) })`;
  }
  const edits = body.flatMap((statement, index) =>
    // Directives are such only as expression statements without brackets, and have no other effect.
    "directive" in statement && statement.directive !== undefined && index < body.length - 1 ? [] : editsOf(statement),
  );
  return applyEdits(script, edits);
}

/** Returns a script whose value is an object with a promise as `value`, which runs the given one as a function body. */
function asFunctionBody(script: string): string {
  return `({ value: (async () => {\n${script}\n})() })`;
}

function parseScript(script: string, { isFunctionBody }: { isFunctionBody: boolean }): Statement[] | undefined {
  const allowed = { allowReturnOutsideFunction: isFunctionBody, allowAwaitOutsideFunction: true };
  try {
    return parse(script, { ecmaVersion: "latest", sourceType: "script", ...allowed }).body as Statement[];
  } catch {
    return undefined;
  }
}

interface Edit {
  start: number;
  end: number;
  text: (source: string) => string;
}

/** Finds the statements outside of functions that have a value, or throw one. */
function editsOf(statement: Statement): Edit[] {
  const { start, end } = statement;
  const among = (inner: readonly (Statement | null | undefined)[]): Edit[] =>
    inner.flatMap((each) => (each == null ? [] : editsOf(each)));
  switch (statement.type) {
    case "ExpressionStatement": {
      const { expression } = statement;
      const text = (source: string): string => `({value:(${source.slice(expression.start, expression.end)}\n)});`;
      return [{ start, end, text: (source) => guarded(text(source)) }];
    }
    case "ThrowStatement":
      return [{ start, end, text: (source) => guarded(source.slice(start, end)) }];
    case "BlockStatement":
      return among(statement.body);
    case "IfStatement":
      return among([statement.consequent, statement.alternate]);
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
    case "LabeledStatement":
    case "WithStatement":
      return among([statement.body]);
    case "TryStatement":
      return among([statement.block, statement.handler?.body, statement.finalizer]);
    case "SwitchStatement":
      return among(statement.cases.flatMap(({ consequent }) => consequent));
    default:
      return [];
  }
}

/** A block has the value of its last statement. It begins a statement after any other, with or without a semicolon. */
function guarded(statement: string): string {
  return `{try{${statement}\n}${RETHROW}}`;
}

function applyEdits(script: string, edits: readonly Edit[]): string {
  let at = 0;
  const parts: string[] = [];
  for (const { start, end, text } of edits) {
    parts.push(script.slice(at, start), text(script));
    at = end;
  }
  return [...parts, script.slice(at)].join("");
}
