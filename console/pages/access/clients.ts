/** `/access/clients`: programs that ask for tokens, what they may do, and their secrets. */
import {
  type ClientForm,
  type ClientModel,
  clientHref,
  renderClient,
  renderClients,
  renderNewClient,
  type ShownClient,
  type ShownTrial,
} from '../../../views/management/access/clients.tsx';
import type { Form } from '../../http/form.ts';
import type { Act, Acts } from '../acts.ts';
import { commandWith, setDifference, type TypedChange, textDifference } from '../change-ways.ts';
import type { Forms, Shown } from '../forms.ts';
import { filtersOf, type ListAnswer, placesOf, queryOf } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { snippetsFor } from './client-snippets.ts';
import { accessFormOf, scopesOfForm, sentenceOf, typedAccess } from './granted-access.ts';

const listHref = '/access/clients';
const path = [{ title: 'Machine clients', href: listHref }];

type WithSecret = ShownClient & { readonly secret: string | null };

const doneNotices: Readonly<Record<string, { readonly text: string; readonly undo?: string }>> = {
  saved: { text: 'Saved.' },
  unchanged: { text: 'Nothing was different.' },
  disabled: { text: 'Disabled: every token that it had is refused.', undo: 'enable' },
  enabled: { text: 'Enabled: it gets new tokens.', undo: 'disable' },
  ended: { text: 'The secret has ended.' },
};

/** @param origin  of this console, for what is pasted elsewhere */
export function createClientPages(tools: PageTools, acts: Acts, forms: Forms, origin: string) {
  return {
    async list(ctx: PageContext): Promise<void> {
      const { form } = ctx.state;
      if (form.get('do') === 'new') {
        await tools.check(ctx, 'createClient');
        const empty = clientFormOf({ displayName: null, scopes: [], tokenAlg: 'RS256' });
        return showNew(ctx, { id: '', form: empty }, { errors: [] });
      }
      const asked = queryOf(form, ['q', 'status']);
      const query = { ...asked, kind: 'machine' };
      const { body } = await tools.run<ListAnswer<ShownClient>>(ctx, 'listClients', { query });
      const may = await tools.mayRun(ctx, ['createClient']);
      const html = renderClients({
        frame: await tools.frame(ctx),
        clients: body.items.map((client) => ({ ...client, sentence: sentenceOf(client.scopes) })),
        primary: may.has('createClient')
          ? { label: 'Add machine client', href: `${listHref}?do=new` }
          : undefined,
        filters: filtersOf(listHref, asked, 'Name or ID', [
          { name: 'status', label: 'Status', options: statusOptions },
        ]),
        notice: form.get('done') === 'removed' ? 'The machine client is removed.' : undefined,
        ...placesOf(listHref, asked, body),
      });
      tools.send(ctx, html);
    },
    /** `POST /access/clients`: adds one, whose secret is in this answer alone. */
    async create(ctx: PageContext): Promise<void> {
      const { form } = ctx.state;
      const id = form.get('id')?.trim() ?? '';
      const typed = typedForm(form);
      const again = (shown: Shown) => showNew(ctx, { id, form: typed }, shown);
      const added = await forms.take<WithSecret>(ctx, { change: addition(id, typed), fieldOf, again });
      if (!added) return;
      const { secret } = added.body;
      await showClient(ctx, await find(ctx, id), secret === null ? {} : { secret });
    },
    async show(ctx: PageContext): Promise<void> {
      const found = await find(ctx, String(ctx.params.client));
      const { form } = ctx.state;
      const act = actNamed(form.get('do'), found.client, form.get('secret'));
      if (act) return acts.ask(ctx, act, placeOf(found.client));
      await showClient(ctx, found, { notice: doneNotices[form.get('done') ?? ''] });
    },
    /** `POST /access/clients/:client`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      const { form } = ctx.state;
      const found = await find(ctx, String(ctx.params.client));
      const { id } = found.client;
      const params = { client: id };
      const asked = form.get('do') ?? '';
      if (asked === 'save') return save(ctx, found);
      if (asked === 'try') {
        const { body: trial } = await tools.run<ShownTrial>(ctx, 'tryClient', { params, body: {} });
        return showClient(ctx, found, { trial });
      }
      if (asked === 'enable' || asked === 'disable') {
        await tools.run(ctx, `${asked}Client`, { params });
        return tools.goTo(ctx, `${clientHref(id)}?done=${asked}d`);
      }
      const secretId = form.get('secret');
      const act = actNamed(asked, found.client, secretId);
      if (!act) return tools.goTo(ctx, clientHref(id));
      const named = act.name === 'end-secret' ? { ...params, secret: secretId! } : params;
      const answer = await acts.perform<WithSecret | undefined>(ctx, act, placeOf(found.client), named);
      if (!answer) return;
      if (act.name === 'remove') return tools.goTo(ctx, `${listHref}?done=removed`);
      if (act.name === 'end-secret') return tools.goTo(ctx, `${clientHref(id)}?done=ended`);
      await showClient(ctx, await find(ctx, id), { secret: answer.body?.secret ?? undefined });
    },
  };

  async function find(ctx: PageContext, id: string): Promise<Found> {
    const { body, version = '' } = await tools.run<ShownClient>(ctx, 'readClient', {
      params: { client: id },
    });
    return { client: body, version };
  }

  async function save(ctx: PageContext, found: Found): Promise<void> {
    const { form } = ctx.state;
    const typed = typedForm(form);
    const again = (shown: Shown) => showClient(ctx, found, { form: typed, ...shown });
    const stored = differences(found.client, typed);
    const answer = await forms.take(ctx, { change: edit(found.client, typed), fieldOf, stored, again });
    if (!answer) return;
    tools.goTo(ctx, `${clientHref(found.client.id)}?done=${answer.isUnchanged ? 'unchanged' : 'saved'}`);
  }

  async function showClient(
    ctx: PageContext,
    { client, version }: Found,
    shown: Partial<ClientModel>,
  ): Promise<void> {
    const may = await tools.mayRun(ctx, ['updateClient']);
    const html = renderClient({
      frame: await tools.frame(ctx),
      client,
      sentence: sentenceOf(client.scopes),
      form: clientFormOf(client),
      ...forms.editState(ctx, client, version),
      mayChange: may.has('updateClient'),
      snippets: snippetsFor(origin, client),
      ...shown,
    });
    tools.send(ctx, html, shown.errors?.length ? 400 : 200);
  }

  async function showNew(
    ctx: PageContext,
    typed: { readonly id: string; readonly form: ClientForm },
    shown: Shown,
  ): Promise<void> {
    const html = renderNewClient({ ...(await forms.addState(ctx, shown)), ...typed });
    tools.send(ctx, html, shown.errors.length > 0 ? 400 : 200);
  }
}

interface Found {
  readonly client: ShownClient;
  readonly version: string;
}

const statusOptions = [
  { value: 'active', label: 'Enabled' },
  { value: 'disabled', label: 'Disabled' },
];

function clientFormOf({
  displayName,
  scopes,
  tokenAlg,
}: Pick<ShownClient, 'displayName' | 'scopes' | 'tokenAlg'>): ClientForm {
  return { displayName: displayName ?? '', access: accessFormOf(scopes), tokenAlg };
}

function typedForm(form: Form): ClientForm {
  return {
    displayName: form.get('displayName')?.trim() ?? '',
    access: typedAccess(form),
    tokenAlg: form.get('tokenAlg') ?? 'RS256',
  };
}

function given({ displayName, access, tokenAlg }: ClientForm) {
  return { ...(displayName !== '' && { displayName }), scopes: scopesOfForm(access), tokenAlg };
}

function addition(id: string, typed: ClientForm): TypedChange {
  const body = given(typed);
  const { displayName = null, scopes, tokenAlg } = body;
  return {
    operation: 'createClient',
    body: { id, ...body },
    command: [
      ...['client', 'add', id, '--scope', scopes.join(' ')],
      ...textDifference('name', null, displayName),
      ...(tokenAlg === 'RS256' ? [] : ['--token-alg', tokenAlg]),
    ],
    described: { kind: 'clients', id, fields: body },
  };
}

function edit(client: ShownClient, typed: ClientForm): TypedChange {
  const { id } = client;
  const body = { ...given(typed), displayName: typed.displayName || null };
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
      ],
    ),
    described: { kind: 'clients', id, fields: body },
  };
}

function differences(client: ShownClient, typed: ClientForm) {
  const { displayName, access, tokenAlg } = typed;
  const isOther = scopesOfForm(access).toSorted().join() !== client.scopes.toSorted().join();
  return [
    ...(displayName === (client.displayName ?? '')
      ? []
      : [{ field: 'displayName', text: client.displayName ?? '' }]),
    ...(isOther ? [{ field: 'scopes', text: client.scopes.join(' ') }] : []),
    ...(tokenAlg === client.tokenAlg ? [] : [{ field: 'tokenAlg', text: client.tokenAlg }]),
  ];
}

function fieldOf(pointer: string): string | undefined {
  const name = pointer.slice(2).split('/')[0]!;
  return ['id', 'displayName', 'scopes', 'tokenAlg'].includes(name) ? name : undefined;
}

function placeOf({ id, displayName }: ShownClient) {
  return { path: [...path, { title: displayName ?? id, href: clientHref(id) }], href: clientHref(id) };
}

function actNamed(
  name: string | undefined,
  { id, secrets }: ShownClient,
  secret: string | undefined,
): Act | undefined {
  if (name === 'rotate') return rotation(id, secrets.length);
  if (name === 'remove') {
    return {
      name,
      operation: 'deleteClient',
      title: `Remove ${id}`,
      effects: [
        `${id} gets no token any more, and every token that it has stops working at once.`,
        'This cannot be undone.',
      ],
      button: 'Remove machine client',
      isDangerous: true,
      typedName: id,
    };
  }
  if (name !== 'end-secret' || !secrets.some((one) => one.id === secret)) return undefined;
  return {
    name,
    operation: 'deleteClientSecret',
    title: `End the secret ${secret} of ${id}`,
    effects: [
      'Whoever has this secret gets no token any more.',
      ...(secrets.length === 1 ? [`It is the only one: ${id} cannot get a token until it has another.`] : []),
    ],
    button: 'End secret',
    isDangerous: true,
    hidden: { secret: secret! },
    selects: [
      {
        name: 'tokens',
        label: 'Tokens that it has',
        value: 'true',
        options: [
          { value: 'true', label: 'Stop working too: somebody else may have the secret' },
          { value: 'false', label: 'Go on until they expire: nobody else has the secret' },
        ],
      },
    ],
    requestOf: (form) => ({ query: { endTokens: form.get('tokens') ?? 'true' } }),
  };
}

function rotation(id: string, secrets: number): Act {
  return {
    name: 'rotate',
    operation: 'createClientSecret',
    title: `Rotate the secret of ${id}`,
    effects: ['The next page has a new secret, once.'],
    button: 'Rotate secret',
    isMaking: true,
    selects: [
      {
        name: 'ends',
        label: 'The secret that it has',
        value: secrets < 2 ? 'none' : 'oldest',
        options: [
          ...(secrets < 2
            ? [{ value: 'none', label: 'Goes on, until you end it here: callers move over first' }]
            : []),
          ...(secrets < 2
            ? []
            : [{ value: 'oldest', label: 'The older one ends now, the newer one goes on' }]),
          { value: 'all', label: 'Ends now, with every token: somebody else may have it' },
        ],
      },
    ],
    requestOf: (form) => ({ body: { ends: form.get('ends') ?? 'none' } }),
  };
}
