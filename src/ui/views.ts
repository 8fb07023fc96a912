import type { ComponentType } from "preact";
import type { IconName } from "./parts/icon.tsx";
import type { Route } from "./routes.ts";

export interface ViewEntry {
  /** First path segment of the view's URL. */
  name: string;
  label: string;
  icon: IconName;
  /** Heading in the navigation; views of a group follow each other. */
  group: string;
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
    group: "Build",
    keys: "g p",
    load: async () => (await import("./playground/playground.tsx")).Playground,
  },
  {
    name: "jobs",
    label: "Jobs",
    icon: "crawls",
    group: "Build",
    keys: "g j",
    load: async () => (await import("./jobs/jobs.tsx")).Jobs,
  },
  {
    name: "monitors",
    label: "Monitors",
    icon: "monitors",
    group: "Build",
    keys: "g m",
    load: async () => (await import("./monitors/monitors.tsx")).Monitors,
  },
  {
    name: "sessions",
    label: "Sessions",
    icon: "sessions",
    group: "Build",
    keys: "g s",
    load: async () => (await import("./sessions/sessions.tsx")).Sessions,
  },
  {
    name: "search",
    label: "Search",
    icon: "search",
    group: "Build",
    keys: "g f",
    load: async () => (await import("./search/search-view.tsx")).SearchView,
  },
  {
    name: "usage",
    label: "Usage",
    icon: "usage",
    group: "Observe",
    keys: "g u",
    load: async () => (await import("./usage/usage-view.tsx")).UsageView,
  },
  {
    name: "webhooks",
    label: "Webhooks",
    icon: "webhooks",
    group: "Observe",
    keys: "g w",
    load: async () => (await import("./webhooks/webhooks.tsx")).Webhooks,
  },
  {
    name: "connect",
    label: "Connect",
    icon: "connect",
    group: "Set up",
    keys: "g c",
    load: async () => (await import("./connect/connect.tsx")).Connect,
  },
  {
    name: "keys",
    label: "Keys",
    icon: "keys",
    group: "Set up",
    keys: "g k",
    load: async () => (await import("./keys/keys-view.tsx")).KeysView,
  },
  {
    name: "start",
    label: "Get started",
    icon: "start",
    group: "Set up",
    load: async () => (await import("./start/start.tsx")).Start,
  },
];
