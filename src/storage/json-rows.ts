import { utf8Length } from "../core/text/utf8.ts";

/** Bytes of the rows of a parameter, which may have 2 MB. */
const MAX_PACKED_BYTES = 1_000_000;

type Row = readonly (string | number | null)[];

/** Returns rows as JSON texts for the parameter of `selectRows`: as few as their length allows, since queries are limited. */
export function packRows(rows: readonly Row[]): string[] {
  const packs: string[][] = [];
  let pack: string[] = [];
  let bytes = 0;
  for (const row of rows.map((values) => JSON.stringify(values))) {
    bytes += utf8Length(row);
    if (pack.length === 0 || bytes > MAX_PACKED_BYTES) {
      packs.push((pack = []));
      bytes = utf8Length(row);
    }
    pack.push(row);
  }
  return packs.map((texts) => `[${texts.join(",")}]`);
}

/** Returns the query that reads the rows of a JSON text, with the columns of a list such as "id, name". */
export function selectRows(columns: string): string {
  const values = columns.split(",").map((_, at) => `value ->> ${at}`);
  return `SELECT ${values.join(", ")} FROM json_each(?)`;
}
