import { requestFields, type OpenApiDocument } from "./openapi-fields.ts";
import type { ByHand, ProgramTool } from "./program-tools.ts";

/** A published program, and the arguments of its tools as it declares them. */
export interface Program {
  title: string;
  version: string;
  tools: readonly ProgramTool[];
  /** Arguments by tool. */
  declared: ReadonlyMap<string, readonly string[]>;
  byHand?: ByHand;
}

/** The section about a program, and what nothing says anything about. */
export interface ProgramComparison {
  markdown: string;
  /** Tools without an operation, and arguments without an outcome. */
  unclassified: string[];
  /** Tools and arguments that have an entry and that the program does not have. */
  stale: string[];
}

interface Argument {
  name: string;
  outcome: string | undefined;
}

/** Compares the tools and arguments of a program with the operations of this service. */
export function compareWithProgram(program: Program, openapi: OpenApiDocument): ProgramComparison {
  const { title, version, tools, declared, byHand = {} } = program;
  const known = new Map(tools.map(({ name, operation }) => [name, operation]));
  const rows = [...declared].flatMap(([name, names]) => {
    const operation = known.get(name);
    return operation === undefined
      ? []
      : [{ name, operation, args: argumentsOf({ name, operation }, names, { openapi, byHand }) }];
  });
  const without = [...declared.keys()].filter((name) => !known.has(name));
  const unclear = rows.flatMap(({ name, args }) =>
    args.filter(({ outcome }) => outcome === undefined).map((argument) => `${name}.${argument.name}`),
  );
  const stale = [...known.keys()].filter((name) => !declared.has(name));
  const entries = Object.keys(byHand).filter((name) => known.has(name.split(".")[0] ?? ""));
  const gone = entries.filter((entry) => {
    const [name = "", argument = ""] = entry.split(".");
    return declared.get(name)?.includes(argument) === false;
  });
  const lines = rows.map(({ name, operation, args }) => `| \`${name}\` | \`${operation.replace(/^\w+/, (word) => word.toUpperCase())}\` | ${wordsOf(args)} |`); // prettier-ignore
  return {
    markdown: [
      `## ${title} ${version}\n`,
      "| tool | calls | arguments |",
      "|---|---|---|",
      ...lines,
      ...(without.length === 0 ? [] : ["", `Not compared, since they set up the program or only group others: ${without.map((name) => `\`${name}\``).join(", ")}.`]),
      "",
    ].join("\n"), // prettier-ignore
    unclassified: unclear,
    stale: [...stale, ...gone],
  };
}

function argumentsOf(
  { name, operation }: ProgramTool,
  names: readonly string[],
  { openapi, byHand }: { openapi: OpenApiDocument; byHand: ByHand },
): Argument[] {
  const fields = requestFields(openapi, operation);
  return names.map((argument) => {
    const description = fields?.get(argument)?.description;
    const asField = fields?.has(argument) === true ? outcomeOf(description) : undefined;
    return { name: argument, outcome: byHand[`${name}.${argument}`] ?? asField ?? byHand[`*.${argument}`] };
  });
}

function outcomeOf(description = ""): string {
  if (/^Not available|is refused\.?$/.test(description)) return "refused: 400 `BAD_REQUEST`";
  return /(?:^|\. )It has no effect[.;,]/.test(description) ? "warning" : "honoured";
}

/** Groups arguments by what happens with them. */
function wordsOf(args: readonly Argument[]): string {
  const groups = new Map<string, string[]>();
  for (const { name, outcome = "not classified" } of args) groups.set(outcome, [...(groups.get(outcome) ?? []), name]);
  return [...groups]
    .map(([outcome, names]) => `${outcome}: ${names.map((name) => `\`${name}\``).join(", ")}`)
    .join("; ");
}
