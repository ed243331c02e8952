/** `/api/v1/clients` and `/api/v1/applications`: the same operations on all clients, and on those that sign people in. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { RegisteredClient } from '../../clients/client-registration.ts';
import { mayRun } from '../../operations/access-check.ts';
import type { Actor } from '../../operations/actor.ts';
import { changesBetween } from '../../operations/changes.ts';
import { countOfWhole, defaultItems, listOf, listQuery } from '../../operations/lists.ts';
import { type Answer, type Operation, type OperationCall, operation } from '../../operations/operation.ts';
import { sortParameter } from '../../operations/sorted-lists.ts';
import { kindOfClient } from '../../storage/client-lists.ts';
import type { ClientKind } from '../../storage/record-store.ts';
import { versionOf } from '../../storage/record-version.ts';
import type { ClientRecord } from '../../storage/records.ts';
import type { BoundedCount } from '../../storage/storage.ts';
import { type CallNeeds, callAsClient } from './client-call.ts';
import {
  application,
  applicationView,
  client,
  clientId,
  clientView,
  createdClientView,
  creation,
} from './client-form.ts';
import {
  type ClientAddress,
  type ClientNeeds,
  type ClientParams,
  type EndedLogout,
  findClient,
} from './client-needs.ts';
import { trialOperation } from './client-trial.ts';
import { auditedOf, changeOf, definitionOf, impliedFields, shownClient } from './client-words.ts';
import { secretOperations } from './secret-operations.ts';

const addresses: readonly ClientAddress[] = [
  { path: '/clients', name: 'Client', word: 'client', form: client },
  {
    path: '/applications',
    name: 'Application',
    word: 'application',
    form: application as unknown as typeof client,
    kind: 'application',
  },
];

/** So many are looked at for one page. */
const mostRead = 5_000;
const params = z.strictObject({ client: clientId });

export const clientOperations: readonly Operation<ClientNeeds & CallNeeds>[] = [
  callAsClient(params),
  ...addresses.flatMap((address) => [
    ...readingOperations(address),
    ...definingOperations(address),
    ...switchingOperations(address),
    ...secretOperations(address, params),
    trialOperation(address, params),
  ]),
];

function readingOperations({ path, name, word, kind: only }: ClientAddress): Operation<ClientNeeds>[] {
  const kind = z.enum(['machine', 'application']).exactOptional();
  const query = listQuery({
    q: z
      .string()
      .max(256)
      .meta({ description: 'The beginning of its id, or of words of its name.' })
      .exactOptional(),
    status: z.enum(['active', 'disabled']).exactOptional(),
    scope: z.string().max(256).meta({ description: 'What it may ask for.' }).exactOptional(),
    sort: sortParameter(['id'], 'All by id, and not with `q`; by default those of the settings stand first.'),
    ...(only ? {} : { kind }),
  });
  return [
    operation({
      id: `list${name}s`,
      method: 'GET',
      path,
      summary: `Lists the ${word}s, those of the settings first, then by id.`,
      access: 'inspect',
      query,
      answer: listOf(only === 'application' ? applicationView : clientView),
      async run({ query: asked, actor, isBrief }, needs: ClientNeeds) {
        const { clients, clientUses, cursors } = needs;
        const { limit = defaultItems, q, status, scope, sort } = asked;
        if (sort !== undefined && q !== undefined) {
          throw new ProblemError(problems.invalidRequest, 'sort does not go together with q.');
        }
        const filter = { beginning: q, status, scope, kind: only ?? (asked as { kind?: ClientKind }).kind };
        const after = cursors.read(`list${name}s`, asked);
        const request = { ...filter, limit, after, mostRead };
        const { records, next } =
          sort === undefined
            ? await clients.page(request)
            : await clients.byId({ ...request, isReversed: sort === '-id' });
        const useOf = await clientUses.readOf(records);
        const peopleOf = only === 'application' && !isBrief ? await usedByPeople(records, needs) : () => ({});
        const unusedOf = isBrief ? () => ({}) : await unusedByMachines(records, actor, needs);
        const counted = [q, scope].every((value) => value === undefined)
          ? await clients.countOf({ kind: filter.kind, status })
          : undefined;
        return {
          body: {
            items: records.map((record) => ({
              ...shownClient(record, useOf(record)),
              ...peopleOf(record),
              ...unusedOf(record),
            })),
            next: next === undefined ? null : cursors.write(`list${name}s`, asked, next),
            count:
              counted === undefined
                ? (countOfWhole(records, { after, next }) ?? null)
                : { value: counted, isExact: true },
          },
        };
      },
    }),
    operation({
      id: `read${name}`,
      method: 'GET',
      path: `${path}/{client}`,
      summary: `Shows one ${word}, and nothing of its secrets.`,
      access: 'inspect',
      params,
      answer: only === 'application' ? applicationView : clientView,
      async run({ params: { client: id } }, needs: ClientNeeds) {
        const record = await findClient(id, only, needs);
        const answer = await shown(record, needs);
        if (only !== 'application') return answer;
        const peopleOf = await usedByPeople([record], needs);
        return { ...answer, body: { ...answer.body, ...peopleOf(record) } };
      },
    }),
  ];
}

function definingOperations({ path, name, word, form, kind }: ClientAddress): Operation<ClientNeeds>[] {
  const at = { path: `${path}/{client}`, access: 'write', params } as const;
  return [
    operation({
      id: `create${name}`,
      method: 'POST',
      path,
      summary: `Adds ${word === 'client' ? 'a client' : 'an application'}; unless it is public, with a secret that is in this answer alone.`,
      access: 'write',
      event: 'client.added',
      isOneChange: true,
      isMaking: true,
      body: form.input.extend(creation),
      answer: createdClientView,
      async run({ body: { id, secret, ...input }, checkMayGrant }, needs: ClientNeeds) {
        const definition = definitionOf(id, form.complete(input));
        const done = await needs.registration.add(definition, { secret }, { checkMayGrant });
        const { body, ...answer } = await changed(done, needs);
        const made = done.made?.isRandom ? done.made.secret : null;
        return { ...answer, status: 201, body: { ...body, secret: made } };
      },
    }),
    operation({
      id: `replace${name}`,
      method: 'PUT',
      ...at,
      summary: `Makes ${word === 'client' ? 'a client' : 'an application'} what the body says, with defaults for the rest; its secrets stay, and a new one has none.`,
      event: 'client.updated',
      isOneChange: true,
      body: form.input,
      implied: impliedFields,
      answer: clientView,
      async run(
        { params: { client: id }, body, ifMatch, isNew, isUnread, checkMayGrant },
        needs: ClientNeeds,
      ): Promise<Answer> {
        const definition = definitionOf(id, form.complete(body));
        const done = await needs.registration.put(definition, { ifMatch, isNew, kind, checkMayGrant });
        const answer = isUnread ? changeIn(done) : await changed(done, needs);
        return done.before ? answer : { ...answer, status: 201, event: 'client.added' };
      },
    }),
    operation({
      id: `update${name}`,
      method: 'PATCH',
      ...at,
      summary: 'Changes what is named. When that takes something away, all tokens that it has stop working.',
      event: 'client.updated',
      isOneChange: true,
      body: form.patch,
      answer: clientView,
      async run({ params: { client: id }, body, ifMatch, checkMayGrant }, needs: ClientNeeds) {
        const change = changeOf(form.changed(body));
        const when = { ifMatch, kind, checkMayGrant };
        return changed(await needs.registration.update(id, change, when), needs);
      },
    }),
    operation({
      id: `delete${name}`,
      method: 'DELETE',
      ...at,
      summary: `Removes the ${word}; every token that it has stops working.`,
      isDangerous: true,
      event: 'client.removed',
      isOneChange: true,
      async run({ params: { client: id }, ifMatch, checkMayGrant }, { registration }: ClientNeeds) {
        const { client: removed } = await registration.remove(id, { ifMatch, kind, checkMayGrant });
        return { target: id, changes: changesBetween(auditedOf(removed), undefined) };
      },
    }),
  ];
}

function switchingOperations({ path, name, word, kind }: ClientAddress): Operation<ClientNeeds>[] {
  const to = (isDisabled: boolean) => ({
    method: 'POST' as const,
    access: 'write' as const,
    params,
    answer: clientView,
    async run(
      { params: { client: id }, ifMatch, checkMayGrant }: OperationCall<ClientParams>,
      needs: ClientNeeds,
    ): Promise<Answer> {
      const when = { ifMatch, kind, checkMayGrant };
      return changed(await needs.registration.setDisabled(id, isDisabled, when), needs);
    },
  });
  return [
    operation({
      id: `disable${name}`,
      path: `${path}/{client}/disable`,
      summary: `Refuses the ${word} and every token that it has.`,
      event: 'client.disabled',
      isOneChange: true,
      ...to(true),
    }),
    operation({
      id: `enable${name}`,
      path: `${path}/{client}/enable`,
      summary: `Lets a disabled ${word} work again, with new tokens.`,
      event: 'client.enabled',
      isOneChange: true,
      ...to(false),
    }),
  ];
}

type Shown = Answer & { readonly body: ReturnType<typeof shownClient> };

async function changed(done: RegisteredClient, needs: ClientNeeds): Promise<Shown> {
  return { ...(await shown(done.client, needs)), ...changeIn(done) };
}

function changeIn({ client: after, before }: RegisteredClient) {
  const changes = changesBetween(before && auditedOf(before), auditedOf(after));
  return { target: after.id, changes, isUnchanged: before === after };
}

async function shown(record: ClientRecord, { clientUses }: Pick<ClientNeeds, 'clientUses'>): Promise<Shown> {
  const useOf = await clientUses.readOf([record]);
  return { body: shownClient(record, useOf(record)), version: versionOf(record) };
}

/** What a list takes for what its machines do not use: a page is looked at again, a command prints once. */
const pageMs = 8;
const localMs = 1_000;

/** For who may ask what is used: it says nothing that `/access/usage` refuses. */
async function unusedByMachines(
  records: readonly ClientRecord[],
  actor: Actor,
  { usageAnswers, roles }: Pick<ClientNeeds, 'usageAnswers' | 'roles'>,
) {
  const machines = new Set(records.filter((record) => kindOfClient(record) === 'machine'));
  const mayKnow = actor.kind === 'local' || mayRun({ object: 'access', access: 'inspect' }, actor, roles);
  if (machines.size === 0 || !mayKnow) return () => ({});
  const unusedOf = await usageAnswers.unusedGrants([...machines], actor.kind === 'local' ? localMs : pageMs);
  return (record: ClientRecord) => {
    if (!machines.has(record)) return {};
    const { scopes = null, unknown = null, isComplete } = unusedOf(record);
    return { unused: { scopes, unknown, isComplete } };
  };
}

/** Of each on a page, for what one costs that is shown alone. */
async function usedByPeople(
  records: readonly ClientRecord[],
  { sessions, logoutOutbox }: Pick<ClientNeeds, 'sessions' | 'logoutOutbox'>,
) {
  const ids = records.map(({ id }) => id);
  const [counts, logouts] = await Promise.all([sessions.countAt(ids), logoutOutbox.lastAt(ids)]);
  const byId = new Map(
    records.map((record, n) => [record.id, usedBy(record, counts[n]!, logouts[n])] as const),
  );
  return ({ id }: ClientRecord) => byId.get(id)!;
}

/** Of the people who sign in to it. A notice to one of this id that was removed since is not its own. */
function usedBy({ createdAt }: ClientRecord, openSessions: BoundedCount, last: EndedLogout | undefined) {
  if (!last || last.endedAt < createdAt) return { openSessions, lastLogout: null };
  const { endedAt, at, tries, reason } = last;
  return {
    openSessions,
    lastLogout: {
      state: reason === undefined ? ('confirmed' as const) : ('gave_up' as const),
      endedAt: new Date(endedAt).toISOString(),
      at: new Date(at).toISOString(),
      tries,
      lastError: reason ?? null,
    },
  };
}
