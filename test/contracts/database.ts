import { describe, expect, test } from "vitest";

/** Requirements of every database that the stores use, with the project's schema. */
export function databaseContract(name: string, makeDatabase: () => D1Database): void {
  const withInsert = () => {
    const db = makeDatabase();
    const insert = db.prepare("INSERT INTO searches VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING");
    return { db, insert, team: crypto.randomUUID() };
  };

  describe(`${name} as a database`, () => {
    test("states how many rows a statement has changed", async () => {
      const { db, insert, team } = withInsert();
      const changes = async (statement: D1PreparedStatement) => (await statement.run()).meta.changes;
      expect(await changes(insert.bind(`${team} 1`, team, 1, 2))).toBe(1);
      expect(await changes(insert.bind(`${team} 1`, team, 1, 2))).toBe(0);
      await insert.bind(`${team} 2`, team, 1, 2).run();
      expect(await changes(db.prepare("UPDATE searches SET credits_used = 5 WHERE team_id = ?").bind(team))).toBe(2);
      expect(await changes(db.prepare("UPDATE searches SET credits_used = 5 WHERE team_id = 'none'"))).toBe(0);
      expect(await changes(db.prepare("DELETE FROM searches WHERE team_id = ?").bind(team))).toBe(2);
    });

    test("returns rows with their columns, and null for missing values", async () => {
      const { db, insert, team } = withInsert();
      await insert.bind(team, team, 7, 2).run();
      const select = db.prepare("SELECT id, credits_used AS credits, NULL AS missing FROM searches WHERE id = ?");
      expect((await select.bind(team).run()).results).toEqual([{ id: team, credits: 7, missing: null }]);
      expect((await db.withSession("first-primary").prepare("SELECT 1 AS one").run()).results).toEqual([{ one: 1 }]);
      expect(await select.bind(team).first()).toEqual({ id: team, credits: 7, missing: null });
      expect(await select.bind("none").first()).toBeNull();
    });

    test("runs a batch as one transaction", async () => {
      const { db, insert, team } = withInsert();
      const broken = db.prepare("INSERT INTO searches VALUES (?, ?, NULL, 2)").bind(`${team} broken`, team);
      await expect(db.batch([insert.bind(team, team, 1, 2), broken])).rejects.toThrow(/NOT NULL/);
      const select = db.prepare("SELECT id FROM searches WHERE team_id = ?").bind(team);
      expect((await select.run()).results).toEqual([]);
      const results = await db.batch([insert.bind(team, team, 1, 2), select]);
      expect(results.map(({ results: rows }) => rows)).toEqual([[], [{ id: team }]]);
      expect(results[0]?.meta.changes).toBe(1);
    });
  });
}
