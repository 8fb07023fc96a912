import { useEffect, useState } from "preact/hooks";
import { askOnce } from "../../../api/ask-once.ts";
import type { FieldKind } from "../fields.ts";

/** The part of `GET /v2/capabilities` that names values of options. */
interface Capabilities {
  data: { egressRoutes: { name: string }[] };
}

/** Returns values to choose from in a field for a text: those of its schema, and the egress routes of the deployment. */
export function useSuggestions(field: { name: string } & FieldKind): string[] {
  const fixed = field.kind === "text" ? field.suggestions : [];
  const [named, setNamed] = useState<string[]>([]);
  useEffect(() => {
    if (field.name !== "proxy") return undefined;
    let isLeft = false;
    void routeNames().then((names) => {
      if (!isLeft) setNamed(names);
    });
    return () => {
      isLeft = true;
    };
  }, [field.name]);
  return [...fixed, ...named];
}

/** Returns the names of the egress routes; none if they cannot be read, since the field takes any name. */
async function routeNames(): Promise<string[]> {
  try {
    const { data } = await askOnce<Capabilities>("/v2/capabilities");
    return data.egressRoutes.map(({ name }) => name);
  } catch {
    return [];
  }
}
