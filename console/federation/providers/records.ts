/**
 * Provider records of the registry: read with their secrets opened, and written with them encrypted. Nothing
 * else reads or writes these records.
 */
import type { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { ProviderRecord } from '../../storage/records.ts';
import { ldapProblems } from '../ldap/settings.ts';
import { conflict } from './registration-errors.ts';
import { type Provider, providerRecord } from './schema.ts';
import { encryptedOf, hasOutdatedSecretIn, opened, type SecretCipher } from './secrets.ts';

/** See {@link ldapProblems}. */
type FilterParser = Parameters<typeof ldapProblems>[1];

/** A record that is none, or whose secrets do not open; the message holds no value of it. */
export class ProviderRecordError extends Error {
  override readonly name = 'ProviderRecordError';
}

/** @throws {ProviderRecordError} */
export function openProvider(record: ProviderRecord, cipher: SecretCipher, parser?: FilterParser): Provider {
  const parsed = providerRecord.safeParse(record);
  if (!parsed.success) throw new ProviderRecordError(fieldsOf(parsed.error), { cause: parsed.error });
  try {
    return checked(opened(parsed.data, cipher), parser);
  } catch (cause) {
    if (cause instanceof ProviderRecordError) throw cause;
    // What a cipher says names the setting and no secret.
    throw new ProviderRecordError(cause instanceof Error ? cause.message : 'its secrets do not open', {
      cause,
    });
  }
}

/** @throws {ProviderRecordError} which says what of it cannot be kept */
export function encryptProvider(
  provider: Provider,
  cipher: SecretCipher,
  parser?: FilterParser,
): ProviderRecord {
  checked(provider, parser);
  const parsed = providerRecord.safeParse(encryptedOf(provider, cipher));
  if (!parsed.success) throw new ProviderRecordError(fieldsOf(parsed.error), { cause: parsed.error });
  return parsed.data;
}

/** Whether there is an encryption key by now with which a secret in it is not kept yet. */
export function hasOutdatedSecret(record: ProviderRecord, cipher: SecretCipher): boolean {
  const parsed = providerRecord.safeParse(record);
  return parsed.success && hasOutdatedSecretIn(parsed.data, cipher);
}

/** What the fields cannot say one by one. */
function checked(provider: Provider, parser: FilterParser | undefined): Provider {
  const problems = provider.kind === 'ldap' ? ldapProblems(provider.ldap, parser) : [];
  if (problems.length > 0) throw new ProviderRecordError(problems.join('; '));
  return provider;
}

/** By name alone: a value may be a secret in the wrong place. */
function fieldsOf({ issues }: z.ZodError): string {
  const names = issues.map(({ path }) => path.join('.') || 'the record');
  return `not as it should be: ${[...new Set(names)].join(', ')}`;
}

export interface ReadProvider {
  readonly id: string;
  readonly provider?: Provider;
  /** Why it cannot be read. */
  readonly problem?: string;
}

export function createProviderRecords(cipher: SecretCipher) {
  return { read, readable, recordOf };

  function read(record: ProviderRecord): ReadProvider {
    try {
      return { id: record.id, provider: openProvider(record, cipher) };
    } catch (error) {
      if (!(error instanceof ProviderRecordError)) throw error;
      return { id: record.id, problem: error.message };
    }
  }

  function readable(record: ProviderRecord): Provider {
    const { provider, problem = '' } = read(record);
    if (provider) return provider;
    throw conflict(`The record of ${record.id} cannot be used: ${problem}. Remove it and add it anew.`);
  }

  /** @throws {ProblemError} `invalid_request` for what no field of a record may hold */
  function recordOf(provider: Provider): ProviderRecord {
    try {
      return encryptProvider(provider, cipher);
    } catch (cause) {
      if (!(cause instanceof ProviderRecordError)) throw cause;
      throw new ProblemError(problems.invalidRequest, `The provider is ${cause.message}.`, { cause });
    }
  }
}
