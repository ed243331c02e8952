/** The certificate at an https address: who vouches for it, for which name, and for how long. */
import { isIP } from 'node:net';
import { checkServerIdentity, connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import { about, type Finding } from './finding.ts';

export interface CertificateOptions {
  /** What to change it with: a setting, or what stands in front. */
  readonly owner: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

interface Presented {
  readonly certificate: PeerCertificate;
  /** What Node.js found wrong; empty when nothing. */
  readonly error: string;
}

const timeoutMs = 5000;
const soonDays = 14;
const dayMs = 86_400_000;

/** @returns nothing for an http address */
export async function checkCertificate(
  address: string,
  { owner, now }: CertificateOptions,
): Promise<readonly Finding[]> {
  const url = new URL(address);
  if (url.protocol !== 'https:') return [];
  const say = about(`certificate of ${url.host}`);
  let presented: Presented;
  try {
    presented = await handshake(url);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    return [say.problem(`There is no TLS handshake with it (${code}).`, `Serve HTTPS there: ${owner}.`)];
  }
  const faults = [
    ...validateChain(presented, owner),
    ...validateName(presented, url, owner),
    ...validateLife(presented, owner, now()),
  ];
  if (faults.length > 0) return faults.map((fault) => ({ check: `certificate of ${url.host}`, ...fault }));
  return [say.ok(`It is trusted here, for this name, until ${dateOf(presented.certificate.valid_to)}.`)];
}

type Fault = Pick<Finding, 'state' | 'reason' | 'fix'>;

function validateChain({ error }: Presented, owner: string): readonly Fault[] {
  if (error === '' || /EXPIRED|NOT_YET_VALID|ALTNAME/.test(error)) return [];
  return [
    {
      state: 'problem',
      reason: `No authority that is known here vouches for it (${error}).`,
      fix: `Put the whole chain into ${owner}; for an authority of your own, set NODE_EXTRA_CA_CERTS=<its PEM file> here and for the dashboard.`,
    },
  ];
}

function validateName({ certificate }: Presented, { hostname }: URL, owner: string): readonly Fault[] {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (checkServerIdentity(host, certificate) === undefined) return [];
  return [
    {
      state: 'problem',
      reason: `It is not for ${host} but for ${certificate.subjectaltname ?? 'no name at all'}.`,
      fix: `Get one that names ${host}, for ${owner}.`,
    },
  ];
}

function validateLife({ certificate }: Presented, owner: string, now: number): readonly Fault[] {
  const { valid_from: from, valid_to: to } = certificate;
  const renew = `Renew it, for ${owner}, and restart what serves it.`;
  if (Date.parse(from) > now)
    return [{ state: 'problem', reason: `It is valid only from ${dateOf(from)}.`, fix: 'Check the clocks.' }];
  if (Date.parse(to) <= now)
    return [{ state: 'problem', reason: `It expired at ${dateOf(to)}.`, fix: renew }];
  if (Date.parse(to) - now > soonDays * dayMs) return [];
  return [{ state: 'warning', reason: `It expires at ${dateOf(to)}.`, fix: renew }];
}

/** Looks at what is there without trusting it: nothing is sent. */
function handshake({ hostname, port }: URL): Promise<Presented> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect({
      host,
      port: Number(port || 443),
      rejectUnauthorized: false,
      ...(isIP(host) === 0 ? { servername: host } : {}),
    });
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('timeout')));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const error = socket.authorizationError as (Error & { code?: string }) | string | null | undefined;
      resolve({
        certificate: socket.getPeerCertificate(),
        error: typeof error === 'string' ? error : (error?.code ?? ''),
      });
      socket.destroy();
    });
  });
}

function dateOf(text: string): string {
  return new Date(text).toISOString();
}
