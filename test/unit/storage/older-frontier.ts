import type { NodeSql } from "../../fakes/memory/node-sql.ts";

/**
 * Gives a frontier the form that versions before packed URLs have written: each URL has its row in `urls`, and the queue
 * has their keys, up to 500 in a row; each lease has a row.
 */
export function writeAsBefore(sql: NodeSql): void {
  sql.rows(
    `INSERT OR IGNORE INTO urls (key, url, depth, external, parent, seat, sitemap_date, state, attempt)
     SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, 0, 1
     FROM queue, json_each(queue.keys) WHERE type = 'array'`,
  );
  sql.rows(
    `UPDATE queue SET keys = (SELECT json_group_array(iif(type = 'array', value->>0, value)) FROM json_each(queue.keys))`,
  );
  sql.rows("ALTER TABLE urls DROP COLUMN packed");
  sql.rows(
    `INSERT INTO leases (id, expires_at_ms, is_seed, items)
     SELECT value->>0, value->>1, value->>2, value->3 FROM frontier, json_each(frontier.leases)`,
  );
  sql.rows("ALTER TABLE frontier DROP COLUMN leases");
}
