/** What the application says it sees of the console; its words come from outside. */
import { about, type Finding } from './finding.ts';
import { short } from './probe.ts';

export interface Expected {
  /** CONSOLE_URL. */
  readonly url: string;
  /** Keys of this store. */
  readonly kids: readonly string[];
  readonly audience: string;
  /** `svc.mc.app.internalAddress`. */
  readonly address: string;
}

type Json = Readonly<Record<string, unknown>>;

/** It has verified a token of this console: issuer and key set address are right in the main. */
export function validateSeen(seen: Json, expected: Expected): readonly Finding[] {
  return [
    about('internal address').ok(`The application at ${expected.address} takes what this console signs.`),
    validateIssuer(seen, expected),
    validateKeySet(seen, expected),
    validateDiscovery(seen, expected),
    validateHttps(seen, expected),
  ];
}

function validateIssuer({ issuerUrl, audience }: Json, expected: Expected): Finding {
  const say = about("application's issuer");
  if (issuerUrl !== expected.url)
    return say.problem(
      `The application's issuer is ${short(issuerUrl)}, the console is ${expected.url}.`,
      `Start the application with app.security.openIdp.issuerUrl=${expected.url}`,
    );
  if (audience !== expected.audience)
    return say.problem(
      `The application expects access tokens for ${short(audience)}, the console issues them for ${expected.audience}.`,
      `Start the application with app.security.openIdp.audience=${expected.audience}, or set CONSOLE_AUDIENCE.`,
    );
  return say.ok(`It is ${expected.url}.`);
}

function validateKeySet({ keySet, jwksUri }: Json, { url, kids }: Expected): Finding {
  const say = about("application's key set");
  const set = `app.security.openIdp.jwks-uri=${url}/oauth2/jwks`;
  const shown = (keySet as Json | undefined)?.kids;
  if (!Array.isArray(shown))
    return say.problem(
      `The application does not reach ${short(jwksUri)} (${failureOf(keySet)}).`,
      `Start it with ${set}`,
    );
  const missing = kids.filter((kid) => !shown.includes(kid));
  if (missing.length === 0) return say.ok(`It reads the ${kids.length} keys at ${short(jwksUri)}.`);
  return say.problem(
    `At ${short(jwksUri)} the application does not see ${missing.length} of the ${kids.length} keys of this store.`,
    `Start it with ${set}, and let no cache in between keep the key set for longer than five minutes.`,
  );
}

function validateDiscovery({ discovery }: Json, { url }: Expected): Finding {
  const say = about('console from the application');
  const issuer = (discovery as Json | undefined)?.issuer;
  if (issuer === url) return say.ok('The application reaches the console, and its discovery says so.');
  if (issuer === undefined)
    return say.problem(
      `The application does not reach the discovery of the console (${failureOf(discovery)}).`,
      `Open the way from the application's host to ${url}, or set its app.security.openIdp.jwks-uri to an address of the console that it does reach.`,
    );
  return say.problem(
    `From the application's host, discovery names ${short(issuer)}.`,
    `Let ${url} lead to this console there.`,
  );
}

function validateHttps({ requireHttps, addresses }: Json, { url }: Expected): Finding {
  const say = about("application's HTTPS");
  const own = Array.isArray(addresses) ? addresses.map(String) : [];
  const isAllHttps = [url, ...own].every((address) => address.startsWith('https:'));
  if (!isAllHttps || requireHttps === true)
    return say.ok(requireHttps === true ? 'It insists on it.' : 'It does not insist on it: http is in use.');
  return say.warning(
    'Console and application run over HTTPS, but the application does not insist on it.',
    'Start the application with app.security.openIdp.require-https=true',
  );
}

function failureOf(part: unknown): string {
  return short((part as Json | undefined)?.failure ?? 'no word why');
}
