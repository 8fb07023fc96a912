// Used by the programs that are loaded into a wrangler that serves.
"use strict";

/**
 * Returns what miniflare exports, with a `Miniflare` whose options are changed before it gets them.
 * @template {object} Options
 * @param {Record<string, any>} miniflare
 * @param {(options: Options) => Options} change
 */
exports.wrapMiniflare = (miniflare, change) => {
  class WrappedMiniflare extends miniflare.Miniflare {
    constructor(/** @type {Options} */ options) {
      super(change(options));
    }
    setOptions(/** @type {Options} */ options) {
      return super.setOptions(change(options));
    }
  }
  const exported = Object.getOwnPropertyDescriptors(miniflare);
  return Object.defineProperties({}, { ...exported, Miniflare: { value: WrappedMiniflare, enumerable: true } });
};
