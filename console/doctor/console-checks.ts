/** The running console as browsers and applications see it, at CONSOLE_URL. */
import { startCommand } from '../../platform/installation.ts';
import { jsonObject } from '../../platform/json.ts';
import { differenceOf, validateClock } from './clock.ts';
import { about, type Finding } from './finding.ts';
import { type Answer, type Probe, ProbeError, short } from './probe.ts';

export interface ConsoleChecksDeps {
  readonly probe: Probe;
  /** CONSOLE_URL. */
  readonly url: string;
  /** Ids of the keys of this store that the key set has to show; undefined: the store could not be read. */
  readonly kids: readonly string[] | undefined;
}

const restart = 'restart the console, or give the doctor the settings that the console runs with';

/** @returns findings, and whether a console answers there, so that more can be asked */
export async function checkConsole({
  probe,
  url,
  kids,
}: ConsoleChecksDeps): Promise<{ readonly findings: readonly Finding[]; readonly isThere: boolean }> {
  const issuer = about('issuer');
  let answer: Answer;
  try {
    answer = await probe(`${url}/.well-known/openid-configuration`);
  } catch (error) {
    if (!(error instanceof ProbeError)) throw error;
    const fix = error.isAboutTls
      ? 'See the certificate above; what the console answers was not looked at.'
      : `Start the console (${startCommand()}), or set CONSOLE_URL to the address at which browsers reach it; what the console answers was not looked at.`;
    return { findings: [issuer.problem(`Nobody answers at ${url} (${error.reason}).`, fix)], isThere: false };
  }
  const document = jsonObject(answer.text);
  if (answer.status !== 200 || typeof document?.issuer !== 'string') {
    const reason = `What answers at ${url} is no console: discovery is ${answer.status}.`;
    const fix =
      'Set CONSOLE_URL to the address of the console, or let the proxy in front pass every path on.';
    return { findings: [issuer.problem(reason, fix)], isThere: false };
  }
  const difference = differenceOf(answer.headers.get('date'), answer.at);
  const findings = [
    validateIssuer(document, url),
    await checkReady(probe, url),
    ...(kids ? [await checkKeySet(probe, url, kids)] : []),
    ...(difference === undefined
      ? []
      : [validateClock('clock of the console', "the console's host", difference)]),
  ];
  return { findings, isThere: document.issuer === url };
}

function validateIssuer({ issuer }: Readonly<Record<string, unknown>>, url: string): Finding {
  const say = about('issuer');
  if (issuer === url) return say.ok(`The console answers at ${url}, and its discovery says so.`);
  return say.problem(
    `The console at ${url} calls itself ${short(issuer)}: tokens carry that name, and applications refuse them.`,
    `Set CONSOLE_URL to one of the two, and ${restart}.`,
  );
}

async function checkReady(probe: Probe, url: string): Promise<Finding> {
  const say = about('readiness');
  const status = await statusOf(probe, `${url}/ready`);
  if (status === 200) return say.ok('The console is ready.');
  return say.problem(
    `The console is not ready (/ready is ${status}): it is stopping, has no keys or cannot write its store.`,
    'Read its log, and see the store below.',
  );
}

async function checkKeySet(probe: Probe, url: string, kids: readonly string[]): Promise<Finding> {
  const say = about('key set');
  const address = `${url}/oauth2/jwks`;
  const shown = await kidsAt(probe, address);
  if (shown === undefined)
    return say.problem(`There is no key set at ${address}.`, 'Let the proxy in front pass every path on.');
  const missing = kids.filter((kid) => !shown.includes(kid));
  if (missing.length === 0) return say.ok(`The key set shows the ${kids.length} keys of this store.`);
  return say.problem(
    `The key set at ${address} lacks ${missing.length} of the ${kids.length} keys of this store (${missing[0]}, …): another store is in use there.`,
    'Name the data directory of the running console with CONSOLE_DATA_DIR or --data-dir; let one console answer at CONSOLE_URL.',
  );
}

async function kidsAt(probe: Probe, address: string): Promise<readonly string[] | undefined> {
  try {
    const { status, text } = await probe(address);
    const keys = status === 200 ? jsonObject(text)?.keys : undefined;
    return Array.isArray(keys) ? keys.map((key: { kid?: unknown }) => String(key?.kid)) : undefined;
  } catch (error) {
    if (error instanceof ProbeError) return undefined;
    throw error;
  }
}

/** @returns the status, or why there is none */
export async function statusOf(probe: Probe, url: string): Promise<number | string> {
  try {
    return (await probe(url)).status;
  } catch (error) {
    if (error instanceof ProbeError) return error.reason;
    throw error;
  }
}
