import { expect, test } from "vitest";
import { OpenConnections } from "../../../../src/tools/ingress/open-connections.ts";

test("one caller has at most 1,000 connections, and another its own", () => {
  const connections = new OpenConnections(1_000_000);
  for (let n = 0; n < 1_000; n++) expect(connections.add("a")).toBe(true);
  expect(connections.add("a")).toBe(false);
  expect(connections.add("b")).toBe(true);
  connections.remove("a");
  expect(connections.add("a")).toBe(true);
});

test("all together have a fifth of the files that may be open, beyond which a caller has few", () => {
  const connections = new OpenConnections(1_000);
  for (const owner of ["a", "b"]) for (let n = 0; n < 100; n++) expect(connections.add(owner)).toBe(true);
  expect(connections.add("a")).toBe(false);
  for (let n = 0; n < 20; n++) expect(connections.add("c")).toBe(true);
  expect(connections.add("c")).toBe(false);
  for (let n = 0; n < 30; n++) connections.remove("b");
  expect(connections.add("c")).toBe(true);
});
