/** Machine clients: programs that ask for tokens with a secret. */
import { Form } from '../../elements/form.tsx';
import { renderDocument } from '../../layout.tsx';
import { Text, useText } from '../../texts/elements.tsx';
import { numberIn } from '../../texts/text.ts';
import { Ago, dateOf } from '../ago.tsx';
import { CallsPart, type CallsShown } from '../calls-part.tsx';
import { DetailPage, Done, type DoneNotice, Facts, Id, Part } from '../detail.tsx';
import type { FiltersModel } from '../filters.tsx';
import { EditPart, type EditState, NotSaved, type Owner } from '../forms/change-form.tsx';
import type { FrameModel } from '../frame.tsx';
import { History, type HistoryModel } from '../history/history.tsx';
import { ListPage, type ListState } from '../list.tsx';
import { isNotRead, type NotRead, NotReadPart } from '../live/not-read.tsx';
import { NameCell } from '../name-cell.tsx';
import { RowAct } from '../row-act.tsx';
import { type Snippet, Snippets } from '../snippets.tsx';
import { ClientFields, type ClientForm, clientsPath } from './client-form.tsx';
import {
  ClientActs,
  ClientState,
  LastClientActs,
  NewSecret,
  Secrets,
  type ShownSecret,
} from './client-parts.tsx';
import { ClientCall, type ShownClientCall, type ShownTrial, Trial } from './client-trial.tsx';
import { ToEnable } from './switch.tsx';
import { UsagePart, type UsageShown } from './usage-part.tsx';

/** As the admin API has it. */
export interface ShownClient {
  readonly id: string;
  readonly kind: 'machine' | 'application';
  readonly status: 'active' | 'disabled';
  readonly displayName: string | null;
  readonly scopes: readonly string[];
  readonly tokenAlg: string;
  readonly tokenTtlSeconds: number | null;
  readonly dpop: boolean;
  /** By which it proves who it is. */
  readonly jwks: { readonly keys: readonly Readonly<Record<string, unknown>>[] } | null;
  readonly authMethods: readonly string[];
  readonly secrets: readonly ShownSecret[];
  readonly owner: Owner;
  readonly lastUsedAt: string | null;
  readonly lastUsedFrom: string | null;
  readonly tokensLastHour: number;
  readonly createdAt: string | null;
  /** In a list. */
  readonly unused?: ShownUnused;
}

interface ShownUnused {
  readonly scopes: readonly string[] | null;
  readonly unknown: 'new' | 'uncounted' | 'pending' | null;
  readonly isComplete: boolean;
}

export function clientHref(id: string): string {
  return `/access/clients/${encodeURIComponent(id)}`;
}

export interface ClientsModel extends ListState {
  readonly csrf: string;
  readonly mayTry: boolean;
  /** What is used of what they may. */
  readonly mayReadUsage: boolean;
  readonly clients: readonly (ShownClient & { readonly sentence: string })[];
  readonly filters: FiltersModel;
}

export function renderClients(model: ClientsModel): string {
  return renderDocument(<Clients {...model} />, model.frame.presentation);
}

function Clients({ clients, csrf, mayTry, mayReadUsage, ...list }: ClientsModel) {
  const t = useText();
  return (
    <ListPage
      {...list}
      title={t('common.machineClients')}
      about={t('clients.about')}
      columns={[
        { title: t('common.name'), sortBy: 'id' },
        { title: t('access.status') },
        { title: t('clients.access'), isMinor: true },
        { title: t('access.lastUsed') },
        { title: t('clients.tokensPerHour'), isNumber: true, isMinor: true },
        ...(mayReadUsage ? [{ title: t('clients.unusedScopes'), isNumber: true, isMinor: true }] : []),
      ]}
      rows={clients.map((client) => ({
        key: client.id,
        cells: [
          <NameCell key="name" {...client} href={clientHref(client.id)} />,
          <ClientState key="status" status={client.status} />,
          client.sentence,
          <Ago key="used" at={dateOf(client.lastUsedAt)} now={list.frame.now} />,
          numberIn(t.language, client.tokensLastHour),
          ...(mayReadUsage ? [<Unused key="unused" {...client} />] : []),
        ],
        act: mayTry && client.status === 'active' && (
          <RowAct
            label={t('clients.tryIt')}
            of={client.id}
            href={clientHref(client.id)}
            act="try"
            csrf={csrf}
          />
        ),
      }))}
      empty={<p>{t('clients.noneYet')}</p>}
    />
  );
}

function TryIt({ id, csrf }: { readonly id: string; readonly csrf: string }) {
  const t = useText();
  return (
    <Form action={clientHref(id)} hidden={{ csrf, do: 'try' }}>
      <button type="submit" class="button">
        {t('clients.tryIt')}
      </button>
    </Form>
  );
}

const whyUnknown = {
  new: 'clients.unusedNew',
  uncounted: 'clients.unusedUncounted',
  pending: 'clients.unusedPending',
} as const;

/** How much it may that it does not use; which, its page says. */
function Unused({ id, unused }: Pick<ShownClient, 'id' | 'unused'>) {
  const t = useText();
  const { scopes = null, unknown, isComplete = true } = unused ?? {};
  if (scopes === null) {
    const why = unknown && t(whyUnknown[unknown]);
    return <span title={why ?? undefined}>-{why && <span class="unseen"> {why}</span>}</span>;
  }
  const count = numberIn(t.language, scopes.length);
  if (scopes.length === 0) return <>{count}</>;
  return (
    <a href={`${clientHref(id)}#usage`} title={scopes.join(' ')}>
      {isComplete ? count : t('clients.unusedAtMost', { count })}
    </a>
  );
}

export interface ClientModel extends EditState {
  readonly frame: FrameModel;
  readonly client: ShownClient;
  /** What it may do. */
  readonly sentence: string;
  readonly form: ClientForm;
  readonly mayChange: boolean;
  /** Absent for who may not read the audit. */
  readonly history?: HistoryModel | undefined;
  readonly notice?: DoneNotice | undefined;
  /** Shown this once. */
  readonly secret?: string | undefined;
  /** Undefined for who may not see them. */
  readonly calls?: CallsShown | NotRead | undefined;
  readonly snippets: readonly Snippet[];
  /** What a token of it carries and opens, where that was asked. */
  readonly call?: ShownClientCall | undefined;
  /** Absent for who may not see it. */
  readonly usage?: UsageShown | NotRead | undefined;
  readonly trial?: ShownTrial | undefined;
}

export function renderClient(model: ClientModel): string {
  return renderDocument(<Client {...model} />, model.frame.presentation);
}

function Client(model: ClientModel) {
  const t = useText();
  const { frame, client, sentence, errors, notice, csrf, secret, mayChange, trial } = model;
  return (
    <DetailPage
      frame={frame}
      path={clientsPath(t)}
      title={client.displayName ?? client.id}
      state={<ClientState status={client.status} />}
      acts={
        <ClientActs href={clientHref(client.id)} mayChange={mayChange}>
          <TryIt id={client.id} csrf={csrf} />
        </ClientActs>
      }
      about={<MayDo sentence={sentence} client={client} mayChange={mayChange} />}
      problem={errors.length > 0 ? <NotSaved /> : undefined}
      notice={notice && <Done {...notice} action={clientHref(client.id)} hidden={{ csrf }} />}
    >
      {secret !== undefined && <NewSecret secret={secret} />}
      {trial && <Trial {...trial} />}
      {model.call && <ClientCall {...model.call} href={clientHref(client.id)} csrf={csrf} />}
      <Facts
        facts={[
          { name: t('access.clientId'), value: <Id>{client.id}</Id> },
          { name: t('access.lastUsed'), value: <LastUse client={client} now={frame.now} /> },
          { name: t('clients.tokensPerHour'), value: numberIn(t.language, client.tokensLastHour) },
          {
            name: t('access.added'),
            value: <Ago at={dateOf(client.createdAt)} now={frame.now} never={t('access.withSettings')} />,
          },
          { name: t('clients.authentication'), value: client.authMethods.join(', ') || t('common.none') },
          { name: t('clients.tokens'), value: <TokensOf {...client} /> },
        ]}
      />
      {model.calls && <CallsPart {...model.calls} />}
      {model.usage && isNotRead(model.usage) && (
        <NotReadPart id="usage" title={t('clients.use')} {...model.usage} />
      )}
      {model.usage && !isNotRead(model.usage) && (
        <UsagePart
          {...model.usage}
          narrowHref={mayChange ? `${clientHref(client.id)}?do=narrow` : undefined}
          now={frame.now}
        />
      )}
      <Secrets client={client} href={clientHref(client.id)} now={frame.now} mayChange={mayChange} />
      <Part id="use" title={t('clients.useIt')} about={t(aboutSnippets(model))}>
        <Snippets snippets={model.snippets} />
      </Part>
      {mayChange && <Edit {...model} />}
      {model.history && <History {...model.history} href={clientHref(client.id)} now={frame.now} />}
      {mayChange && <LastClientActs client={client} href={clientHref(client.id)} csrf={csrf} />}
    </DetailPage>
  );
}

function aboutSnippets({ secret, client }: ClientModel) {
  if (secret !== undefined) return 'clients.completeWithSecret';
  return client.jwks && client.secrets.length === 0 ? 'clients.completeButKey' : 'clients.completeButSecret';
}

function TokensOf({ tokenAlg, tokenTtlSeconds, dpop }: ShownClient) {
  const t = useText();
  const seconds = tokenTtlSeconds === null ? [] : [`${numberIn(t.language, tokenTtlSeconds)} s`];
  return <>{[tokenAlg, ...(dpop ? ['DPoP'] : []), ...seconds].join(', ')}</>;
}

/** In one line, with what changes it. */
function MayDo({ sentence, client, mayChange }: Pick<ClientModel, 'sentence' | 'client' | 'mayChange'>) {
  const t = useText();
  return (
    <>
      {sentence} {mayChange && <a href="#edit">{t('clients.editAccess')}</a>}
      {mayChange && client.status === 'disabled' && <ToEnable />}
    </>
  );
}

function LastUse({ client, now }: { readonly client: ShownClient; readonly now: Date }) {
  const at = <Ago at={dateOf(client.lastUsedAt)} now={now} />;
  if (client.lastUsedFrom === null) return at;
  return <Text id="clients.usedFrom" gaps={{ at, from: <span class="code">{client.lastUsedFrom}</span> }} />;
}

function Edit({ client, form, ...state }: ClientModel) {
  const t = useText();
  return (
    <EditPart
      {...state}
      href={clientHref(client.id)}
      about={t('clients.editAbout')}
      fields={(errorOf) => <ClientFields form={form} errorOf={errorOf} />}
    />
  );
}
