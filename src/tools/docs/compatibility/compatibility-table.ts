import { METADATA_NAMES } from "../../../content/html/metadata.ts";
import { BY_HAND, REQUEST_TYPES, RESPONSE_TYPES, type ClientType } from "./client-types.ts";
import type { OpenApiDocument, OpenApiSchema } from "./openapi-fields.ts";
import { requestFields, responseNames } from "./openapi-fields.ts";

/** The document, and the fields of the client that nothing says anything about. */
export interface Compatibility {
  markdown: string;
  unclassified: string[];
  /** Reasons given by hand for fields that the client does not have. */
  stale: string[];
}

interface Row {
  type: string;
  field: string;
  outcome: string | undefined;
}

const HEAD = `# Compatibility

Every field that the JavaScript client \`firecrawl\` can send or read, by the types of its declarations, and what happens with
it here, and below the tools and arguments of [the other programs](#other-programs): the MCP server, the command line program and the
AI SDK tools. This page is generated from what the programs declare and this service's schemas; a test fails when a field or argument
is not classified.
[Migration](migration.md) describes the differences in words.

- **honoured**: the field changes the result, as \`/openapi.json\` describes it.
- **warning**: the field is accepted, has no effect, and \`warning\` names it.
- **refused**: the request is refused with the code that is named.
- **client only**: the client uses the field itself and does not send it.
`;

/**
 * Compares the fields of a client's types with the schemas of this service.
 * @param declarations fields by the name of the type, from \`readDeclarations\`.
 */
export function compareWithClient(
  declarations: ReadonlyMap<string, string[]>,
  { openapi, clientVersion }: { openapi: OpenApiDocument; clientVersion: string },
): Compatibility {
  const requests = REQUEST_TYPES.map((type) => ({
    type,
    rows: rowsOf(type, declarations, requestOutcomes(type, openapi)),
  }));
  const responses = RESPONSE_TYPES.map((type) => ({
    type,
    rows: rowsOf(type, declarations, responseOutcomes(type, openapi)),
  }));
  const rows = [...requests, ...responses].flatMap((section) => section.rows);
  const used = new Set(rows.map(({ type, field }) => `${type}.${field}`));
  return {
    markdown: [
      HEAD,
      `Client: \`firecrawl\` ${clientVersion}.\n`,
      "## Requests\n",
      ...requests.map(({ type, rows: own }) => section(type, own)),
      "## Responses\n",
      ...responses.map(({ type, rows: own }) => section(type, own)),
    ].join("\n"),
    unclassified: rows.filter(({ outcome }) => outcome === undefined).map(({ type, field }) => `${type}.${field}`),
    stale: Object.keys(BY_HAND).filter((name) => !used.has(name)),
  };
}

/**
 * Compares the fields of another client with those of the first one and with this service.
 * @param declarations fields of the other client by the name of the type.
 * @returns a section with what differs, and the fields that nothing says anything about.
 */
export function compareOtherClient(
  declarations: ReadonlyMap<string, string[]>,
  { first, openapi, title }: { first: ReadonlyMap<string, string[]>; openapi: OpenApiDocument; title: string },
): { markdown: string; unclassified: string[] } {
  const compared = [
    ...REQUEST_TYPES.map((type) => ({ type, outcomes: requestOutcomes(type, openapi) })),
    ...RESPONSE_TYPES.map((type) => ({ type, outcomes: responseOutcomes(type, openapi) })),
  ].map(({ type, outcomes }) => {
    const [own, others] = [declarations.get(type.name), first.get(type.name) ?? []];
    const rows = own === undefined ? [] : rowsOf(type, declarations, outcomes);
    return {
      name: type.name.replace("$1", ""),
      isMissing: own === undefined,
      added: rows.filter(({ field }) => !others.includes(field)),
      dropped: own === undefined ? [] : others.filter((field) => !own.includes(field)),
      unclassified: rows.flatMap(({ field, outcome }) => (outcome === undefined ? [`${type.name}.${field}`] : [])),
    };
  });
  const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");
  const changed = compared.filter(({ added, dropped }) => added.length + dropped.length > 0);
  const missing = compared.filter(({ isMissing }) => isMissing);
  const lines = changed.map(({ name, added, dropped }) => {
    const further = added.map(({ field, outcome = "not classified" }) => `\`${field}\` (${outcome})`).join(", ");
    return `| \`${name}\` | ${further} | ${quoted(dropped)} |`;
  });
  return {
    markdown: [
      `## ${title}\n`,
      `${compared.length - missing.length} types have the fields of the tables above${changed.length === 0 ? "." : ", except these:"}`,
      ...(changed.length === 0 ? [] : ["", "| type | further fields | without |", "|---|---|---|", ...lines]),
      ...(missing.length === 0 ? [] : ["", `It does not declare ${quoted(missing.map(({ name }) => name))}.`]),
      "",
    ].join("\n"),
    unclassified: compared.flatMap((each) => each.unclassified),
  };
}

function rowsOf(
  { name }: ClientType,
  declarations: ReadonlyMap<string, string[]>,
  outcomeOf: (field: string) => string | undefined,
): Row[] {
  return (declarations.get(name) ?? ["(missing)"]).map((field) => {
    return { type: name, field, outcome: BY_HAND[`${name}.${field}`] ?? outcomeOf(field) };
  });
}

function requestOutcomes({ operation, prefix = "" }: ClientType, openapi: OpenApiDocument) {
  const fields = requestFields(openapi, operation);
  return (field: string): string | undefined => {
    if (fields === undefined) return "refused: 501 `NOT_AVAILABLE`";
    const schema = fields.get(`${prefix}${field}`);
    return schema === undefined ? undefined : outcomeOf(schema);
  };
}

function outcomeOf({ description = "" }: OpenApiSchema): string {
  if (/^Not available|is refused\.?$/.test(description)) return "refused: 400 `BAD_REQUEST`";
  if (/(?:^|\. )It has no effect[.;,]/.test(description)) return "warning";
  if (description.includes("no effect")) return "honoured, except what its description names";
  return description.startsWith("Name of the calling") ? "accepted: names the caller" : "honoured";
}

function responseOutcomes({ name, operation }: ClientType, openapi: OpenApiDocument) {
  const names = responseNames(openapi, operation);
  return (field: string): string | undefined => {
    if (name === "DocumentMetadata" && METADATA_NAMES.includes(field)) return "returned, when the page states it";
    return names.has(field) ? "returned" : undefined;
  };
}

function section({ name, operation }: ClientType, rows: readonly Row[]): string {
  const [method = "", path = ""] = operation.split(" ");
  const lines = rows.map(({ field, outcome = "not classified" }) => `| \`${field}\` | ${outcome} |`);
  return [
    `### \`${name.replace("$1", "")}\` — \`${method.toUpperCase()} ${path}\`\n`,
    "| field | here |",
    "|---|---|",
    ...lines,
    "",
  ].join("\n");
}
