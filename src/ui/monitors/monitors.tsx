import type { Route } from "../routes.ts";
import { CreateMonitor, EditMonitor } from "./create-monitor.tsx";
import { MonitorDetail } from "./monitor-detail.tsx";
import { MonitorList } from "./monitor-list.tsx";

/** The list of monitors, the form for a new one (`monitors/new?url=…`), one monitor, or its settings (`monitors/<id>?edit`). */
export function Monitors({ route }: { route: Route }) {
  if (route.id === undefined) return <MonitorList />;
  const url = route.query.get("url") ?? undefined;
  if (route.id === "new") return <CreateMonitor key={url} url={url} />;
  if (route.query.has("edit")) return <EditMonitor key={route.id} id={route.id} />;
  return <MonitorDetail key={route.id} id={route.id} checkId={route.query.get("check") ?? undefined} />;
}
