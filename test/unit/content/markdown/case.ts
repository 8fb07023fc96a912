/** One kind of thing that pages do, and the markdown that we want for it. */
export interface Case {
  what: string;
  html: string;
  markdown: string;
}
