/** Above every index of a block. */
const INDEXES = 2 ** 21;
const MOST_BITS = 0xffff_ffff;

/**
 * Returns the blocks' indexes by descending probability, those of equal probability in order. Numbers sort many times
 * faster than indexes whose probabilities a function compares: the bits of floats from 0 on are in the order of the
 * floats, and the index fills the bits below them.
 */
export function orderByProbability(probabilities: Float32Array): Uint32Array {
  const bits = new Uint32Array(probabilities.buffer, probabilities.byteOffset, probabilities.length);
  const keys = new Float64Array(bits.length);
  for (let block = 0; block < keys.length; block++) keys[block] = (MOST_BITS - bits[block]!) * INDEXES + block;
  keys.sort();
  const order = new Uint32Array(keys.length);
  for (let at = 0; at < order.length; at++) order[at] = keys[at]! % INDEXES;
  return order;
}
