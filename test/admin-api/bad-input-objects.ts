/** Objects that bad input is about: one of each kind, made the way that administrators make it. */
import type { Api } from './bad-input-api.ts';
import type { Caller } from './bad-input-columns.ts';

export interface Sample {
  /** What stands in the path. */
  readonly params: Readonly<Record<string, string>>;
  /** Where it is shown, below `/api/v1`, with its entity tag. */
  readonly address: string;
}

/** One that waits: this console has no setting that makes some. */
export const waitingApproval = {
  id: 'apr_019aaf1c0e7b7c3d9f21a5c4d8e6b702',
  state: 'waiting',
  operation: 'updateRole',
  target: 'SampleRole',
  changes: { permissions: { add: ['svc:data:read'], remove: [] } },
  requestedBy: { id: 'somebody', via: 'page' },
  decidedBy: null,
  reason: null,
  problem: null,
  createdAt: Date.now(),
  expiresAt: Date.now() + 3600_000,
  decidedAt: null,
  sealed: '',
};

/** Of somebody else. */
export const sampleElevation = {
  id: 'elv_019aaf1c0e7b7c3d9f21a5c4d8e6b702',
  user: 'somebody',
  role: 'Admin',
  reason: 'Ticket 4711',
  startedAt: Date.now(),
  endsAt: Date.now() + 3600_000,
};

/** By the object's name, which is the first word of the path. */
export const samples: Readonly<Record<string, (api: Api) => Promise<Sample>>> = {
  async access(api) {
    const call = { client: 'application-client', method: 'GET', path: '/svc/rest/cluster' };
    const { id } = (await api.done('POST', '/access/muted-denials', call)).body as { id: string };
    return { params: { denials: id }, address: '/access/muted-denials' };
  },
  async approvals() {
    const { id } = waitingApproval;
    return { params: { approval: id }, address: `/approvals/${id}` };
  },
  async audit(api) {
    // Entries can be asked for as soon as the index is there.
    for (const deadline = Date.now() + 60_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const { status, body } = await api.call('GET', '/audit?limit=1');
      const [entry] = (body as { items?: { id: string; requestId: string | null }[] }).items ?? [];
      const id = entry?.requestId;
      if (status === 200 && entry && id)
        return { params: { auditEntry: entry.id, id }, address: `/audit/${entry.id}` };
      if (Date.now() > deadline) throw new Error(`no entry of the audit: ${status}`);
    }
  },
  async configuration(api) {
    const document = { version: 1, source: 'sample-team', roles: {} };
    const planned = await api.done('POST', '/configuration/plans', { document });
    const { id } = planned.body as { readonly id: string };
    return { params: { plan: id }, address: `/configuration/plans/${id}` };
  },
  async elevations() {
    const { id } = sampleElevation;
    return { params: { elevation: id }, address: `/elevations/${id}` };
  },
  async keys(api) {
    const { items } = (await api.done('GET', '/keys')).body as { readonly items: { readonly id: string }[] };
    return { params: { key: items[0]!.id }, address: `/keys/${items[0]!.id}` };
  },
  async settings() {
    return { params: { setting: 'CONSOLE_URL' }, address: '/settings/CONSOLE_URL' };
  },
  async licence(api) {
    await api.done('PUT', '/licence', { id: 'lic-1', holder: 'Orders Ltd', edition: 'team' });
    return { params: {}, address: '/licence' };
  },
  async jobs(api) {
    const { id } = await backedUp(api);
    const bulkAct = await begun(api, '/jobs/bulk-acts', { operation: 'enableUser', ids: ['nobody'] });
    return { params: { job: id, bulkAct }, address: `/jobs/${id}` };
  },
  async backups(api) {
    const { result } = await backedUp(api);
    return { params: { backup: result.backup }, address: `/backups/${result.backup}` };
  },
  async clients(api) {
    await api.done('POST', '/clients', { id: 'sample-client', scopes: ['svc:health:read'] });
    const secret = await secretOf(api, '/clients/sample-client');
    return { params: { client: 'sample-client', secret }, address: '/clients/sample-client' };
  },
  async applications(api) {
    const redirectUris = ['https://wiki.example.com/callback'];
    await api.done('POST', '/applications', { id: 'sample-app', redirectUris });
    const secret = await secretOf(api, '/applications/sample-app');
    return { params: { client: 'sample-app', secret }, address: '/applications/sample-app' };
  },
  async maps(api) {
    const address = '/maps/sample-map/entries/sample-key';
    await api.done('PUT', address, { value: 'eyJ0b3RhbCI6M30=', type: 'application/json' });
    const reading = await begun(api, '/maps/sample-map/readings', { keys: ['sample-key'] });
    await over(api, '/maps/sample-map/readings', reading);
    return { params: { map: 'sample-map', key: 'sample-key', reading }, address };
  },
  async queues(api) {
    const address = '/queues/sample-queue';
    for (const _item of [1, 2, 3, 4]) await api.done('POST', `${address}/offer`, { value: 'aXRlbQ==' });
    const drain = await begun(api, `${address}/drains`, { most: 1 });
    await over(api, `${address}/drains`, drain);
    return { params: { queue: 'sample-queue', drain }, address };
  },
  async cp() {
    return { params: { group: 'default' }, address: '/cp/groups/default' };
  },
  async wan(api) {
    const address = '/wan/atlantic/publishers/london';
    await api.done('POST', `${address}/resume`, {});
    const { lastSync } = (await api.done('POST', `${address}/sync`, {})).body as {
      lastSync: { sync: string };
    };
    return { params: { replication: 'atlantic', publisher: 'london', sync: lastSync.sync }, address };
  },
  async members(api) {
    const { items } = (await api.done('GET', '/members')).body as { items: { id: string }[] };
    return { params: { member: items[0]!.id }, address: `/members/${items[0]!.id}` };
  },
  async roles(api) {
    await api.done('POST', '/roles', { id: 'SampleRole', permissions: ['svc:map:orders:read'] });
    return { params: { role: 'SampleRole' }, address: '/roles/SampleRole' };
  },
  async users(api) {
    await api.done('PUT', '/users/sample', { displayName: 'Sample' });
    return { params: { user: 'sample' }, address: '/users/sample' };
  },
  async sessions(api) {
    await api.signIn();
    const { items } = (await api.done('GET', '/sessions')).body as { items: { id: string }[] };
    return { params: { session: items[0]!.id }, address: `/sessions/${items[0]!.id}` };
  },
  async 'identity-providers'(api) {
    const client = {
      issuer: 'https://idp.example',
      clientId: 'console',
      clientAuth: 'none',
      defaultRole: 'Viewer',
    };
    await api.done('POST', '/identity-providers', { id: 'sample', kind: 'oidc', ...client });
    return { params: { provider: 'sample' }, address: '/identity-providers/sample' };
  },
};

async function secretOf(api: Api, address: string): Promise<string> {
  const { secrets } = (await api.done('GET', address)).body as { secrets: { id: string }[] };
  return secrets[0]!.id;
}

interface BackUpJob {
  readonly id: string;
  readonly endedAt: string | null;
  readonly result: { readonly backup: string };
}

async function backedUp(api: Api): Promise<BackUpJob> {
  return over(api, '/jobs', await begun(api, '/backups'));
}

async function begun(api: Api, address: string, body?: object): Promise<string> {
  return String((await api.done('POST', address, body)).body.id);
}

/** @param address  of what has that job */
async function over<Shown extends { readonly endedAt: string | null }>(
  api: Api,
  address: string,
  id: string,
): Promise<Shown> {
  for (;;) {
    const job = (await api.done('GET', `${address}/${id}`)).body as unknown as Shown;
    if (job.endedAt !== null) return job;
  }
}

/** Good bodies where the example is for another kind of the object, by the operation's id. */
export const bodies: Readonly<Record<string, object>> = {
  createClient: { id: 'made-machine', scopes: ['svc:health:read'] },
  updateClient: { displayName: 'Another name' },
  createApplication: { id: 'made-wiki', redirectUris: ['https://wiki.example.com/callback'] },
  updateApplication: { displayName: 'Another name' },
  askWhatIf: { client: 'application-client', change: { scopes: ['app:Viewer'] } },
};

export interface MakingCall {
  /** Below `/api/v1`. */
  readonly address: string;
  readonly body?: unknown;
  /** By default that of JSON. */
  readonly type?: string;
}

interface MakingCalls {
  /** Where the example is not enough. */
  readonly call?: Partial<MakingCall>;
  /** What is something else with the same key, where that is neither another id nor another number. */
  readonly other?: Partial<MakingCall>;
}

/** Of what makes something, by the operation's id. */
export const makingCalls: Readonly<Record<string, MakingCalls>> = {
  createConfigurationPlan: {
    other: { body: { document: { version: 1, source: 'another-team', roles: {} } } },
  },
  createBulkAct: { other: { body: { operation: 'enableUser', ids: ['somebody-else'] } } },
  startMapReading: { other: { body: { keys: ['another-key'] } } },
  createImport: {
    call: {
      address: '/imports?of=users&format=jsonl',
      body: '{"id":"imported-once"}\n',
      type: 'application/octet-stream',
    },
    other: { address: '/imports?of=clients&format=jsonl' },
  },
  putMapValue: { call: { body: 'bytes', type: 'application/octet-stream' } },
  offerToQueue: { other: { body: { value: 'YW5vdGhlcg==' } } },
  pollQueue: { other: { address: '/queues/another-queue/poll' } },
  addWanConfig: {
    other: {
      body: {
        config: {
          name: 'pacific',
          batchPublishers: [{ clusterName: 'tokyo', targetEndpoints: '10.0.0.10:5701' }],
        },
      },
    },
  },
};

/** What a read wants besides: by its id. */
export const queries: Readonly<Record<string, string>> = {
  explainAccess: '?method=GET&path=/svc/rest/cluster&role=Viewer',
  readAccessUsage: '?client=application-client',
};

export interface ParticularCall {
  readonly what: string;
  /** `admin` unless said. */
  readonly as?: Caller;
  readonly call: readonly [method: string, path: string, body?: unknown];
  readonly status: number;
  readonly code: string;
  /** What must be as it was. */
  readonly unchanged: string;
}

/** What an object's own rules refuse. */
export const particular: readonly ParticularCall[] = [
  {
    what: 'another client of an id that there is',
    call: ['POST', '/clients', { id: 'sample-client' }],
    status: 409,
    code: 'already_exists',
    unchanged: '/clients/sample-client',
  },
  {
    what: 'a client of the id of the settings',
    call: ['PUT', '/clients/application-client', {}],
    status: 409,
    code: 'conflict',
    unchanged: '/clients/application-client',
  },
  {
    what: 'an application in the place of a machine',
    call: ['PUT', '/applications/sample-client', { redirectUris: ['https://sample.example.com/callback'] }],
    status: 409,
    code: 'conflict',
    unchanged: '/clients/sample-client',
  },
  {
    what: 'a scope that there is not',
    call: ['PATCH', '/clients/sample-client', { scopes: ['svc:everything:read'] }],
    status: 400,
    code: 'invalid_request',
    unchanged: '/clients/sample-client',
  },
  {
    what: 'redirect addresses that have a fragment',
    call: ['PATCH', '/applications/sample-app', { redirectUris: ['https://sample.example.com/#part'] }],
    status: 400,
    code: 'invalid_request',
    unchanged: '/applications/sample-app',
  },
  {
    what: 'a logout address that the console does not call',
    call: ['PATCH', '/applications/sample-app', { backchannelLogoutUri: 'https://10.0.0.7/logout' }],
    status: 400,
    code: 'invalid_url',
    unchanged: '/applications/sample-app',
  },
  {
    what: 'a role that there is not as a ceiling',
    call: ['PATCH', '/applications/sample-app', { maxRoles: ['Nobody'] }],
    status: 400,
    code: 'invalid_request',
    unchanged: '/applications/sample-app',
  },
  {
    what: 'a second secret of the same id',
    call: ['POST', '/clients/sample-client/secrets', { id: 'a' }],
    status: 409,
    code: 'conflict',
    unchanged: '/clients/sample-client',
  },
  {
    what: 'the end of a secret that there is not',
    call: ['DELETE', '/clients/sample-client/secrets/none'],
    status: 404,
    code: 'not_found',
    unchanged: '/clients/sample-client',
  },
  {
    what: 'another user of a name that looks like one that there is',
    call: ['POST', '/users', { id: 'SAMPLE' }],
    status: 409,
    code: 'already_exists',
    unchanged: '/users/sample',
  },
  {
    what: 'taking the role from the last administrator',
    call: ['PATCH', '/users/ada', { roles: [] }],
    status: 409,
    code: 'last_administrator',
    unchanged: '/users/ada',
  },
  {
    what: 'the end of the last administrator',
    call: ['DELETE', '/users/ada'],
    status: 409,
    code: 'last_administrator',
    unchanged: '/users/ada',
  },
  {
    what: 'a weak password',
    call: ['POST', '/users/sample/reset-password', { password: 'password1234' }],
    status: 400,
    code: 'weak_password',
    unchanged: '/users/sample',
  },
  {
    what: 'another role of a name that there is',
    call: ['POST', '/roles', { id: 'SampleRole', permissions: ['svc:health:read'] }],
    status: 409,
    code: 'already_exists',
    unchanged: '/roles/SampleRole',
  },
  {
    what: 'a change of a built-in role',
    call: ['PATCH', '/roles/Admin', { permissions: ['svc:map:*:write'] }],
    status: 409,
    code: 'conflict',
    unchanged: '/roles/Admin',
  },
  {
    what: 'the end of a built-in role',
    call: ['DELETE', '/roles/Viewer'],
    status: 409,
    code: 'conflict',
    unchanged: '/roles/Viewer',
  },
  {
    what: 'a second identity provider of an id',
    call: [
      'POST',
      '/identity-providers',
      {
        id: 'sample',
        kind: 'oidc',
        issuer: 'https://other.example',
        clientId: 'x',
        clientAuth: 'none',
        defaultRole: 'Viewer',
      },
    ],
    status: 409,
    code: 'already_exists',
    unchanged: '/identity-providers/sample',
  },
  {
    what: 'an issuer inside',
    call: ['PATCH', '/identity-providers/sample', { issuer: 'https://10.0.0.1' }],
    status: 400,
    code: 'invalid_url',
    unchanged: '/identity-providers/sample',
  },
  {
    what: 'a licence that has ended',
    call: ['PUT', '/licence', { id: 'x', holder: 'x', edition: 'x', expiresAt: '2020-01-01T00:00:00Z' }],
    status: 400,
    code: 'invalid_request',
    unchanged: '/licence',
  },
  {
    what: 'a permission that there is not',
    call: ['PATCH', '/roles/SampleRole', { permissions: ['svc:nothing:read'] }],
    status: 400,
    code: 'invalid_request',
    unchanged: '/roles/SampleRole',
  },
  {
    what: 'a role that there is not',
    call: ['PATCH', '/users/sample', { roles: ['Nobody'] }],
    status: 400,
    code: 'invalid_request',
    unchanged: '/users/sample',
  },
  {
    what: 'shutting out the last administrator',
    call: ['POST', '/users/ada/disable'],
    status: 409,
    code: 'last_administrator',
    unchanged: '/users/ada',
  },
  {
    what: 'a field of another kind of provider',
    call: ['PATCH', '/identity-providers/sample', { bindDn: 'cn=x' }],
    status: 400,
    code: 'invalid_request',
    unchanged: '/identity-providers/sample',
  },
  ...[
    [
      'a role with more than one has',
      'POST',
      '/roles',
      { id: 'More', permissions: ['svc:map:orders:write'] },
    ],
    ['more in a role than one has', 'PATCH', '/roles/SampleRole', { permissions: ['svc:map:*:write'] }],
    ['the end of a role with more than one has', 'DELETE', '/roles/SampleRole', undefined],
    ['a user with a role of more than one has', 'POST', '/users', { id: 'more', roles: ['Admin'] }],
    ['a role of more than one has for a user', 'PATCH', '/users/sample', { roles: ['Admin'] }],
    ['the password of who has more than one has', 'POST', '/users/ada/reset-password', {}],
  ].map(([what, method, path, body]) => ({
    what: what as string,
    as: 'changer' as const,
    call: [method as string, path as string, body] as const,
    status: 403,
    code: 'escalation',
    unchanged: method === 'POST' ? (path as string).replace(/(\/users\/ada).*/, '$1') : (path as string),
  })),
];
