import { expect, test } from "vitest";
import { OpenConnections, type OpenConnection } from "../../../../src/tools/ingress/open-connections.ts";

interface Given extends OpenConnection {
  isClosed: boolean;
}

function connection({ isIdle = false } = {}): Given {
  const one: Given = { isClosed: false, isIdle: () => isIdle, close: () => (one.isClosed = true) };
  return one;
}

test("one caller has at most 1,000 connections, and another its own", () => {
  const connections = new OpenConnections(1_000_000);
  const first = connection();
  expect(connections.add("a", first)).toBe(true);
  for (let n = 1; n < 1_000; n++) expect(connections.add("a", connection())).toBe(true);
  expect(connections.add("a", connection())).toBe(false);
  expect(connections.add("b", connection())).toBe(true);
  connections.remove("a", first);
  connections.remove("a", first);
  expect(connections.add("a", connection())).toBe(true);
  expect(connections.add("a", connection())).toBe(false);
});

test("an idle connection of a caller that has too many is closed for its next one, the oldest first", () => {
  const connections = new OpenConnections(1_000_000);
  const [idle, later] = [connection({ isIdle: true }), connection({ isIdle: true })];
  for (let n = 0; n < 998; n++) connections.add("a", connection());
  for (const one of [idle, later]) connections.add("a", one);
  expect(connections.add("b", connection())).toBe(true);
  expect(connections.add("a", connection())).toBe(true);
  expect([idle.isClosed, later.isClosed]).toEqual([true, false]);
  // It leaves once more when its socket has closed.
  connections.remove("a", idle);
  expect(connections.add("a", connection())).toBe(true);
  expect(later.isClosed).toBe(true);
  expect(connections.add("a", connection())).toBe(false);
});

test("all together have a fifth of the files that may be open, beyond which a caller has few", () => {
  const connections = new OpenConnections(1_000);
  const ofB: Given[] = [];
  for (let n = 0; n < 100; n++) expect(connections.add("a", connection())).toBe(true);
  for (let n = 0; n < 100; n++) connections.add("b", (ofB[n] = connection()));
  expect(connections.add("a", connection())).toBe(false);
  for (let n = 0; n < 20; n++) expect(connections.add("c", connection())).toBe(true);
  expect(connections.add("c", connection())).toBe(false);
  for (const one of ofB.slice(0, 30)) connections.remove("b", one);
  expect(connections.add("c", connection())).toBe(true);
});

test("when all together have too many, an idle one of the caller with most of them is closed", () => {
  const connections = new OpenConnections(1_000);
  const idle = connection({ isIdle: true });
  connections.add("a", idle);
  for (let n = 1; n < 100; n++) connections.add("a", connection());
  for (let n = 0; n < 99; n++) connections.add("b", connection());
  expect(connections.add("b", connection())).toBe(true);
  expect(idle.isClosed).toBe(false);
  expect(connections.add("c", connection())).toBe(true);
  expect(idle.isClosed).toBe(true);
});
