import { inject } from "../inject.ts";
import { call } from "../client.ts";

/** A new key, made with the admin's. */
export async function makeKey(options: object): Promise<string> {
  const service = { url: inject("serviceUrl"), key: inject("adminKey") };
  const { status, text } = await call("/v2/team/keys", { body: options, service });
  if (status !== 200) throw new Error(`No key was made: ${status} ${text}`);
  const { data } = JSON.parse(text) as { data: { key: string } };
  return data.key;
}
