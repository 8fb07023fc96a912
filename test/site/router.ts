import type { Route } from "./exchange.ts";

export interface Match {
  route: Route;
  params: Record<string, string>;
}

/** Finds the route of a path: literal routes first, then patterns in the order of the list. */
export function createRouter(routes: readonly Route[]): (path: string) => Match | undefined {
  const literal = new Map<string, Route>();
  const patterns: { route: Route; pattern: RegExp }[] = [];
  for (const route of routes) {
    if (!/[:*]/.test(route.path)) {
      if (literal.has(route.path)) throw new Error(`Two routes for ${route.path}`);
      literal.set(route.path, route);
    } else patterns.push({ route, pattern: toPattern(route.path) });
  }
  return (path) => {
    const exact = literal.get(path);
    if (exact) return { route: exact, params: {} };
    for (const { route, pattern } of patterns) {
      const found = pattern.exec(path);
      if (found) return { route, params: decodeAll(found.groups ?? {}) };
    }
    return undefined;
  };
}

function toPattern(path: string): RegExp {
  const escaped = path.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
  const named = escaped.replace(/:(\w+)/g, "(?<$1>[^/]+)").replace(/\*$/, "(?<rest>.*)");
  return new RegExp(`^${named}$`);
}

function decodeAll(groups: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeOrKeep(value)]));
}

function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
