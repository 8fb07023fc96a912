import { expect, test } from "vitest";
import { asksForDashboard, asksForGuide } from "../../../src/http/dashboard.ts";

test.each([
  { who: "a browser", accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", is: true },
  { who: "a client that names nothing", accept: undefined, is: false },
  { who: "curl", accept: "*/*", is: false },
  { who: "axios", accept: "application/json, text/plain, */*", is: false },
  { who: "a client that would rather have JSON", accept: "application/json, text/html", is: false },
  { who: "a client that refuses HTML", accept: "text/html;q=0, */*", is: false },
  { who: "a browser elsewhere", accept: "text/html", path: "/health", is: false },
  { who: "a form", accept: "text/html", method: "POST", is: false },
])("$who is shown the dashboard: $is", ({ accept, path = "/", method = "GET", is }) => {
  const headers = new Headers(accept === undefined ? [] : [["Accept", accept]]);
  expect(asksForDashboard(new Request(`http://localhost:8787${path}`, { method, headers }))).toBe(is);
});

test.each([
  { path: "/docs/", is: true },
  { path: "/docs/scrape", is: true },
  { path: "/docs/search.json", method: "HEAD", is: true },
  { path: "/docs", is: false },
  { path: "/docs/../v2/scrape", is: false },
  { path: "/docs/scrape", method: "POST", is: false },
])("$method $path is answered with a guide: $is", ({ path, method = "GET", is }) => {
  expect(asksForGuide(new Request(`http://localhost:8787${path}`, { method }))).toBe(is);
});
