/**
 * Keys of the bindings of all worker tests. The service reads its settings once an isolate, which may happen in work that
 * the file before has left behind: keys of one file alone would then be unknown.
 */
export const API_KEY = `fc-${"5".repeat(32)}`;
export const ADMIN_KEY = `fc-${"6".repeat(32)}`;
