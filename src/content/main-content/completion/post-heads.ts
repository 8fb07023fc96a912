/**
 * Authors and dates of the posts of a thread: short texts at the head of each post, which the classifier takes for
 * noise.
 */
import { headingLevel, isNearElement, testOnce, type PageOutline } from "../blocks.ts";
import type { ChoiceToComplete } from "./completion.ts";
import type { PageMeasures } from "../features/page-measures.ts";
import { MIN_REPEATS, type Unit } from "../features/repetition.ts";
import type { ElementNode } from "../../html/tree/tree.ts";

/** Minimum words of a kept block that is a post. */
const MIN_POST_SIZE = 8;
/** Characters of a name or a date, and elements around it up to the post. */
const MAX_HEAD_LENGTH = 40;
const POST_REACH = 12;
/** Share of the posts that must name both. */
const MOST = 0.8;
const AUTHOR = /(?:^|[\s_-])(?:author|byline|user-?name|poster|screen-?name|nick(?:name)?)(?:$|[\s_-]|__?name)/i;

interface Post {
  /** Blocks. */
  author?: number;
  date?: number;
  /** True when some text of it is kept. */
  isKept: boolean;
  /** True when that text is long enough to be that of a post. */
  isLong: boolean;
}

/**
 * Keeps one author and one date of each kept post of a thread, where nearly all of the longer ones have both. A short
 * answer at the end has its author too.
 */
export function keepPostHeads({ page, kept }: Pick<ChoiceToComplete, "page" | "kept">): void {
  const { outline } = page;
  const dates: number[] = [];
  for (let block = 0; block < kept.length; block++) if (isHead(outline, block, isDate)) dates.push(block);
  if (dates.length < MIN_REPEATS) return;
  for (const posts of threadsOf(page, kept, dates)) {
    const long = posts.filter(({ isLong }) => isLong);
    if (long.filter(isNamed).length < Math.max(MIN_REPEATS, long.length * MOST)) continue;
    for (const { author, date } of posts.filter(isNamed)) kept[author] = kept[date] = 1;
  }
}

function isNamed(post: Post): post is Post & { author: number; date: number } {
  return post.author !== undefined && post.date !== undefined;
}

/**
 * Returns the posts of each thread: repeated elements that hold kept text, but no heading, as the teasers of a list do.
 */
function threadsOf(page: PageMeasures, kept: Uint8Array, dates: readonly number[]): Post[][] {
  const { outline, text, repetition } = page;
  const threads = new Map<Unit, Map<number, Post>>();
  const eachPost = (block: number, handle: (unit: Unit, element: number) => void): void => {
    let index = outline.blocks[block]!.element;
    for (let step = 0; index > 0 && step < POST_REACH; step++, index = outline.parents[index]!) {
      const unit = repetition.siblings[index];
      if (unit !== undefined && unit.count >= MIN_REPEATS) handle(unit, index);
    }
  };
  for (const date of dates) {
    eachPost(date, (unit, element) => {
      let posts = threads.get(unit);
      if (posts === undefined) threads.set(unit, (posts = new Map()));
      if (!posts.has(element)) posts.set(element, { date, isKept: false, isLong: false });
    });
  }
  if (threads.size === 0) return [];
  const hasAuthorClass = testOnce((_tag, classes) => AUTHOR.test(classes));
  const isAuthor = (element: ElementNode): boolean => hasAuthorClass(element) || declaresAuthor(element);
  outline.blocks.forEach(({ element, insideLink }, block) => {
    const isAuthorName = isHead(outline, block, isAuthor);
    const isHeading = headingLevel(outline.elements[element]!.tag) > 0;
    const isText = kept[block] === 1 && !insideLink && !isHead(outline, block, isDate);
    if (!isAuthorName && !isHeading && !isText) return;
    eachPost(block, (unit, index) => {
      const posts = threads.get(unit);
      const post = posts?.get(index);
      if (post === undefined) return;
      if (isAuthorName) post.author ??= block;
      else if (isHeading) posts?.delete(index);
      else {
        post.isKept = true;
        if (text.sizes[block]! >= MIN_POST_SIZE) post.isLong = true;
      }
    });
  });
  return [...threads.values()].map((posts) => [...posts.values()].filter(({ isKept }) => isKept));
}

function isDate({ tag, attributes }: ElementNode): boolean {
  return tag === "time" || (attributes["itemprop"]?.startsWith("date") ?? false);
}

function declaresAuthor({ attributes }: ElementNode): boolean {
  return attributes["rel"] === "author" || attributes["itemprop"] === "author";
}

/** Reports whether a block is short, and its element shows what it is. */
function isHead(outline: PageOutline, block: number, isWanted: (element: ElementNode) => boolean): boolean {
  return outline.blocks[block]!.text.length <= MAX_HEAD_LENGTH && isNearElement(outline, block, isWanted);
}
