/** Client authentication at the token, revocation and introspection endpoints (RFC 6749 §2.3, S8). */
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { OAuthError } from '../../../platform/errors.ts';
import { secretIds } from '../../clients/client-secrets.ts';
import type { Clients } from '../../clients/clients.ts';
import type { OAuthEndpoint } from '../../http/endpoints.ts';
import type { Form } from '../../http/form.ts';
import type { ClientRecord, ClientSecretRecord } from '../../storage/records.ts';
import { invalidClient } from '../oauth-errors.ts';
import { readParameters } from '../oauth-request.ts';
import type { CheckAssertion } from './client-assertion.ts';

/**
 * @param authorization  the Authorization field, if any
 * @param form           the request's parameters; those in the query count for nothing
 * @throws {OAuthError} `invalid_client` (the same for an unknown client and a wrong secret), or
 *   `invalid_request` when two methods are used at once
 */
export type AuthenticateClient = (authorization: string | undefined, form: Form) => Promise<ClientRecord>;

/** Behind the guard `client`. @returns true when the request, prepared, is for the provider */
export type ClientEndpoint = (
  req: IncomingMessage,
  res: ServerResponse,
  client: ClientRecord,
  form: Form,
) => Promise<boolean>;

/** The guard `client` of a route line: reads the form, then checks whose it is. Throws {@link OAuthError}s of both. */
export function createClientGuard(authenticate: AuthenticateClient) {
  return (inner: ClientEndpoint): OAuthEndpoint =>
    async (req, res) => {
      const form = await readParameters(req);
      return inner(req, res, await authenticate(req.headers.authorization, form), form);
    };
}

/** A digest to compare with; a decoy belongs to no secret. */
interface StoredDigest {
  readonly digest: Buffer;
  readonly secret?: ClientSecretRecord;
}

/**
 * @param onSecret  hears by which of its secrets a client has proved who it is; on every such request
 * @param now  epoch milliseconds
 */
export function createClientAuthentication(
  clients: Pick<Clients, 'find'>,
  onSecret: (client: ClientRecord, secret: ClientSecretRecord) => void,
  checkAssertion: CheckAssertion,
  now: () => number,
): AuthenticateClient {
  const digests = new WeakMap<ClientRecord, readonly StoredDigest[]>();

  return async (authorization, form) => {
    const secretInForm = form.get('client_secret');
    if (form.has('client_assertion')) {
      if (authorization !== undefined || secretInForm !== undefined) throw twoMethods();
      return checkAssertion(form);
    }
    if (authorization !== undefined) {
      if (secretInForm !== undefined) throw twoMethods();
      return withBasic(authorization, form.get('client_id'));
    }
    const client = await clients.find(form.get('client_id') ?? '');
    const isProven = secretInForm === undefined ? isPublic(client) : isAuthentic(client, secretInForm);
    if (client && isProven) return client;
    throw invalidClient();
  };

  /** docs/surface.md#machine-tokens sends `id:secret` as it is, RFC 6749 §2.3.1 form-encodes both: either is right. */
  async function withBasic(authorization: string, idInForm: string | undefined): Promise<ClientRecord> {
    const plain = readBasic(authorization);
    const client = (await authentic(plain)) ?? (await authentic(formDecoded(plain)));
    if (!client) throw invalidClient();
    if (idInForm !== undefined && idInForm !== client.id) throw twoMethods();
    return client;
  }

  async function authentic(credentials: Credentials | undefined): Promise<ClientRecord | undefined> {
    if (!credentials) return undefined;
    const client = await clients.find(credentials[0]);
    return isAuthentic(client, credentials[1]) ? client : undefined;
  }

  /** An unknown client costs as much as a wrong secret. */
  function isAuthentic(client: ClientRecord | undefined, secret: string): client is ClientRecord {
    const given = hash('sha256', secret, 'buffer');
    let matching: StoredDigest | undefined;
    for (const stored of client ? digestsOf(client) : decoys) {
      if (timingSafeEqual(given, stored.digest)) matching = stored;
    }
    if (!matching?.secret || !client || client.isPublic || client.disabled) return false;
    const { expiresAt } = matching.secret;
    if (expiresAt !== undefined && expiresAt <= now()) throw endedSecret(client, matching.secret);
    onSecret(client, matching.secret);
    return true;
  }

  function digestsOf(client: ClientRecord): readonly StoredDigest[] {
    let known = digests.get(client);
    if (!known) {
      const stored = client.secrets.map((secret) => ({
        digest: Buffer.from(secret.sha256, 'base64url'),
        secret,
      }));
      known = stored.length > 0 ? stored : decoys;
      digests.set(client, known);
    }
    return known;
  }
}

/** No secret has this digest but by finding a preimage of zero. */
const decoys: readonly StoredDigest[] = [{ digest: Buffer.alloc(32) }];

function isPublic(client: ClientRecord | undefined): boolean {
  return client?.isPublic === true && !client.disabled;
}

type Credentials = readonly [id: string, secret: string];

function readBasic(authorization: string): Credentials {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  const pair = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const at = pair.indexOf(':');
  if (at < 1) throw invalidClient();
  return [pair.slice(0, at), pair.slice(at + 1)];
}

function formDecoded([id, secret]: Credentials): Credentials | undefined {
  try {
    return [formDecode(id), formDecode(secret)];
  } catch {
    return undefined; // not form-encoded, so it can only be meant as it stands
  }
}

function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

/** To who asks it is any other; the audit says who still has it. */
function endedSecret(client: ClientRecord, secret: ClientSecretRecord): OAuthError {
  const id = secretIds(client.secrets)[client.secrets.indexOf(secret)];
  return invalidClient(undefined, { clientId: client.id, secretId: id, cause: 'secret_ended' });
}

function twoMethods(): OAuthError {
  return new OAuthError('invalid_request', 'use one way of client authentication');
}
