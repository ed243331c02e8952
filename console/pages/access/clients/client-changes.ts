/** What the form of a machine client says, as a change by API, command and form. */
import type {
  Authentication,
  ClientForm,
  NewClientForm,
} from '../../../../views/management/access/client-form.tsx';
import type { ShownClient } from '../../../../views/management/access/clients.tsx';
import type { FieldError } from '../../../../views/management/forms/fields.tsx';
import type { Translate } from '../../../../views/texts/text.ts';
import type { Form } from '../../../http/form.ts';
import { controlsFor } from '../../forms.ts';
import { commandWith, setDifference, type TypedChange, textDifference } from '../../ways/change-ways.ts';
import { accessFormOf, scopesOfForm, typedAccess } from '../granted-access.ts';

type Defined = Pick<ShownClient, 'displayName' | 'scopes' | 'tokenAlg' | 'tokenTtlSeconds' | 'dpop' | 'jwks'>;

const nothingSaid: Defined = {
  displayName: null,
  scopes: [],
  tokenAlg: 'RS256',
  tokenTtlSeconds: null,
  dpop: false,
  jwks: null,
};

export function clientFormOf(client: Defined, t: Translate): ClientForm {
  const { displayName, scopes, tokenAlg, tokenTtlSeconds, dpop, jwks } = client;
  return {
    displayName: displayName ?? '',
    access: accessFormOf(scopes, t),
    tokenAlg,
    ttl: tokenTtlSeconds === null ? '' : String(tokenTtlSeconds),
    dpop,
    jwks: jwks === null ? '' : JSON.stringify(jwks, null, 2),
  };
}

export function emptyForm(t: Translate): NewClientForm {
  return { ...clientFormOf(nothingSaid, t), id: '', authentication: 'secret' };
}

/** @param known  what is said where the form has no such field: one that was open before it had it */
export function typedForm(form: Form, t: Translate, known = clientFormOf(nothingSaid, t)): ClientForm {
  const ttl = form.get('tokenTtlSeconds')?.trim();
  return {
    displayName: form.get('displayName')?.trim() ?? '',
    access: typedAccess(form, t),
    tokenAlg: form.get('tokenAlg') ?? 'RS256',
    ttl: ttl ?? known.ttl,
    dpop: ttl === undefined ? known.dpop : form.has('dpop'),
    jwks: form.get('jwks')?.trim() ?? known.jwks,
  };
}

/** The id follows from the name, where none was typed. */
export function typedNewForm(form: Form, t: Translate): NewClientForm {
  const typed = typedForm(form, t);
  const authentication: Authentication = form.get('authentication') === 'keys' ? 'keys' : 'secret';
  return { ...typed, id: form.get('id')?.trim() || idFrom(typed.displayName), authentication };
}

/** As the browser makes it while somebody types: views/static/forming.js. */
export function idFrom(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-|-$/g, '');
}

/** What is wrong with how it proves itself, as far as a form alone can be wrong. */
export function keyProblems(
  { jwks }: ClientForm,
  authentication: Authentication | undefined,
  t: Translate,
): readonly FieldError[] {
  if (authentication === 'keys' && jwks === '') return [{ field: 'jwks', text: t('clients.keysMissing') }];
  if (authentication === 'secret' && jwks !== '') return [{ field: 'jwks', text: t('clients.keysUnchosen') }];
  return jwks !== '' && keysIn(jwks) === undefined ? [{ field: 'jwks', text: t('clients.keysUnread') }] : [];
}

/** A JWK Set, or one key. @returns undefined for what is no such thing; the API says what of one is wrong */
function keysIn(text: string): object | undefined {
  try {
    const given: unknown = JSON.parse(text);
    if (typeof given !== 'object' || given === null) return undefined;
    if ('keys' in given) return given;
    return 'kty' in given ? { keys: [given] } : undefined;
  } catch {
    return undefined;
  }
}

function given({ displayName, access, tokenAlg, ttl, dpop, jwks }: ClientForm) {
  return {
    displayName: displayName || null,
    scopes: scopesOfForm(access),
    tokenAlg,
    // What is no number goes as it is: the API says what is wrong with it.
    tokenTtlSeconds: ttl === '' ? null : /^\d{1,9}$/.test(ttl) ? Number(ttl) : ttl,
    dpop,
    jwks: jwks === '' ? null : (keysIn(jwks) ?? jwks),
  };
}

export function addition({ id, ...typed }: NewClientForm): TypedChange {
  const { displayName, scopes, tokenAlg, tokenTtlSeconds, dpop, jwks } = given(typed);
  return {
    operation: 'createClient',
    body: {
      id,
      ...(displayName !== null && { displayName }),
      scopes,
      tokenAlg,
      ...(tokenTtlSeconds !== null && { tokenTtlSeconds }),
      ...(dpop && { dpop }),
      ...(jwks !== null && { jwks }),
    },
    command: [
      ...['client', 'add', id, '--scope', scopes.join(' ')],
      ...textDifference('name', null, displayName),
      ...(tokenAlg === 'RS256' ? [] : ['--token-alg', tokenAlg]),
      ...(tokenTtlSeconds === null ? [] : ['--token-ttl-seconds', String(tokenTtlSeconds)]),
      ...(dpop ? ['--dpop'] : []),
      ...(jwks === null ? [] : ['--jwks-file', 'jwks.json']),
    ],
  };
}

export function edit(client: ShownClient, typed: ClientForm): TypedChange {
  const { id } = client;
  const body = given(typed);
  const { tokenTtlSeconds: ttl, dpop, jwks } = body;
  return {
    operation: 'updateClient',
    params: { client: id },
    body,
    command: commandWith(
      ['client', 'update', id],
      [
        textDifference('name', client.displayName, body.displayName),
        setDifference('scope', client.scopes, body.scopes),
        body.tokenAlg === client.tokenAlg ? [] : ['--token-alg', body.tokenAlg],
        ttl === client.tokenTtlSeconds ? [] : ['--token-ttl-seconds', String(ttl ?? 'none')],
        dpop === client.dpop ? [] : [dpop ? '--dpop' : '--no-dpop'],
        isSame(jwks, client.jwks) ? [] : ['--jwks-file', jwks === null ? 'none' : 'jwks.json'],
      ],
    ),
    stored: client,
  };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

const fields = ['id', 'displayName', 'scopes', 'tokenAlg', 'tokenTtlSeconds', 'dpop', 'jwks'];

export const fieldOf = controlsFor(fields);
