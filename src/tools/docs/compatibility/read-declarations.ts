import { parseSync } from "vite";

/** Part of a syntax tree in ESTree form, as far as types of clients need it. */
interface Node {
  type: string;
  id?: Node | null;
  name?: string;
  value?: unknown;
  key?: Node;
  body?: Node | Node[];
  declaration?: Node | null;
  members?: Node[];
  types?: Node[];
  extends?: { expression: Node }[];
  typeName?: Node;
  typeAnnotation?: Node;
  params?: Node[];
  left?: Node;
}

/**
 * Reads the fields of the types in a declaration file (`.d.ts`): interfaces, aliases of objects, unions and
 * intersections, and the object parameters of functions, under the function's name. Fields of base types are included.
 * @throws Error for a file that cannot be parsed.
 */
export function readDeclarations(source: string): Map<string, string[]> {
  const { program, errors } = parseSync("client.d.ts", source, { lang: "dts" });
  if (errors.length > 0) throw new Error(`The declarations cannot be parsed: ${errors[0]?.message}`);
  const nodes = new Map<string, Node>();
  // The parser's own types are wider than what is read here.
  for (const statement of program.body as unknown as Node[]) {
    const declared = statement.declaration ?? statement;
    const name = declared.id?.name;
    if (name !== undefined && !nodes.has(name)) nodes.set(name, declared);
  }
  return new Map([...nodes].map(([name, node]) => [name, [...new Set(fieldsOf(node, nodes, new Set()))].toSorted()]));
}

function fieldsOf(node: Node | undefined, nodes: Map<string, Node>, seen: Set<Node>): string[] {
  if (node === undefined || seen.has(node)) return [];
  seen.add(node);
  const all = (parts: readonly (Node | undefined)[]) => parts.flatMap((part) => fieldsOf(part, nodes, seen));
  switch (node.type) {
    case "TSInterfaceDeclaration":
      return all([
        ...(node.extends ?? []).map(({ expression }) => nodes.get(expression.name ?? "")),
        node.body as Node,
      ]);
    case "TSInterfaceBody":
      return namesOf(node.body as Node[]);
    case "TSTypeLiteral":
      return namesOf(node.members ?? []);
    case "TSTypeAliasDeclaration":
    case "TSTypeAnnotation":
      return fieldsOf(node.typeAnnotation, nodes, seen);
    case "TSUnionType":
    case "TSIntersectionType":
      return all(node.types ?? []);
    case "TSTypeReference":
      return fieldsOf(nodes.get(node.typeName?.name ?? ""), nodes, seen);
    case "TSDeclareFunction":
      return all(
        (node.params ?? []).filter(({ name }) => name === "args").map((parameter) => parameter.typeAnnotation),
      );
    default:
      return [];
  }
}

function namesOf(members: readonly Node[]): string[] {
  return members.flatMap(({ key }) => {
    const name = key?.name ?? key?.value;
    return typeof name === "string" ? [name] : [];
  });
}
