/** The form of an identity provider: what is stored, what is typed, and the change between the two. */

import type { ProviderValues } from '../../../../views/management/access/identity-providers/provider-form.tsx';
import type {
  ProviderKind,
  ShownProvider,
} from '../../../../views/management/access/identity-providers/provider-parts.tsx';
import type { FieldError } from '../../../../views/management/forms/fields.tsx';
import type { Form } from '../../../http/form.ts';
import { commandWith, type TypedChange } from '../../ways/change-ways.ts';
import type { FormField } from './provider-fields.ts';

/** What the API says another way than it takes it. */
const authentications: Readonly<Record<string, string>> = {
  client_secret_basic: 'basic',
  client_secret_post: 'post',
  private_key_jwt: 'private_key_jwt',
  none: 'none',
};
const endpointsAs: Readonly<Record<string, string>> = {
  authorizationEndpoint: 'authorization',
  tokenEndpoint: 'token',
  jwksUri: 'keys',
  userinfoEndpoint: 'userinfo',
  endSessionEndpoint: 'endSession',
};
const groupsAs: Readonly<Record<string, string>> = {
  groupBaseDn: 'baseDn',
  groupAttribute: 'memberAttribute',
  groupNameAttribute: 'nameAttribute',
  groupFilter: 'filter',
};

export function storedValues(provider: ShownProvider, fields: readonly FormField[]): ProviderValues {
  const settings = provider.settings ?? {};
  const endpoints = (settings.endpoints ?? {}) as Record<string, unknown>;
  const groups = (settings.groups ?? {}) as Record<string, unknown>;
  const special: Readonly<Record<string, unknown>> = {
    name: provider.name,
    position: provider.position,
    roleRules: provider.roleRules.join('\n'),
    defaultRole: provider.defaultRole,
    clientAuth: authentications[String(settings.clientAuthentication)],
    scopes: ((settings.scopes ?? []) as string[]).filter((scope) => scope !== 'openid').join(' '),
    signRequests: settings.signsRequests,
    encryptedAssertions: settings.takesEncrypted,
    // Shown by its fingerprint alone.
    metadataCertificate: '',
  };
  return Object.fromEntries(
    fields.map(({ name, type }) => {
      if (type === 'secret' || type === 'secretLines') return [name, ''];
      const found = special[name] ?? endpoints[endpointsAs[name]!] ?? groups[groupsAs[name]!];
      return [name, textOf(found ?? settings[name])];
    }),
  );
}

function textOf(value: unknown): string {
  if (value === true) return 'on';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function typedValues(form: Form, fields: readonly FormField[]): ProviderValues {
  return Object.fromEntries(
    fields.map(({ name }) => [name, (form.get(name) ?? '').replaceAll('\r\n', '\n').trim()]),
  );
}

export interface NewProvider {
  readonly id: string;
  readonly kind: ProviderKind;
  readonly fields: readonly FormField[];
  readonly typed: ProviderValues;
  /** It is only shown: no secret is in it. */
  readonly isShown: boolean;
}

/** Disabled, until somebody has seen that it works. */
export function addition({ id, kind, fields, typed, isShown }: NewProvider): TypedChange {
  const said = fields.filter(({ name }) => typed[name]);
  return {
    operation: 'createIdentityProvider',
    body: { id, kind, enabled: false, ...bodyOf(said, typed, isShown) },
    command: [
      ...['idp', 'add', id, '--kind', kind, '--disabled'],
      ...said.flatMap((field) => wordsOf(field, typed)),
    ],
  };
}

export interface Edit {
  readonly provider: ShownProvider;
  readonly fields: readonly FormField[];
  readonly typed: ProviderValues;
  readonly isShown: boolean;
}

/** Only what is different is said: metadata that are named again would be read again. */
export function edit({ provider, fields, typed, isShown }: Edit): TypedChange {
  const changed = changedFields(provider, fields, typed);
  const isSaid = changed.every((field) => wordsOf(field, typed).length > 0);
  return {
    operation: 'updateIdentityProvider',
    params: { provider: provider.id },
    body: bodyOf(changed, typed, isShown),
    command: commandWith(
      ['idp', 'update', provider.id],
      changed.map((field) => wordsOf(field, typed)),
    ),
    hasNoCommand: !isSaid,
    stored: provider,
  };
}

/** What is left empty stays where nothing stands for "none". */
function changedFields(
  provider: ShownProvider,
  fields: readonly FormField[],
  typed: ProviderValues,
): readonly FormField[] {
  const stored = storedValues(provider, fields);
  return fields.filter(({ name, isKept }) => typed[name] !== stored[name] && (typed[name] !== '' || !isKept));
}

function bodyOf(fields: readonly FormField[], typed: ProviderValues, isShown: boolean) {
  return Object.fromEntries(
    fields.map((field) => {
      const isSecret = field.type.startsWith('secret');
      return [field.name, isSecret && isShown ? 'SECRET' : asTaken(field, typed[field.name]!)];
    }),
  );
}

/** As the API takes it: null gives the default back, and what has none is said to be missing. */
function asTaken({ type, list, name }: FormField, text: string): unknown {
  if (type === 'switch') return text === 'on';
  if (text === '') return ['issuer', 'clientId', 'url'].includes(name) ? text : null;
  if (type === 'number') return /^\d{1,9}$/.test(text) ? Number(text) : text;
  if (list === undefined) return text;
  return text
    .split(list === 'lines' ? '\n' : /\s+/)
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/** @returns none where no command says it */
function wordsOf(field: FormField, typed: ProviderValues): readonly string[] {
  const { name, type, list } = field;
  const flag = `--${field.flag ?? name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const text = typed[name]!;
  if (type === 'switch') return text === 'on' ? [flag] : [];
  if (text === '') return name === 'defaultRole' ? [flag, 'none'] : [];
  if (flag.endsWith('-file')) return [flag, `${name}.txt`];
  if (list === 'lines') return (asTaken(field, text) as string[]).flatMap((line) => [flag, line]);
  return [flag, text];
}

export function fieldIn(fields: readonly FormField[]): (pointer: string) => string | undefined {
  return (pointer) => {
    const name = pointer.slice(2).split('/')[0]!;
    return name === 'id' ? name : fields.find((field) => field.name === name)?.name;
  };
}

/** What is said of members by name stands beside their fields, under the labels that people read. */
export function placed(errors: readonly FieldError[], fields: readonly FormField[]): readonly FieldError[] {
  return errors.map(({ field, text }) => {
    const named = /`(\w+)`/.exec(text)?.[1];
    const found = field ?? fields.find(({ name }) => name === named)?.name;
    const said = text.replaceAll(/`(\w+)`/g, (whole, name) => {
      const label = fields.find((one) => one.name === name)?.label;
      return label === undefined ? whole : `“${label}”`;
    });
    return { ...(found !== undefined && { field: found }), text: said };
  });
}
