import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Sql, SqlValue } from "../../../src/ports/storage/sql.ts";
import { KeyLedgerRecord } from "../../../src/storage/account/key-ledger-record.ts";

/**
 * Reads what a service that was stopped has written, and names what must not be there: jobs and checks that never end,
 * slots that are held, and keys whose credits are not those of their ledger and of the work that was cut off.
 */
export function faultsOfStoredState(persistDir: string, nowMs: number): string[] {
  return [...faultsOfDatabase(persistDir), ...faultsOfGates(persistDir, nowMs)];
}

function faultsOfDatabase(persistDir: string): string[] {
  return databases(join(persistDir, "v3/d1/miniflare-D1DatabaseObject")).flatMap((database) => {
    const has = (table: string) =>
      database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table) !== undefined;
    if (!has("jobs")) return [];
    const jobs = database.prepare("SELECT kind, id FROM jobs WHERE status = 'scraping'").all();
    const checks = database.prepare("SELECT id FROM monitor_checks WHERE status IN ('queued', 'running')").all();
    return [
      ...jobs.map(({ kind, id }) => `stored: the ${String(kind)} ${String(id)} never ends`),
      ...checks.map(({ id }) => `stored: the check ${String(id)} never ends`),
    ];
  });
}

function faultsOfGates(persistDir: string, nowMs: number): string[] {
  const gates = ledgerDatabases(persistDir);
  if (gates.length === 0) return ["stored: there are no books of keys"];
  return gates.flatMap((database) => {
    const record = new KeyLedgerRecord(sqlOf(database), nowMs);
    const { runningJobs } = record.usage(nowMs);
    // Credits of leases are held, and not yet used.
    const charged = record.used(nowMs);
    const rows = record.ledger.usage("2000-01-01", "2999-12-31");
    const ledger = rows.reduce((sum, { totals }) => sum + totals.receipt.credits, 0);
    const held = record.held(nowMs);
    return [
      ...(runningJobs === 0 ? [] : [`stored: ${runningJobs} slots are held`]),
      ...(charged === ledger + held
        ? []
        : [`stored: ${charged} credits are charged, but the ledger has ${ledger}, and ${held} are held`]),
    ];
  });
}

/**
 * Returns the number of slots that are held, also while the service runs. The slot of a job whose start was cut off is
 * released within a minute, and no response of the API counts it.
 */
export function heldSlots(persistDir: string, nowMs: number): number {
  return ledgerDatabases(persistDir).reduce((sum, database) => {
    try {
      return sum + new KeyLedgerRecord(sqlOf(database), nowMs).usage(nowMs).runningJobs;
    } finally {
      database.close();
    }
  }, 0);
}

function ledgerDatabases(persistDir: string): DatabaseSync[] {
  return databases(join(persistDir, "v3/do/orbweaver-KeyLedger"));
}

function databases(folder: string): DatabaseSync[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite");
  return names.map((name) => new DatabaseSync(join(folder, name)));
}

function sqlOf(database: DatabaseSync): Sql {
  return {
    rows: <Row>(query: string, ...values: SqlValue[]) => database.prepare(query).all(...values) as Row[],
    transaction: (work) => work(),
  };
}
