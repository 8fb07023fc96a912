import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { ALLOWED_METHODS, PLAIN_METHODS } from "../../../../src/core/cdp/allowed-methods.ts";
import { filterCommand } from "../../../../src/core/cdp/cdp-filter.ts";
import { plainSchema, type PlainParameters } from "../../../../src/core/cdp/plain-methods.ts";
import { RESTRICTED_METHODS } from "../../../../src/core/cdp/restricted-methods.ts";

interface Parameter {
  name: string;
  type?: string;
  $ref?: string;
  optional?: boolean;
}

interface ProtocolFile {
  domains: {
    domain: string;
    types?: { id: string; type: string }[];
    commands?: { name: string; parameters?: Parameter[] }[];
  }[];
}

/** Parameters of each method, as `TYPE NAME`, with `?` behind the name of an optional one. */
type Methods = Map<string, ReadonlySet<string>>;

/** Returns every method of the protocol, as an installed version of its definition lists them. */
function protocol(require: NodeJS.Require): Methods {
  const files = ["browser_protocol", "js_protocol"].map(
    (part) => JSON.parse(readFileSync(require.resolve(`devtools-protocol/json/${part}.json`), "utf8")) as ProtocolFile,
  );
  const domains = files.flatMap((file) => file.domains);
  const types = new Map(
    domains.flatMap(({ domain, types: own = [] }) => own.map(({ id, type }) => [`${domain}.${id}`, type])),
  );
  const written = (domain: string, { name, type, $ref = "", optional }: Parameter): string => {
    const resolved = type ?? types.get($ref.includes(".") ? $ref : `${domain}.${$ref}`);
    return `${resolved === "integer" ? "number" : resolved} ${name}${optional === true ? "?" : ""}`;
  };
  return new Map(
    domains.flatMap(({ domain, commands = [] }) =>
      commands.map(({ name, parameters = [] }) => [
        `${domain}.${name}`,
        new Set(parameters.map((parameter) => written(domain, parameter))),
      ]),
    ),
  );
}

const require = createRequire(import.meta.url);
const OLDER = protocol(require);
const NEWER = protocol(createRequire(require.resolve("puppeteer-core")));
const METHODS = [...new Set([...NEWER.keys(), ...OLDER.keys()])];

const refusal = (method: string, params: object): string | undefined => {
  const filtered = filterCommand(JSON.stringify({ id: 7, method, params }));
  return filtered.kind === "reply"
    ? (JSON.parse(filtered.text) as { error?: { message: string } }).error?.message
    : undefined;
};

const listed = (parameters: PlainParameters): string[] =>
  Object.entries(parameters).flatMap(([type, names]) => names.split(" ").map((name) => `${type} ${name}`));

describe("plain methods", () => {
  test("have the parameters of the protocol, with their types", () => {
    const different = Object.entries(PLAIN_METHODS).filter(([method, parameters]) => {
      const names = new Set(listed(parameters));
      const newer = NEWER.get(method) ?? new Set();
      // A later version of the protocol no longer has some parameters and methods that older browsers know.
      const either = newer.union(OLDER.get(method) ?? new Set());
      return !newer.isSubsetOf(names) || !names.isSubsetOf(either);
    });
    expect(different).toEqual([]);
  });

  test("none is restricted as well", () => {
    expect(new Set(ALLOWED_METHODS).size).toBe(ALLOWED_METHODS.length);
    expect(Object.keys(RESTRICTED_METHODS).filter((method) => method in PLAIN_METHODS)).toEqual([]);
  });

  test.each([{ string: "a,b" }, { string: "a  b" }, { string: "" }, { string: "a", number: "a?" }])(
    "%j is an error of the table",
    (parameters) => {
      expect(() => plainSchema(parameters)).toThrow("Not the name of a further parameter");
    },
  );

  const VALUES = { string: "a", number: 1, boolean: true, array: [1], object: { a: 1 } };

  test.each(Object.keys(VALUES))("a parameter of type %s takes no value of another type", (type) => {
    const required = plainSchema({ [type]: "a" });
    const optional = plainSchema({ [type]: "a?" });
    for (const [other, a] of Object.entries({ ...VALUES, nothing: null })) {
      expect(required.safeParse({ a }).success).toBe(other === type);
      expect(optional.safeParse({ a }).success).toBe(other === type);
    }
    expect([required, optional].map((schema) => schema.safeParse({}).success)).toEqual([false, true]);
    expect(optional.safeParse({ b: 1 }).success).toBe(false);
  });
});

test("every allowed method is one of the protocol", () => {
  expect(METHODS.length).toBeGreaterThan(650);
  expect(ALLOWED_METHODS.filter((method) => !METHODS.includes(method))).toEqual([]);
});

test("every other method is refused with a reason, and so is one that no version of the protocol has", () => {
  const others = [...METHODS, "Page.newInTheNextVersion", "Novel.open", "constructor", "__proto__", ""].filter(
    (method) => !ALLOWED_METHODS.includes(method),
  );
  expect(others.length).toBeGreaterThan(200);
  expect(others.filter((method) => (refusal(method, {}) ?? "").length < 10)).toEqual([]);
});

test("every allowed method refuses a parameter that it does not name", () => {
  const asked = ALLOWED_METHODS.filter((method) => method !== "Browser.close");
  expect(asked.filter((method) => refusal(method, { notOfTheProtocol: 1 }) === undefined)).toEqual([]);
});

test("no string, number or boolean of a restricted method is passed on as an array", () => {
  for (const [method, schema] of Object.entries(RESTRICTED_METHODS)) {
    for (const parameter of NEWER.get(method) ?? []) {
      const [type = "", name = ""] = parameter.replace("?", "").split(" ");
      if (type === "array" || type === "object") continue;
      const { issues = [] } = schema.safeParse({ [name]: [["file:///etc/hostname"]] }).error ?? {};
      expect(JSON.stringify(issues), method).toContain(name);
    }
  }
});
