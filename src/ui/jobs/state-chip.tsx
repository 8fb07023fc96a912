import { STATE_WORDS } from "./job-types.ts";
import type { JobState } from "./job-types.ts";

export function StateChip({ status }: { status: JobState }) {
  const { label, tone } = STATE_WORDS[status];
  return <span class={`chip-status ${tone}`}>{label}</span>;
}
