/** How an identity provider is shown, and what the audit says of one. */
import { z } from 'zod';
import type { ShownProvider } from '../federation/providers/administration.ts';
import { providerKinds } from '../federation/providers/kinds.ts';
import { holdOf, holdView, ownerOf, ownerView } from '../operations/owner.ts';
import { dateTime, view } from '../operations/resource-fields.ts';

const text = z.string();
export const providerView = view({
  id: text,
  readable: z.boolean().meta({ description: 'false: nobody signs in by it; `problem` says why.' }),
  problem: text.nullable(),
  kind: z.enum(providerKinds).nullable(),
  name: text.nullable().meta({ description: 'What people see.' }),
  enabled: z.boolean(),
  roleRules: z.array(text).meta({ example: ['groups=admins -> Admin'] }),
  defaultRole: text.nullable(),
  position: z.number().int().nullable().meta({ description: 'Among those that people are offered.' }),
  callbackUrl: text.nullable().meta({ description: 'To be registered there; a directory has none.' }),
  testUrl: text.nullable().meta({ description: 'Where an administrator sees what the provider sends.' }),
  settings: z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({ description: 'What its kind has besides, without its secrets.' }),
  linkedUsers: z.number().int().meta({ description: 'How many accounts have come from there.' }),
  lastSignInAt: dateTime.nullable().meta({ description: 'When somebody last signed in by it.' }),
  lastFailure: z
    .strictObject({ at: dateTime, reason: text })
    .nullable()
    .meta({ description: 'What last kept somebody from that, on the side of the provider or by its rules.' }),
  metadataReadAt: dateTime.nullable().meta({
    description:
      'When its SAML metadata, or its OpenID discovery document, were last read; null where none are, or nobody has needed them yet.',
  }),
  metadataFailure: z
    .strictObject({ at: dateTime, reason: text })
    .nullable()
    .meta({ description: 'Why its SAML metadata could not be fetched again since then.' }),
  keysReadAt: dateTime.nullable().meta({
    description: 'When the key set of an OpenID provider was last read; null where nobody has needed it yet.',
  }),
  createdAt: dateTime.nullable(),
  updatedAt: dateTime.nullable(),
  owner: ownerView,
  hold: holdView.nullable(),
}).meta({ id: 'IdentityProvider' });

export type ProviderView = z.infer<typeof providerView>;

/** What the audit gets of it is what may be shown. */
export function saidOf({ view: shown }: ShownProvider) {
  if (!shown.readable) return { readable: false };
  const { name, kind, enabled, roleRules, defaultRole, position, settings } = shown;
  return { name, kind, enabled, roleRules, defaultRole, position, ...settings };
}

export function viewOf({ view: shown }: ShownProvider) {
  const { id, linkedUsers, updatedAt: at, owner, hold } = shown;
  const updatedAt = time(at);
  const ownership = { owner: ownerOf(owner ? { owner } : {}), hold: holdOf(hold ? { hold } : {}) };
  const uses = {
    lastSignInAt: time(shown.lastSignInAt),
    lastFailure: failureOf(shown.lastFailure),
    metadataReadAt: time(shown.metadataReadAt),
    metadataFailure: failureOf(shown.metadataFailure),
    keysReadAt: time(shown.keysReadAt),
  };
  const common = { id, linkedUsers, ...uses, updatedAt, ...ownership };
  if (shown.readable) return { ...shown, problem: null, ...common };
  return { ...unreadable, problem: shown.problem, ...common };
}

function failureOf(failure: ShownProvider['view']['lastFailure']) {
  return failure ? { at: time(failure.at)!, reason: failure.reason } : null;
}

function time(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

const unreadable = {
  readable: false,
  kind: null,
  name: null,
  enabled: false,
  roleRules: [],
  defaultRole: null,
  position: null,
  callbackUrl: null,
  testUrl: null,
  settings: null,
  createdAt: null,
};
