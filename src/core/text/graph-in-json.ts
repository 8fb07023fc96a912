/** Objects and arrays in a list, each once. Inside them, `[n]` refers to number n of the list. */
export type GraphNodes = (Record<string, unknown> | unknown[])[];

/**
 * Returns plain data as a list that JSON can hold without repeating objects that are referred to several times, or from
 * themselves. The first one is the given object.
 */
export function toGraphNodes(root: object): GraphNodes {
  const objects = [root];
  const numbers = new Map<object, number>([[root, 0]]);
  const refer = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    let number = numbers.get(value);
    if (number === undefined) {
      number = objects.push(value) - 1;
      numbers.set(value, number);
    }
    return [number];
  };
  const nodes: GraphNodes = [];
  // The list grows while it is written.
  for (const object of objects) {
    nodes.push(
      Array.isArray(object)
        ? object.map(refer)
        : Object.fromEntries(Object.entries(object).map(([name, value]) => [name, refer(value)])),
    );
  }
  return nodes;
}

/** The reverse of `toGraphNodes`; undefined for a reference that leads nowhere. */
export function fromGraphNodes(nodes: GraphNodes): unknown {
  const objects = nodes.map((node): Record<string, unknown> | unknown[] => (Array.isArray(node) ? [] : {}));
  const resolve = (value: unknown): unknown => (Array.isArray(value) ? objects[Number(value[0])] : value);
  nodes.forEach((node, number) => {
    const object = objects[number] ?? {};
    if (Array.isArray(object)) for (const value of Object.values(node)) object.push(resolve(value));
    else for (const [name, value] of Object.entries(node)) if (name !== "__proto__") object[name] = resolve(value);
  });
  return objects[0];
}
