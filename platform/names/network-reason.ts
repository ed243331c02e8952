/**
 * Codes of the system, of TLS and of our own exchanges, in words for people: who reads `ECONNREFUSED` has to know
 * that nobody listens there.
 */

import { statusOf } from './reason-codes.ts';

type Words = (code: string, at: string | undefined) => string;

const refused: Words = (code, at) =>
  at === undefined ? `nobody listens there (${code})` : `nobody listens at ${at} (${code})`;
const unnamed: Words = (code, at) =>
  at === undefined ? `its name is not known (${code})` : `the name of ${at} is not known (${code})`;
const late: Words = (code, at) =>
  at === undefined ? `it did not answer in time (${code})` : `${at} did not answer in time (${code})`;
const away: Words = (code, at) =>
  at === undefined
    ? `no way through the network leads there (${code})`
    : `no way through the network leads to ${at} (${code})`;
const broken: Words = (code) => `the connection was broken off (${code})`;
const unvouched: Words = (code) => `no authority that is known here vouches for its certificate (${code})`;
const selfSigned: Words = (code) => `its certificate is signed by itself (${code})`;
const noTls: Words = (code) => `it does not speak TLS (${code})`;

const words: Readonly<Record<string, Words>> = {
  ECONNREFUSED: refused,
  connection_refused: refused,
  ENOTFOUND: unnamed,
  name_not_resolved: unnamed,
  EAI_AGAIN: (code) => `names cannot be resolved now (${code})`,
  ETIMEDOUT: late,
  timeout: late,
  EHOSTUNREACH: away,
  ENETUNREACH: away,
  ECONNRESET: broken,
  EPIPE: broken,
  connection_failed: (code) => `the connection failed (${code})`,
  CERT_HAS_EXPIRED: (code) => `its certificate has expired (${code})`,
  CERT_NOT_YET_VALID: (code) => `its certificate is not valid yet (${code})`,
  ERR_TLS_CERT_ALTNAME_INVALID: (code) => `its certificate is for another name (${code})`,
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: unvouched,
  UNABLE_TO_GET_ISSUER_CERT: unvouched,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unvouched,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unvouched,
  tls_failed: (code) => `its certificate is not trusted (${code})`,
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  too_large: (code) => `it sent too much (${code})`,
  cancelled: (code) => `the request was given up (${code})`,
  unexpected_answer: (code) => `something else answers there (${code})`,
  invalid_url: (code) => `the console does not call this address (${code})`,
};

/**
 * @param at  host and port that were called, where they are known
 * @returns words in English, with the code behind them; a reason that is no such code as it is
 */
export function reasonInWords(reason: string, at?: string): string {
  return Object.hasOwn(words, reason) ? words[reason]!(reason, at) : (statusIn(reason) ?? reason);
}

/** `status_503`, as a delivery says it. */
function statusIn(reason: string): string | undefined {
  const status = statusOf(reason);
  return status === undefined ? undefined : `it answered with status ${status} (${reason})`;
}
