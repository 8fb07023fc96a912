import { decodePercent } from "../../core/url/decode-percent.ts";

/** Headers that hold credentials. They are removed, since more people see a recording than made it. */
const SECRET_HEADERS = new Set(["authorization", "proxy-authorization", "cookie", "set-cookie"]);
/** Names of values that are likely to be credentials, as words of the name. */
const SECRET_NAME =
  /(?:^|[^a-z0-9])(?:api[-_]?key|(?:access|auth|id|refresh|csrf|xsrf)?token|(?:client)?secret|auth(?:entication|orization|key|code)?|jwt|session(?:id)?|sid|csrf|xsrf|sig|signature|passw(?:or)?d)(?:$|[^a-z0-9])/;
const REDACTED = "(not-recorded)";
const MAX_NAME = 200;

export function isSecretHeader(name: string): boolean {
  return SECRET_HEADERS.has(name.toLowerCase()) || isSecretName(name);
}

/** A name in camel case is read like one with hyphens. */
function isSecretName(name: string): boolean {
  const words = name.slice(0, MAX_NAME).replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2");
  return SECRET_NAME.test(words.toLowerCase());
}

/**
 * Returns a URL, absolute or not, without its user and password and without the values of parameters, of the query and of the fragment,
 * whose names say that they are credentials.
 */
export function withoutSecrets(url: string): string {
  const anonymous = url.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/?#@]*@/i, "$1//");
  // The second one reads the URL that a parameter has.
  return [/([?&#;])([^?&#;=]+)=[^&#;]*/g, /([?&#;])([^?&#;=]+)=[^?&#;]*/g].reduce(
    (text, parameter) =>
      text.replaceAll(parameter, (pair: string, before: string, name: string) =>
        isSecretName(decodePercent(name)) ? `${before}${name}=${REDACTED}` : pair,
      ),
    anonymous,
  );
}
