/** Checks that turn the text of a setting into its value. Plain code: a schema library costs 75 ms of start-up. */
import { isIP, isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import { Secret } from './secret.ts';

/** @throws {InvalidValueError} with the end of the sentence "NAME …" */
export type Check<T> = (text: string) => T;

/** The text does not fit its setting; the message never repeats it, since it may be a secret. */
export class InvalidValueError extends Error {
  override readonly name = 'UnfitError';
}

export const anyText: Check<string> = (text) => text;

export const path: Check<string> = (text) => resolve(text);

export const trueOrFalse: Check<boolean> = (text) => oneOf('true', 'false')(text) === 'true';

export function oneOf<const T extends string>(...values: readonly T[]): Check<T> {
  return (text) => {
    const value = values.find((candidate) => candidate === text);
    if (value === undefined) throw new InvalidValueError(`must be one of ${values.join(', ')}`);
    return value;
  };
}

/** @param unit  what is counted, for the message */
export function integer(min: number, max: number, unit: string): Check<number> {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,15}$/.test(text) || value < min || value > max) {
      throw new InvalidValueError(`must be a whole number from ${min} to ${max} (${unit})`);
    }
    return value;
  };
}

/** Comma-separated; spaces around entries and repeated entries do not count. */
export function listOf<T extends string>(check: Check<T>): Check<readonly T[]> {
  return (text) => {
    const entries = text.split(',').map((entry) => entry.trim());
    return Object.freeze([...new Set(entries.filter((entry) => entry !== '').map(check))]);
  };
}

/** The same, where `none` says that there is nothing and no default counts. */
export function listOrNone<T extends string>(check: Check<T>): Check<readonly T[]> {
  const list = listOf(check);
  return (text) => (text.trim() === 'none' ? Object.freeze([]) : list(text));
}

/** `updateRole`, `identity-providers`: whether there is such a one is found by whoever knows the operations. */
export const operationName: Check<string> = (text) => {
  if (/^[a-z][A-Za-z-]{1,63}$/.test(text)) return text;
  throw new InvalidValueError('must be ids of operations or objects, such as updateRole or roles');
};

/** Scheme, host and port and nothing else, as {@link URL.origin} spells it. */
export const httpOrigin: Check<string> = (text) => {
  const url = httpUrl(text);
  if (url.pathname !== '/') throw new InvalidValueError('must have no path');
  return url.origin;
};

/** Where one member answers: what comes behind its port is the member's own, and set by `CONSOLE_MEMBER_PREFIX`. */
export const memberAddress: Check<string> = (text) => {
  const url = httpUrl(text);
  if (url.pathname !== '/') {
    throw new InvalidValueError(
      'must list addresses such as http://10.0.0.1:5701, without a path: the first path segment at the members is CONSOLE_MEMBER_PREFIX',
    );
  }
  return url.origin;
};

/** An absolute http or https address, without a slash at the end. */
export const httpAddress: Check<string> = (text) => {
  const url = httpUrl(text);
  return url.origin + url.pathname.replace(/\/+$/, '');
};

/** A resource identifier: absolute, no fragment (RFC 8707 §2). */
export const resourceUri: Check<string> = (text) => {
  if (!URL.canParse(text) || text.includes('#') || /\s/.test(text)) {
    throw new InvalidValueError('must be an absolute URI without a fragment');
  }
  return text;
};

export const addressOrSubnet: Check<string> = (text) => {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  const isSubnet =
    prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 6 ? 128 : 32));
  if (family === 0 || !isSubnet || rest.length > 0) {
    throw new InvalidValueError('must list IP addresses or subnets such as 10.0.0.0/8');
  }
  return text;
};

/** What {@link addressOrSubnet} takes, or a host name. */
export const hostOrSubnet: Check<string> = (text) => {
  const isName = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text) && !/^[\d.]+$/.test(text);
  if (isName) return text.toLowerCase();
  try {
    return addressOrSubnet(text);
  } catch {
    throw new InvalidValueError('must list host names, IP addresses or subnets such as 10.0.0.0/8');
  }
};

/** Where syslog over TLS is taken, as `host:port`; 6514 by default (RFC 5425 §4.1). */
export const syslogAddress: Check<string> = (text) => {
  const url =
    /^[\w.:[\]-]+$/.test(text) && URL.canParse(`tls://${text}`) ? new URL(`tls://${text}`) : undefined;
  if (!url || url.hostname === '' || url.port === '0') {
    throw new InvalidValueError('must be a host and a port such as logs.example.com:6514');
  }
  return `${url.hostname}:${url.port || 6514}`;
};

/** An address to listen on: an IP address or a host name, without a port. */
export const listeningHost: Check<string> = (text) => {
  const host = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (isIPv6(host) || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(host)) return host;
  throw new InvalidValueError('must be an IP address or a host name, without a port');
};

export const userName: Check<string> = (text) => {
  if (text !== text.trim() || text.length > 128 || /\p{C}/u.test(text)) {
    throw new InvalidValueError('must be 1 to 128 visible characters, with no space at either end');
  }
  return text;
};

export const secretText: Check<Secret> = (text) => new Secret(text);

/**
 * A secret that a machine sends: printable ASCII, so that it survives a Basic header in any
 * client, and no sample out of documentation (S4).
 */
export const clientSecret: Check<Secret> = (text) => {
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text)) {
    throw new InvalidValueError('must be printable ASCII with no space at either end');
  }
  if (isSample(text)) throw new InvalidValueError('is a sample out of documentation: choose a random one');
  return new Secret(text);
};

export const password: Check<Secret> = (text) => {
  if (text.length > 256) throw new InvalidValueError('must have at most 256 characters');
  if (isSample(text)) throw new InvalidValueError('is a sample out of documentation: choose another');
  return new Secret(text);
};

/** 32 bytes as 64 hexadecimal digits or as base64 or base64url. */
export const encryptionKey: Check<Secret<Buffer>> = (text) => {
  const isHex = /^[0-9a-f]{64}$/i.test(text);
  const isBase64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(text);
  if (!isHex && !isBase64)
    throw new InvalidValueError('must be 32 bytes, as base64 or as 64 hexadecimal digits');
  const key = Buffer.from(text, isHex ? 'hex' : 'base64');
  if (new Set(key).size < 8)
    throw new InvalidValueError('is a sample out of documentation: choose a random one');
  return new Secret(key);
};

export const postgresUrl: Check<Secret> = (text) => {
  const isPostgres = URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);
  if (!isPostgres) throw new InvalidValueError('must be a postgres:// address');
  return new Secret(text);
};

function httpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:\/\//i.test(text)) {
    throw new InvalidValueError('must be an absolute http:// or https:// address');
  }
  if (url.username !== '' || url.password !== '')
    throw new InvalidValueError('must hold no user name or password');
  if (/[?#]/.test(text)) throw new InvalidValueError('must have no query and no fragment');
  if (/[*\s\\]/.test(text)) throw new InvalidValueError('must have no wildcard, space or backslash');
  return url;
}

/** Words that documentation puts where a secret belongs; compared without case and punctuation. */
const samples = new Set(
  `admin adminadmin application applicationclient applicationclientsecret change changeit changethis
  clientsecret console default demo dummy example examplesecret foobar insecure mysecret mysupersecret
  notsecret pass passw0rd password placeholder replaceme replacethis s3cr3t s3cret sample samplesecret
  secret secretsecret supersecret test testsecret topsecret verysecret yoursecret yoursecrethere`.split(
    /\s+/,
  ),
);

function isSample(text: string): boolean {
  const word = text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const isRepeated = new Set(text).size < 3;
  return samples.has(word) || /^change_?-?me/i.test(text) || /^<.*>$/.test(text) || isRepeated;
}
