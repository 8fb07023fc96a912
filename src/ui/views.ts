import type { ComponentType } from "preact";
import type { IconName } from "./parts/icon.tsx";
import type { Route } from "./routes.ts";

export interface ViewEntry {
  /** First path segment of the view's URL. */
  name: string;
  label: string;
  icon: IconName;
  /** Keyboard shortcut, such as `g p`. */
  keys?: string;
  load: () => Promise<ComponentType<{ route: Route }>>;
}

/** All views, in the order of the navigation. */
export const VIEWS: readonly ViewEntry[] = [
  {
    name: "playground",
    label: "Playground",
    icon: "playground",
    keys: "g p",
    load: async () => (await import("./playground/playground.tsx")).Playground,
  },
  {
    name: "jobs",
    label: "Jobs",
    icon: "crawls",
    keys: "g j",
    load: async () => (await import("./jobs/jobs.tsx")).Jobs,
  },
  {
    name: "monitors",
    label: "Monitors",
    icon: "monitors",
    keys: "g m",
    load: async () => (await import("./monitors/monitors.tsx")).Monitors,
  },
  {
    name: "webhooks",
    label: "Webhooks",
    icon: "webhooks",
    keys: "g w",
    load: async () => (await import("./webhooks/webhooks.tsx")).Webhooks,
  },
  {
    name: "sessions",
    label: "Sessions",
    icon: "sessions",
    keys: "g s",
    load: async () => (await import("./sessions/sessions.tsx")).Sessions,
  },
  {
    name: "search",
    label: "Search",
    icon: "search",
    keys: "g f",
    load: async () => (await import("./search/search-view.tsx")).SearchView,
  },
  {
    name: "usage",
    label: "Usage",
    icon: "usage",
    keys: "g u",
    load: async () => (await import("./usage/usage-view.tsx")).UsageView,
  },
  {
    name: "keys",
    label: "Keys",
    icon: "keys",
    keys: "g k",
    load: async () => (await import("./keys/keys-view.tsx")).KeysView,
  },
  {
    name: "connect",
    label: "Connect",
    icon: "connect",
    keys: "g c",
    load: async () => (await import("./connect/connect.tsx")).Connect,
  },
  {
    name: "start",
    label: "Get started",
    icon: "start",
    load: async () => (await import("./start/start.tsx")).Start,
  },
];
