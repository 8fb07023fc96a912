/** Most blocks of a page are plain menu entries or plain text: they need neither all trees nor the second pass. */
export const CASCADE = {
  earlyExit: { trees: 50, logOdds: 3.5 },
  /** The second pass judges blocks whose probability is between these after the first one: two in five. */
  doubt: { from: 0.05, to: 0.97 },
};
