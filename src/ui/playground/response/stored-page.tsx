import { failureOf, send } from "../../api/client.ts";
import { useLoaded } from "../../api/use-loaded.ts";
import { ResponseTabs } from "./response-tabs.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorNotice, Loading } from "../../parts/notices.tsx";

/** A stored scrape in a dialog. `scrapeId` is undefined if the page was not stored. */
export function StoredPage(about: { scrapeId: string | undefined; title: string; close: () => void }) {
  const { scrapeId, title, close } = about;
  return (
    <Dialog title={title} close={close} isWide>
      {scrapeId === undefined ? <p>This page was not stored.</p> : <Stored scrapeId={scrapeId} />}
    </Dialog>
  );
}

function Stored({ scrapeId }: { scrapeId: string }) {
  const { value, error, reload } = useLoaded(
    async (signal) => {
      const answer = await send(`/v2/scrape/${encodeURIComponent(scrapeId)}`, { signal });
      const failure = failureOf(answer);
      if (failure !== undefined) throw failure;
      return answer;
    },
    [scrapeId],
  );
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  return value === undefined ? <Loading what="page" /> : <ResponseTabs answer={value} />;
}
