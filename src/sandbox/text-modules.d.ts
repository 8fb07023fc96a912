/** Programs that are built into text (`tools/build-sandbox.ts`) and handed to isolates of their own. */
declare module "*.txt" {
  const text: string;
  export default text;
}
