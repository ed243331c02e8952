/** The pages of identity providers with every field of their models filled. */
import { renderElevation, renderNoElevation } from '../../views/management/access/elevation.tsx';
import {
  type ProviderField,
  type ProviderForm,
  renderNewProvider,
} from '../../views/management/access/identity-provider-form.tsx';
import {
  renderProvider,
  renderProviders,
  type ShownProvider,
} from '../../views/management/access/identity-providers.tsx';
import type { FrameModel } from '../../views/management/frame.tsx';
import type { Filling } from './filling.ts';

const earlier = '2025-11-19T17:02:00.000Z';

function providerOf({ text }: Filling): ShownProvider {
  const certificate = { subject: text, validTo: earlier, sha256: text };
  return {
    id: 'corp',
    readable: true,
    problem: null,
    kind: 'ldap',
    name: text,
    enabled: true,
    roleRules: [`${text} -> ${text}`],
    defaultRole: text,
    position: 1,
    callbackUrl: text,
    testUrl: 'https://console.example/login/test/corp',
    settings: { postLogoutUrl: text, certificates: [certificate], ownCertificate: certificate },
    linkedUsers: 2,
    lastSignInAt: earlier,
    lastFailure: { at: earlier, reason: text },
    createdAt: earlier,
    owner: { kind: 'code', source: text },
  };
}

const types: readonly ProviderField['type'][] = [
  'text',
  'url',
  'number',
  'lines',
  'secret',
  'secretLines',
  'switch',
  'select',
];

function formOf({ text }: Filling): ProviderForm {
  return {
    fields: types.map((type) => ({
      name: `field-${type}`,
      label: text,
      hint: text,
      type,
      options: [{ value: text, label: text }],
      isRare: type === 'switch',
    })),
    values: Object.fromEntries(types.map((type) => [`field-${type}`, text])),
  };
}

type EditOf = (filling: Filling) => {
  readonly csrf: string;
  readonly version: string;
  readonly base: string;
  readonly source: string;
  readonly takesOver: boolean;
};

export function providerPages(
  frameOf: (filling: Filling) => FrameModel,
  editOf: EditOf,
): Readonly<Record<string, (filling: Filling) => string>> {
  return {
    'identity providers': (filling) =>
      renderProviders({
        frame: frameOf(filling),
        providers: [providerOf(filling)],
        filters: { action: '/access/identity-providers', asked: {}, search: undefined, selects: [] },
      }),
    'identity provider': (filling) =>
      renderProvider({
        frame: frameOf(filling),
        provider: providerOf(filling),
        form: formOf(filling),
        ...editOf(filling),
        errors: [{ field: 'field-switch', text: filling.text }],
        mayChange: true,
        mayTry: true,
        notice: { text: filling.text },
        trial: {
          ok: false,
          steps: [{ step: filling.text, ok: false, said: filling.text, advice: filling.text }],
        },
      }),
    elevation: (filling) =>
      renderElevation({
        frame: frameOf(filling),
        elevation: {
          id: filling.text,
          role: filling.text,
          reason: filling.text,
          createdAt: earlier,
          endsAt: earlier,
        },
        notice: filling.text,
      }),
    'no elevation': (filling) => renderNoElevation(frameOf(filling)),
    'new identity provider': (filling) =>
      renderNewProvider({
        frame: frameOf(filling),
        id: filling.text,
        form: formOf(filling),
        errors: [{ field: 'field-text', text: filling.text }],
        csrf: filling.text,
        idempotencyKey: filling.text,
        presets: [{ id: 'oidc', label: filling.text, meaning: filling.text }],
        preset: 'oidc',
        before: filling.text,
        callbackUrl: filling.text,
      }),
  };
}
