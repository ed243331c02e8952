/** `/api/v1/identity-providers`: the same providers, rules and words as `npx console idp`. */
import { z } from 'zod';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { ProviderAdministration, ShownProvider } from '../federation/providers/administration.ts';
import { changedProvider, newProvider, replacedProvider } from '../federation/providers/input-schema.ts';
import { changesBetween } from '../operations/changes.ts';
import { type Cursors, listOf, listQuery, pageOf } from '../operations/lists.ts';
import { type Answer, type Operation, type OperationCall, operation } from '../operations/operation.ts';
import { view } from '../operations/resource-fields.ts';
import { type Orders, readName, sortedPageOf, sortParameter } from '../operations/sorted-lists.ts';
import { providerView, saidOf, viewOf } from './identity-provider-view.ts';

export interface ProviderNeeds {
  readonly cursors: Cursors;
  /** Loaded by its first call. */
  readonly providerAdministration: () => Promise<ProviderAdministration>;
}

const text = z.string();
// Wider than what is taken: one that cannot be read can be shown and removed.
const params = z.strictObject({ provider: text.regex(/^[a-z0-9-]{1,32}$/) });

const credentials = z
  .strictObject({
    username: text.min(1).max(256).exactOptional(),
    password: text.min(1).max(1024).meta({ writeOnly: true }).exactOptional(),
  })
  .refine(
    ({ username, password }) => (username === undefined) === (password === undefined),
    'a name goes with a password',
  );
const trial = view({
  id: text,
  ok: z.boolean(),
  steps: z.array(view({ step: text, ok: z.boolean(), said: text, advice: text.nullable() })),
}).meta({ id: 'IdentityProviderTrial' });

const orders: Orders<ReturnType<typeof viewOf>> = {
  id: ({ id }) => id,
  name: ({ id, name }) => readName(name ?? id),
  position: ({ position }) => position,
  linkedUsers: ({ linkedUsers }) => linkedUsers,
  lastSignInAt: ({ lastSignInAt }) => lastSignInAt,
};

export const providerOperations: readonly Operation<ProviderNeeds>[] = [
  operation({
    id: 'listIdentityProviders',
    method: 'GET',
    path: '/identity-providers',
    summary: 'Lists the identity providers by id.',
    access: 'read',
    query: listQuery({
      q: z
        .string()
        .max(256)
        .meta({ description: 'The beginning of its id or its name, in any case.' })
        .exactOptional(),
      kind: z.enum(['oidc', 'saml', 'ldap']).exactOptional(),
      enabled: z.enum(['true', 'false']).exactOptional(),
      sort: sortParameter(
        ['id', 'name', 'position', 'linkedUsers', 'lastSignInAt'],
        'By default `id`. Those without such a value come last; one without a name stands by its id.',
      ),
    }),
    answer: listOf(providerView),
    async run({ query }, { providerAdministration, cursors }: ProviderNeeds) {
      const { q = '', kind, enabled } = query;
      const all = (await (await providerAdministration()).list()).map(viewOf);
      const isMeant = (provider: (typeof all)[number]) =>
        [provider.id, provider.name ?? ''].some((text) => text.toLowerCase().startsWith(q.toLowerCase())) &&
        (kind === undefined || provider.kind === kind) &&
        (enabled === undefined || provider.enabled === (enabled === 'true'));
      const meant = all.filter(isMeant);
      const byId = meant.sort((one, other) => (one.id < other.id ? -1 : 1));
      const list = 'listIdentityProviders';
      return {
        body: sortedPageOf(list, byId, orders, query, cursors) ?? pageOf(list, byId, query, cursors),
      };
    },
  }),
  operation({
    id: 'createIdentityProvider',
    method: 'POST',
    path: '/identity-providers',
    summary: 'Adds an identity provider.',
    access: 'write',
    event: 'idp.added',
    isOneChange: true,
    isMaking: true,
    body: newProvider,
    answer: providerView,
    problems: [409],
    async run({ body, ...call }, { providerAdministration }: ProviderNeeds) {
      const added = await (await providerAdministration()).add(body, conditionsOf(call));
      return { status: 201, ...changed(undefined, added) };
    },
  }),
  operation({
    id: 'readIdentityProvider',
    method: 'GET',
    path: '/identity-providers/{provider}',
    summary: 'Shows an identity provider, without its secrets.',
    access: 'read',
    params,
    answer: providerView,
    async run({ params: { provider } }, { providerAdministration }: ProviderNeeds) {
      return answer(await (await providerAdministration()).show(provider));
    },
  }),
  operation({
    id: 'updateIdentityProvider',
    method: 'PATCH',
    path: '/identity-providers/{provider}',
    summary: 'Changes what is named, and keeps the rest and the accounts.',
    access: 'write',
    event: 'idp.updated',
    isOneChange: true,
    params,
    body: changedProvider,
    answer: providerView,
    problems: [409],
    async run({ params: { provider }, body, ...call }, { providerAdministration }: ProviderNeeds) {
      const administration = await providerAdministration();
      const { before, after } = await administration.update(provider, body, conditionsOf(call));
      return changed(before, after);
    },
  }),
  operation({
    id: 'replaceIdentityProvider',
    method: 'PUT',
    path: '/identity-providers/{provider}',
    summary: 'Adds an identity provider, or gives one all of its settings anew; its secrets stay.',
    access: 'write',
    event: 'idp.updated',
    isOneChange: true,
    params,
    body: replacedProvider,
    answer: providerView,
    problems: [409],
    async run({ params: { provider: id }, body, isNew, ...call }, needs: ProviderNeeds) {
      const conditions = conditionsOf(call);
      const administration = await needs.providerAdministration();
      const isThere = (await administration.list()).some(({ view: known }) => known.id === id);
      if (isThere && isNew) throw thereAlready();
      if (!isThere && call.ifMatch !== undefined) throw notThere();
      if (!isThere) {
        const added = await administration.add({ ...body, id }, conditions);
        return { ...changed(undefined, added), status: 201, event: 'idp.added' };
      }
      const { before, after } = await administration.replace(id, body, conditions);
      return changed(before, after);
    },
  }),
  operation({
    id: 'deleteIdentityProvider',
    method: 'DELETE',
    path: '/identity-providers/{provider}',
    summary:
      'Removes an identity provider; while it has accounts, only together with them: 200 then, with their number.',
    access: 'write',
    isDangerous: true,
    event: 'idp.removed',
    isOneChange: true,
    params,
    query: z.strictObject({
      withAccounts: z
        .enum(['true', 'false'])
        .exactOptional()
        .meta({ description: 'true: the accounts that came from there go with it.' }),
    }),
    answer: view({
      accountsRemoved: z.number().int().meta({ description: 'How many accounts have gone with it.' }),
    }).meta({ id: 'RemovedIdentityProvider' }),
    statuses: [200, 204],
    problems: [409],
    async run({ params: { provider: id }, query, ...call }, { providerAdministration }: ProviderNeeds) {
      const withAccounts = query.withAccounts === 'true';
      const administration = await providerAdministration();
      const { removed, accountsRemoved } = await administration.remove(id, withAccounts, conditionsOf(call));
      const changes = changesBetween(saidOf(removed), undefined);
      if (!withAccounts) return { target: id, changes };
      return { target: id, body: { accountsRemoved }, changes: { ...changes, accountsRemoved } };
    },
  }),
  switching('enable', true, 'Lets people sign in by a disabled identity provider again.'),
  switching('disable', false, 'Keeps everybody of an identity provider out, and ends their sessions.'),
  operation({
    id: 'testIdentityProvider',
    method: 'POST',
    path: '/identity-providers/{provider}/test',
    summary: 'Runs a dry sign-in, as far as it needs no person, and says how each step went.',
    description:
      'Nothing is created, here or there, and a disabled provider can be tested. For a directory the body may have a username and a password.',
    access: 'write',
    event: 'idp.tested',
    hasVersion: false,
    params,
    body: credentials,
    answer: trial,
    problems: [409],
    async run({ params: { provider: id }, body }, { providerAdministration }: ProviderNeeds) {
      const { username, password } = body;
      const who = username !== undefined && password !== undefined ? { username, password } : undefined;
      const steps = await (await providerAdministration()).test(id, who);
      const said = steps.map(({ advice = null, ...step }) => ({ ...step, advice }));
      return { body: { id, ok: steps.every(({ ok }) => ok), steps: said }, target: id };
    },
  }),
];

/** Who has signed in by it is out, whichever way it is switched; and many may come in. */
function switching(word: 'enable' | 'disable', isEnabled: boolean, summary: string) {
  return operation({
    id: `${word}IdentityProvider`,
    method: 'POST',
    path: `/identity-providers/{provider}/${word}`,
    summary,
    access: 'write',
    isDangerous: true,
    event: isEnabled ? 'idp.enabled' : 'idp.disabled',
    isOneChange: true,
    params,
    answer: providerView,
    problems: [409],
    async run({ params: { provider: id }, ...call }, { providerAdministration }: ProviderNeeds) {
      const administration = await providerAdministration();
      const { before, after } = await administration.setEnabled(id, isEnabled, conditionsOf(call));
      return changed(before, after);
    },
  });
}

/** Nobody lets people in with more than they have themselves. */
function conditionsOf({ ifMatch, checkMayGrant }: Pick<OperationCall, 'ifMatch' | 'checkMayGrant'>) {
  return { ifMatch, mayGive: (roles: readonly string[]) => checkMayGrant({ roles }) };
}

function answer(shown: ShownProvider): Answer {
  return { body: viewOf(shown), version: shown.version, target: shown.view.id };
}

/** What the audit trail gets of it is what may be shown. */
function changed(before: ShownProvider | undefined, after: ShownProvider): Answer {
  const changes = changesBetween(before && saidOf(before), saidOf(after));
  return { ...answer(after), changes, isUnchanged: before?.version === after.version };
}

function thereAlready(): ProblemError {
  return new ProblemError(problems.preconditionFailed, 'There is an identity provider of this id already.');
}

function notThere(): ProblemError {
  return new ProblemError(
    problems.preconditionFailed,
    'There is no identity provider of this id: If-Match is for one that is there.',
  );
}
