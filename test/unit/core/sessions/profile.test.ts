import { expect, test } from "vitest";
import {
  addSessionStorage,
  originsOf,
  type OriginState,
  type ProfileCookie,
} from "../../../../src/core/sessions/profile.ts";
import { recordingFolder } from "../../../../src/core/sessions/recording-keys.ts";

const cookie = (domain: string, secure: boolean): ProfileCookie => ({
  name: "n",
  value: "v",
  path: "/",
  httpOnly: true,
  domain,
  secure,
});

test("origins are those visited, then those of cookies, each once", () => {
  const visited = ["https://a.example", "http://127.0.0.1:8080", "null", "chrome://version", "https://a.example/x"];
  expect(originsOf(visited, [cookie(".b.example", true), cookie("a.example", false)], 10)).toEqual([
    "https://a.example",
    "http://127.0.0.1:8080",
    "https://b.example",
    "http://a.example",
  ]);
  expect(originsOf(visited, [], 1)).toEqual(["https://a.example"]);
});

test("what tabs keep of an origin comes together, and the first value of a key stays", () => {
  const state = (origin: string, sessionStorage: [string, string][]): OriginState => ({
    origin,
    localStorage: [],
    sessionStorage,
    databases: [],
  });
  const first = [state("https://a.example", [["berth", "17"]])];
  const entries: [string, string][] = [
    ["berth", "4"],
    ["watch", "dog"],
  ];
  const both = addSessionStorage(first, { origin: "https://a.example", entries });
  expect(both).toEqual([
    state("https://a.example", [
      ["berth", "17"],
      ["watch", "dog"],
    ]),
  ]);
  expect(addSessionStorage(first, { origin: "https://b.example", entries })).toEqual([
    ...first,
    state("https://b.example", entries),
  ]);
  expect(addSessionStorage(first, { origin: "https://b.example", entries: [] })).toEqual(first);
});

test("a recording lies in the folder of the day that its session's id tells", () => {
  expect(recordingFolder("0197f6a0-7c00-7abc-8def-0123456789ab")).toBe(
    "recordings/2025-07-10/0197f6a0-7c00-7abc-8def-0123456789ab/",
  );
  for (const id of ["../../secret", "0197f6a0-7c00-4abc-8def-0123456789ab", ""]) {
    expect(recordingFolder(id)).toBeUndefined();
  }
});
