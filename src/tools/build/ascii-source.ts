import { parse, type Token } from "acorn";
import { withEsbuild } from "./with-esbuild.ts";

/**
 * The same module in ASCII. One character beyond Latin-1 makes an engine hold all of a source with two bytes for each of
 * its characters, in every process that knows it. Raw templates stay unchanged.
 */
export async function toAscii(source: string): Promise<string> {
  const { code } = await withEsbuild(({ transform }) =>
    transform(source, {
      charset: "ascii",
      format: "esm",
      target: "esnext",
      minifyWhitespace: true,
      legalComments: "inline",
    }),
  );
  return escapeExpressions(code);
}

/** esbuild leaves regular expressions alone. */
function escapeExpressions(code: string): string {
  const pieces: string[] = [];
  let done = 0;
  const escape = ({ type, start, end }: Token): void => {
    if (type.label !== "regexp") return;
    pieces.push(code.slice(done, start), escapeUnits(code.slice(start, end)));
    done = end;
  };
  parse(code, { ecmaVersion: "latest", sourceType: "module", onToken: escape });
  return pieces.join("") + code.slice(done);
}

/** With the `u` and `v` flags, too, two escaped halves of a character mean the character. */
function escapeUnits(expression: string): string {
  // eslint-disable-next-line no-control-regex
  return expression.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
