/** A program of this folder, built, as a text. */
declare module "*.txt" {
  const source: string;
  export default source;
}
