import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { visibleRows } from "./visible-rows.ts";

interface VirtualListProps {
  label: string;
  count: number;
  /** Height of each row in px. A row's content has to fit into it. */
  rowHeight: number;
  /** Identifies a row, so that it is not drawn again when others appear before it. */
  keyOf: (at: number) => string | number;
  render: (at: number) => ComponentChildren;
  /** Called when the last rows are shown. */
  onEnd?: (() => void) | undefined;
}

const MAX_HEIGHT = 640;
const FIRST_HEIGHT = 480;

/**
 * A list with a scroll bar of its own that draws only the rows in view, and some beyond, so that ten thousand rows cost as
 * much as thirty. The arrow keys, Page Up, Page Down, Home and End scroll it when it has the focus.
 */
export function VirtualList({ label, count, rowHeight, keyOf, render, onEnd }: VirtualListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(FIRST_HEIGHT);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const watching = new ResizeObserver(() => setHeight(element.clientHeight));
    watching.observe(element);
    return () => watching.disconnect();
  }, []);
  const { first, end } = visibleRows({ top, height, rowHeight, count });
  useEffect(() => {
    if (end === count && count > 0) onEnd?.();
  }, [end, count]);
  return (
    <div
      ref={box}
      class="virtual-list"
      tabIndex={0}
      role="group"
      aria-label={label}
      style={{ maxHeight: `min(70vh, ${MAX_HEIGHT}px)` }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <ul style={{ height: `${count * rowHeight}px` }}>
        {Array.from({ length: end - first }, (_, place) => {
          const at = first + place;
          return (
            <li
              key={keyOf(at)}
              style={{ transform: `translateY(${at * rowHeight}px)`, height: `${rowHeight}px` }}
              aria-setsize={count}
              aria-posinset={at + 1}
            >
              {render(at)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
