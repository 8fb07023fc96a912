import { describe, expect, test } from "vitest";
import { Film } from "../../../../src/sessions/recording/film.ts";

const TAB = { id: "a", url: "https://example.com/", title: "Example" };
const OTHER = { id: "b", url: "https://example.org/", title: "Other" };

const shot = (atMs: number, size = 10) => ({
  atMs,
  width: 1280,
  height: 800,
  jpeg: new Uint8Array(size).fill(atMs % 256),
});

const lengths = (segments: readonly { samples: { durationMs: number }[] }[]): number[][] =>
  segments.map(({ samples }) => samples.map(({ durationMs }) => durationMs));

describe("a film", () => {
  test("shows each picture until the next one", () => {
    const film = new Film();
    for (const atMs of [1000, 1300, 2000]) film.add(TAB, shot(atMs));
    const segments = film.cut(2500);
    expect(lengths(segments)).toEqual([[300, 700, 500]]);
    expect(film.pages).toMatchObject([{ url: TAB.url, startMs: 1000, endMs: 2500, segments: [{ frames: 3 }] }]);
  });

  test("keeps the last of pictures that come too fast", () => {
    const film = new Film();
    for (const atMs of [1000, 1050, 1100, 1150]) film.add(TAB, shot(atMs));
    const [segment] = film.cut(1200);
    expect(segment?.samples.map(({ jpeg }) => jpeg[0])).toEqual([1000 % 256, 1150 % 256]);
  });

  test("goes on without a gap after it was written down", () => {
    const film = new Film();
    film.add(TAB, shot(1000));
    film.cut(3000);
    expect(film.cut(4000)).toEqual([]);
    film.add(TAB, shot(9000));
    const [segment] = film.cut(9500);
    expect(segment).toMatchObject({ index: 1, startMs: 2000 });
    expect(lengths(segment === undefined ? [] : [segment])).toEqual([[6000, 500]]);
    expect(segment?.samples[0]?.jpeg[0]).toBe(1000 % 256);
  });

  test("ends a segment after ten seconds or three megabytes, and begins the next with the same picture", () => {
    const long = new Film();
    const done = [1000, 6000, 11_500].flatMap((atMs) => long.add(TAB, shot(atMs)));
    expect(lengths(done)).toEqual([[5000, 5500]]);
    expect(lengths(long.finish(12_000))).toEqual([[500]]);
    const large = new Film();
    const filled = [1000, 2000, 3000].flatMap((atMs) => large.add(TAB, shot(atMs, 1_600_000)));
    expect(lengths(filled)).toEqual([[1000], [1000]]);
  });

  test("has a page for each tab, and both go on", () => {
    const film = new Film();
    film.add(TAB, shot(1000));
    expect(lengths(film.add(OTHER, shot(3000)))).toEqual([[2000]]);
    expect(lengths(film.add(TAB, shot(4000)))).toEqual([[1000]]);
    film.finish(5000);
    expect(film.pages.map(({ url, segments }) => [url, segments.length])).toEqual([
      [TAB.url, 2],
      [OTHER.url, 1],
    ]);
  });

  test("shows its last picture until its end", () => {
    const film = new Film();
    film.add(TAB, shot(1000));
    film.cut(2000);
    expect(lengths(film.finish(60_000))).toEqual([[58_000]]);
    expect(film.pages[0]?.endMs).toBe(60_000);
  });

  test("gets coarser as it grows, and ends when it is full", () => {
    const film = new Film({ pages: [], bytes: 150_000_000 });
    film.add(TAB, shot(1000));
    film.add(TAB, shot(2000));
    film.add(TAB, shot(3500));
    expect(film.cut(4000)[0]?.samples).toHaveLength(2);
    const full = new Film({ pages: [], bytes: 200_000_000 });
    expect(full.add(TAB, shot(1000))).toEqual([]);
    expect({ isCut: full.isCut, kept: full.finish(2000) }).toEqual({ isCut: true, kept: [] });
  });

  test("knows a page by where it went last, but for a blank one", () => {
    const film = new Film();
    film.add(TAB, shot(1000));
    film.describe({ id: "a", url: "https://example.com/next", title: "" }, 1_500);
    film.describe({ id: "a", url: "https://example.com/next", title: "Next" }, 1_600);
    film.describe({ id: "a", url: "about:blank", title: "" }, 1_700);
    expect(film.pages[0]).toMatchObject({ url: "https://example.com/next", title: "Next" });
    expect(film.pages[0]?.titles).toEqual([
      { atMs: 1000, url: TAB.url, title: TAB.title },
      { atMs: 1500, url: "https://example.com/next", title: "Next" },
    ]);
  });
});
