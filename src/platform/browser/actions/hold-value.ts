import { parse, type Statement } from "acorn";

/** Longer scripts are not parsed here. */
const MAX_PARSED = 10_000;
/**
 * Scripts with more brackets in each other, or with more named groups, are not parsed either: the parser notes a name in each
 * block around it, and compares named groups in pairs.
 */
const MAX_NESTED = 50;
const MAX_NAMED_GROUPS = 20;
/** Characters from which on the text of an error is cut in the page. */
const LONG_TEXT = 10_000;
const CUT_LENGTH = 1_000;
/** Statements of which the errors are cut: each becomes 250 characters longer. */
const MAX_GUARDED = 1_000;
/** Throws a caught error on; one with a long text becomes the start of the text. */
const RETHROW = `catch(error){const text=typeof error==="string"?error:typeof error==="object"&&error!==null?\`\${error.stack??""}\${error.message??""}\`:"";throw text.length>${LONG_TEXT}?text.slice(0,${CUT_LENGTH}):error}`;

/**
 * Returns a script whose value is an object with the given one's as `value`: the protocol sends objects as references, but
 * texts of any length by value. Declarations stay those of the page. One with `return` outside of a function, or that
 * is not parsed here, runs as the body of a function, or as an indirect `eval`.
 */
export function holdValue(script: string): string {
  const mayParse = isQuickToParse(script);
  const body = mayParse ? parseScript(script, { isFunctionBody: false }) : undefined;
  if (body === undefined) {
    const isBody = mayParse && parseScript(script, { isFunctionBody: true }) !== undefined;
    return isBody ? asFunctionBody(script) : asEval(script);
  }
  const edits: Edit[] = [];
  for (const [index, statement] of body.entries()) {
    // Directives are such only as expression statements without brackets, and have no other effect.
    const isDirective = "directive" in statement && statement.directive !== undefined;
    if (!isDirective || index === body.length - 1) addEdits(statement, edits);
  }
  return applyEdits(script, edits);
}

/** Returns a script whose value is an object with a promise as `value`, which runs the given one as a function body. */
function asFunctionBody(script: string): string {
  return `({ value: (async () => {\n${script}\n})() })`;
}

/** Returns a script that runs the given one as an indirect `eval`, and one with `return` or `await` as a function body. */
function asEval(script: string): string {
  const run = `try { return (0, eval)(source) } catch (error) {
    if (!(error instanceof SyntaxError) || !/^(Illegal return|await is only valid)/.test(error.message)) throw error;
    return (0, eval)("(async () => {\\n" + source + "\\n})()");
  }`;
  return guarded(`({ value: ((source) => { ${run} })(${JSON.stringify(script)}) });`);
}

function isQuickToParse(script: string): boolean {
  if (script.length > MAX_PARSED || script.split("(?<").length > MAX_NAMED_GROUPS) return false;
  let depth = 0;
  for (const sign of script) {
    if ("({[".includes(sign)) depth++;
    else if (")}]".includes(sign)) depth = Math.max(0, depth - 1);
    if (depth > MAX_NESTED) return false;
  }
  return true;
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
  /** Absent for a statement that throws. */
  expression?: { start: number; end: number };
}

/** Finds the statements outside of functions that have a value, or throw one, in their order. */
function addEdits(statement: Statement, edits: Edit[]): void {
  const { start, end } = statement;
  const among = (inner: readonly (Statement | null | undefined)[]): void => {
    for (const each of inner) if (each != null) addEdits(each, edits);
  };
  switch (statement.type) {
    case "ExpressionStatement":
      edits.push({ start, end, expression: statement.expression });
      return;
    case "ThrowStatement":
      edits.push({ start, end });
      return;
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
      for (const { consequent } of statement.cases) among(consequent);
  }
}

/** A block has the value of its last statement. It begins a statement after any other, with or without a semicolon. */
function guarded(statement: string): string {
  return `{try{${statement}\n}${RETHROW}}`;
}

function applyEdits(script: string, edits: readonly Edit[]): string {
  const around = edits.length > MAX_GUARDED ? (statement: string): string => `{${statement}\n}` : guarded;
  let at = 0;
  const parts: string[] = [];
  for (const { start, end, expression } of edits) {
    const statement =
      expression === undefined
        ? script.slice(start, end)
        : `({value:(${script.slice(expression.start, expression.end)}\n)});`;
    parts.push(script.slice(at, start), around(statement));
    at = end;
  }
  return [...parts, script.slice(at)].join("");
}
