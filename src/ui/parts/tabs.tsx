import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";

export interface Tab {
  name: string;
  label: string;
  /** A number next to the label. */
  count?: number | undefined;
}

interface TabsProps {
  label: string;
  tabs: readonly Tab[];
  chosen: string;
  choose: (name: string) => void;
  children: ComponentChildren;
}

/** Tabs with one panel and arrow-key navigation (WAI-ARIA Authoring Practices, "Tabs"). */
export function Tabs({ label, tabs, chosen, choose, children }: TabsProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex(({ name }) => name === chosen);
    const next = (at + step + tabs.length) % tabs.length;
    choose(tabs[next]?.name ?? chosen);
    list.current?.querySelectorAll<HTMLButtonElement>("[role=tab]")[next]?.focus();
  };
  return (
    <div class="tabs">
      <div class="tab-list" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-${tab.name}`}
            class="tab"
            aria-selected={tab.name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={tab.name === chosen ? 0 : -1}
            onClick={() => choose(tab.name)}
          >
            {tab.label}
            {tab.count !== undefined && <span class="count">{tab.count.toLocaleString("en")}</span>}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`} tabIndex={0}>
        {children}
      </div>
    </div>
  );
}
