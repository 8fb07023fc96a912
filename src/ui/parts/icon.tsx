/** Outlines on a grid of 24 by 24, drawn for this dashboard. */
const SHAPES = {
  playground: "M5 4v16l14-8z",
  crawls: "M12 3v6m0 6v6M3 12h6m6 0h6M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6",
  monitors: "M2 12s3.6-7 10-7 10 7 10 7-3.6 7-10 7S2 12 2 12m10-3a3 3 0 1 0 0 6 3 3 0 0 0 0-6",
  webhooks:
    "M12 4a3.5 3.5 0 0 1 2.6 5.8L18 16M9 9.5a3.5 3.5 0 0 1 3-5.5M6 13a3.5 3.5 0 1 0 3.5 4H18m-6-9-3.8 7.4M18 13.500a3.500 3.500 0 1 1-3 5.400",
  connect: "M9 7V3m6 4V3M6 7h12v4a6 6 0 0 1-12 0zM12 17v4",
  start: "M5 21V4h12l-2.500 4 2.500 4H5",
  sessions: "M3 5h18v14H3zM3 9h18M6 7h.01M9 7h.01",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5 21 21",
  usage: "M4 20V10m6 10V4m6 16v-8m4 8H2",
  keys: "M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8m3 1 9-9m-4 4 3 3",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  check: "M4 12.5 9.5 18 20 6",
  close: "M5 5l14 14M19 5 5 19",
  plus: "M12 4v16M4 12h16",
  download: "M12 3v12m-5-5 5 5 5-5M4 20h16",
  stop: "M6 6h12v12H6z",
  reload: "M20 12a8 8 0 1 1-2.5-5.8M20 3v5h-5",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18m0 4v5l3 3",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2m0 16v2M2 12h2m16 0h2M5 5l1.5 1.5m11 11L19 19M5 19l1.5-1.5m11-11L19 5",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5",
  system: "M3 5h18v11H3zM9 20h6m-3-4v4",
  leave: "M10 4H4v16h6m4-4 4-4-4-4m4 4H9",
  hand: "M7 12V6a1.5 1.5 0 0 1 3 0v5V4.5a1.5 1.5 0 0 1 3 0V11V6a1.5 1.5 0 0 1 3 0v7a7 7 0 0 1-7 8c-3 0-4-1.5-6-6l-.7-1.6a1.5 1.5 0 0 1 2.7-1.2L7 14",
  right: "M9 5l7 7-7 7",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  docs: "M6 3h9l4 4v14H6zM14 3v5h5M9 12h7m-7 4h7",
  keyboard: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8",
  archive: "M3 4h18v5H3zM5 9v11h14V9M10 13h4",
  edit: "M4 20v-4L15.500 4.500l4 4L8 20zM13 7l4 4",
  pause: "M8 5v14M16 5v14",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5m4-5v5",
  warning: "M12 4 2.5 20h19zM12 10v4m0 3h.01",
} as const;

export type IconName = keyof typeof SHAPES;

/** A decorative icon, always next to a text or label. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={SHAPES[name]} />
    </svg>
  );
}
