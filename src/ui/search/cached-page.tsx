import { failureOf, send } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { Dialog } from "../parts/dialog.tsx";
import { ErrorNotice, Loading } from "../parts/notices.tsx";
import { AnswerTabs } from "../playground/answer-tabs.tsx";
import type { FoundPage } from "./found-pages.ts";

const ANY_AGE_MS = 10 * 365 * 86_400_000;

/** A found page as it is kept: taken from the cache and from nowhere else. */
export function CachedPage({ page, close }: { page: FoundPage; close: () => void }) {
  return (
    <Dialog title={page.title} close={close} isWide>
      <Kept url={page.url} />
    </Dialog>
  );
}

function Kept({ url }: { url: string }) {
  const { value, error } = useLoaded(
    async (signal) => {
      const body = { url, formats: ["markdown", "links"], maxAge: ANY_AGE_MS, lockdown: true };
      const answer = await send("/v2/scrape", { body, signal });
      const failure = failureOf(answer);
      if (failure !== undefined) throw failure;
      return answer;
    },
    [url],
  );
  if (error !== undefined) return <ErrorNotice error={error} />;
  return value === undefined ? <Loading what="the page" /> : <AnswerTabs answer={value} />;
}
