import { GuideLink, PageHead } from "../parts/page-head.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { goTo } from "../router.ts";
import { hrefOf } from "../routes.ts";
import type { Route } from "../routes.ts";
import { DeliveryList } from "./delivery-list.tsx";
import { EndpointList } from "./endpoint-list.tsx";
import { WebhookTester } from "./webhook-tester.tsx";

const TABS = [
  { name: "deliveries", label: "Deliveries" },
  { name: "endpoints", label: "Endpoints" },
  { name: "test", label: "Test" },
];

/** Webhooks: deliveries with request and answer, endpoints, and a tester (`webhooks/test`). */
export function Webhooks({ route }: { route: Route }) {
  const url = route.query.get("url") ?? undefined;
  const tab = TABS.find(({ name }) => name === route.id)?.name ?? "deliveries";
  return (
    <>
      <PageHead title="Webhooks" lead="Events that jobs and monitors send to your endpoints.">
        <GuideLink of="webhooks" />
      </PageHead>
      <Tabs
        label="Webhooks"
        tabs={TABS}
        chosen={tab}
        choose={(name) => goTo(hrefOf("webhooks", name === "deliveries" ? undefined : name))}
      >
        {tab === "deliveries" && <DeliveryList key={url} url={url} />}
        {tab === "endpoints" && <EndpointList />}
        {tab === "test" && <WebhookTester />}
      </Tabs>
    </>
  );
}
