import {
  type ApplicationForm,
  renderNewApplication,
} from '../../views/management/access/application-form.tsx';
import {
  renderApplication,
  renderApplications,
  type ShownApplication,
} from '../../views/management/access/applications.tsx';
import {
  renderApproval,
  renderApprovals,
  type ShownApproval,
} from '../../views/management/access/approvals.tsx';
import { renderNewClient } from '../../views/management/access/client-form.tsx';
import { renderClient, renderClients, type ShownClient } from '../../views/management/access/clients.tsx';
import { renderEffective } from '../../views/management/access/effective/effective.tsx';
import {
  renderNewRole,
  renderRole,
  renderRoles,
  type ShownRole,
} from '../../views/management/access/roles.tsx';
import { renderSession, renderSessions, type ShownSession } from '../../views/management/access/sessions.tsx';
import { renderNewUser } from '../../views/management/access/user-form.tsx';
import { renderUser, renderUsers, type ShownUser } from '../../views/management/access/users.tsx';
import { renderAct } from '../../views/management/act.tsx';
import { renderCp } from '../../views/management/cluster/cp.tsx';
import { renderDrain, type ShownDrain } from '../../views/management/cluster/drains.tsx';
import { renderMap, renderMapEntry } from '../../views/management/cluster/maps.tsx';
import type { ShownMember } from '../../views/management/cluster/member-state.tsx';
import { renderMember, renderMembers } from '../../views/management/cluster/members.tsx';
import { renderOperations } from '../../views/management/cluster/operations.tsx';
import { renderOverview } from '../../views/management/cluster/overview.tsx';
import type { ShownPublisher } from '../../views/management/cluster/publisher-cells.tsx';
import { renderQueue } from '../../views/management/cluster/queues.tsx';
import { renderReading, type ShownReading } from '../../views/management/cluster/readings.tsx';
import { renderMaps, renderQueues, type ShownStructure } from '../../views/management/cluster/structures.tsx';
import type { ShownValue, ValueFields } from '../../views/management/cluster/value.tsx';
import { renderPublisher, renderPublishers } from '../../views/management/cluster/wan.tsx';
import type { FrameModel } from '../../views/management/frame.tsx';
import { renderGroup } from '../../views/management/group.tsx';
import { renderAudit, renderEntry, type ShownEntry } from '../../views/management/observe/audit.tsx';
import { renderDecision } from '../../views/management/observe/decision.tsx';
import { renderKeys } from '../../views/management/settings/keys.tsx';
import { renderSettings } from '../../views/management/settings/settings.tsx';
import { usualPresentation } from '../../views/presentation.ts';
import type { Filling } from './filling.ts';
import { findingOf, observePages } from './observe-pages.ts';
import { providerPages } from './provider-pages.ts';
import { settingsPages, stepsOf } from './settings-pages.ts';

const now = new Date('2025-11-21T08:23:00Z');
const earlier = '2025-11-19T17:02:00.000Z';

function frameOf({ text, presentation = usualPresentation }: Filling): FrameModel {
  return {
    username: text,
    presentation,
    signOut: { action: '/sign-out', csrf: text },
    now,
    groups: [
      {
        title: 'common.access',
        href: '/access',
        isCurrent: true,
        pages: [{ title: 'common.users', href: '/access/users', isCurrent: true }],
      },
    ],
  };
}

function editOf({ text }: Filling) {
  const ways = [{ language: 'curl', text }];
  const conflicts = [
    { member: 'displayName', field: 'displayName', typed: text, stored: '', picked: 'typed' as const },
    { member: 'maxRoles', typed: '', stored: text },
  ];
  return { csrf: text, version: text, base: text, source: text, takesOver: true, ways, conflicts };
}

function userOf({ text }: Filling): ShownUser {
  return {
    id: 'grace',
    subject: text,
    displayName: text,
    email: text,
    roles: [text],
    eligibleRoles: [text],
    origin: { provider: text, subject: text },
    owner: { kind: 'code', source: text },
    status: 'active',
    lastSignInAt: earlier,
    createdAt: earlier,
    updatedAt: earlier,
  };
}

function clientOf({ text }: Filling): ShownClient {
  return {
    id: 'billing',
    kind: 'machine',
    status: 'active',
    displayName: text,
    scopes: [text],
    tokenAlg: 'RS256',
    tokenTtlSeconds: 60,
    dpop: true,
    jwks: { keys: [{ kty: text }] },
    authMethods: [text],
    owner: { kind: 'code', source: text },
    secrets: [{ id: 'a', createdAt: earlier, lastUsedAt: earlier, expiresAt: null, endsOnUseOf: text }],
    lastUsedAt: earlier,
    lastUsedFrom: '10.1.0.7',
    tokensLastHour: 38,
    createdAt: earlier,
  };
}

const choiceOf = ({ text }: Filling, name: string) => ({ name, label: text, meaning: text, isChosen: true });
const clientFormOf = (filling: Filling) => ({
  displayName: filling.text,
  access: {
    sentence: filling.text,
    groups: [
      { label: filling.text, meaning: filling.text, choices: [choiceOf(filling, 'access:data:read')] },
    ],
    maps: { names: filling.text, actions: [choiceOf(filling, 'map:read')] },
    queues: { names: filling.text, actions: [choiceOf(filling, 'queue:offer')] },
    others: filling.text,
  },
  tokenAlg: 'RS256',
  ttl: filling.text,
  dpop: true,
  jwks: filling.text,
});

const formOf = ({ text }: Filling) => ({
  displayName: text,
  email: text,
  roles: [{ id: 'Viewer', meaning: text, isChosen: true }],
  eligibleRoles: [{ id: text, meaning: text, isChosen: true }],
});
const errorsOf = ({ text }: Filling) => [{ field: 'email', text }];

function memberOf({ text }: Filling): ShownMember {
  return {
    id: '10.0.0.1:5701',
    address: text,
    uuid: text,
    version: text,
    kind: 'data',
    health: 'ready',
    circuit: 'closed',
    state: 'in',
    reason: text,
    isDrained: false,
    inFlight: 1,
    p99Ms: 4.8,
    failedShare: 0.02,
    groups: { [text]: false },
  };
}

function publisherOf({ text }: Filling): ShownPublisher {
  const done = { at: earlier, members: [text] } as const;
  return {
    replication: 'atlantic',
    publisher: 'london',
    last: { ...done, what: 'paused', sync: null },
    lastSync: { ...done, what: 'synced', sync: 'a-sync' },
    lastCheck: { ...done, what: 'checked', sync: 'a-check' },
    members: [
      { member: text, state: 'paused', since: earlier, clearedAt: earlier },
      { member: '10.0.0.2:5701', state: null, since: null, clearedAt: earlier },
    ],
  };
}

function entryOf({ text }: Filling): ShownEntry {
  return {
    id: 'a-1',
    createdAt: earlier,
    event: text,
    outcome: 'denied',
    actor: { kind: text, id: text, name: text, session: 'ses', via: text },
    object: { kind: text, id: text },
    change: { [text]: { from: text, to: text } },
    client: 'billing',
    member: '10.0.0.1:5701',
    permission: text,
    missing: text,
    reason: text,
    status: 403,
    durationMs: 1,
    source: text,
    requestId: 'r',
    traceId: 't',
    tokenId: 'k',
    grantId: 'g',
    decisionId: 'd',
    detail: { [text]: text },
  };
}

function approvalOf({ text }: Filling): ShownApproval {
  return {
    id: 'apr_1',
    state: 'waiting',
    operation: 'updateRole',
    target: text,
    diff: { description: 'Reads orders' },
    requestedBy: { id: text, username: null },
    decidedBy: { id: 'b', username: 'bob' },
    reason: text,
    problem: text,
    createdAt: earlier,
    updatedAt: earlier,
    expiresAt: earlier,
  };
}

function applicationOf({ text }: Filling): ShownApplication {
  return {
    id: 'wiki',
    status: 'active',
    displayName: text,
    scopes: [text],
    isPublic: false,
    firstParty: false,
    redirectUris: ['https://wiki.example.com/callback'],
    postLogoutUris: [text],
    backchannelLogoutUri: text,
    clientUri: 'https://wiki.example.com/',
    logoUri: 'https://wiki.example.com/logo.png',
    maxRoles: [text],
    secrets: [{ id: 'a', createdAt: earlier, lastUsedAt: earlier, expiresAt: null, endsOnUseOf: text }],
    owner: { kind: 'code', source: text },
    lastUsedAt: earlier,
    createdAt: earlier,
    openSessions: { value: 2, isExact: false },
    lastLogout: { state: 'gave_up', endedAt: earlier },
  };
}

function applicationFormOf({ text }: Filling): ApplicationForm {
  return {
    displayName: text,
    url: text,
    redirectUris: text,
    postLogoutUris: text,
    backchannelLogoutUri: text,
    clientUri: text,
    logoUri: text,
    isFirstParty: true,
    roles: [{ id: 'Viewer', isChosen: true }],
  };
}

function numbersOf({ text }: Filling) {
  return {
    period: text,
    periods: [{ label: text, href: '/' }],
    plots: [false, true].map((isTable) => ({
      id: `plot${isTable}`,
      title: text,
      unit: ' ms',
      from: 1_763_713_380,
      stepSeconds: 30,
      lines: [{ name: isTable ? text : 'p50', values: [1, null, 3] }],
      otherHref: '/?table=calls',
      isTable,
    })),
  };
}

function structureOf(): ShownStructure {
  return { id: 'orders', sources: ['calls'], lastCallOn: earlier };
}

function valueFor({ text }: Filling): ShownValue {
  return { type: text, bytes: 3, form: 'json', forms: ['json', 'hex'], text, isCut: true, isWhole: false };
}

function typedOf({ text }: Filling): ValueFields {
  return { value: text, encoding: 'text', type: text };
}

function roleOf({ text }: Filling): ShownRole {
  return {
    id: 'OrdersReader',
    description: text,
    permissions: [text],
    owner: { kind: 'code', source: text },
    builtIn: false,
    users: ['reader'],
    userCount: 11,
    updatedAt: earlier,
  };
}

function sessionOf({ text }: Filling): ShownSession {
  return {
    id: 'ses_1',
    user: 'reader',
    clients: ['console', 'wiki'],
    provider: text,
    startedAt: earlier,
    lastSeenAt: earlier,
    expiresAt: earlier,
    address: text,
    agent: text,
    acr: text,
  };
}

/** The management pages with every field of their models filled. */
export const managementPages: Readonly<Record<string, (filling: Filling) => string>> = {
  ...observePages(frameOf),
  ...settingsPages(frameOf),
  ...providerPages(frameOf, editOf),
  overview: (filling) =>
    renderOverview({
      frame: frameOf(filling),
      steps: stepsOf(filling),
      cluster: { kind: 'ok', word: filling.text, about: filling.text },
      findings: { findings: [findingOf(filling, 'problem')], may: new Set() },
      numbers: numbersOf(filling),
      members: [
        {
          id: '10.0.0.1:5701',
          kind: 'danger',
          word: filling.text,
          type: filling.text,
          inFlight: 3,
          p99Ms: 4.8,
          failedShare: null,
        },
      ],
      denials: [
        {
          id: '1',
          at: now,
          text: filling.text,
          event: filling.text,
          who: { kind: 'user', id: filling.text, name: 'grace' },
          href: '/observe/audit/a-1',
        },
      ],
      changes: [
        {
          id: '1',
          at: now,
          text: filling.text,
          job: { title: filling.text, href: '/observe/jobs/job_1' },
          event: filling.text,
          who: { kind: 'user', id: filling.text, name: 'grace' },
          href: '/observe/audit/a-1',
        },
      ],
      mayDrain: true,
      csrf: filling.text,
    }),
  'group of pages': (filling) =>
    renderGroup({
      frame: frameOf(filling),
      title: 'common.access',
      pages: [
        {
          title: 'common.users',
          href: '/access/users',
          about: 'common.peopleWhoMaySign',
        },
      ],
      figures: new Map([['/access/users', filling.text]]),
    }),
  users: (filling) =>
    renderUsers({
      frame: frameOf(filling),
      users: [userOf(filling)],
      count: { value: 10_000, isExact: false },
      primary: { label: filling.text, href: filling.href },
      filters: {
        action: '/access/users',
        asked: { q: filling.text },
        search: { label: 'Name', value: filling.text },
        selects: [
          { name: 'status', label: 'Status', value: 'x', options: [{ value: 'x', label: filling.text }] },
        ],
      },
      nextHref: filling.href,
      firstHref: filling.href,
      notice: filling.text,
    }),
  user: (filling) =>
    renderUser({
      frame: frameOf(filling),
      user: userOf(filling),
      form: formOf(filling),
      errors: errorsOf(filling),
      ...editOf(filling),
      mayChange: true,
      isReader: false,
      calls: [
        {
          group: filling.text,
          actions: [{ action: filling.text, names: [filling.text], isSome: true, isOff: true }],
        },
      ],
      sessions: { value: 2, isExact: true, latestAt: earlier },
      elevations: [{ id: 'elv_1', role: filling.text, reason: filling.text, endsAt: earlier }],
      notice: { text: filling.text, undo: 'enable' },
      link: { href: filling.text, expiresAt: earlier },
    }),
  'new user': (filling) =>
    renderNewUser({
      frame: frameOf(filling),
      id: filling.text,
      form: formOf(filling),
      errors: errorsOf(filling),
      csrf: filling.text,
      idempotencyKey: filling.text,
      ways: [{ language: 'curl', text: filling.text }],
    }),
  'machine clients': (filling) =>
    renderClients({
      frame: frameOf(filling),
      clients: [{ ...clientOf(filling), sentence: filling.text }],
      csrf: filling.text,
      mayTry: true,
      mayReadUsage: true,
      filters: { action: '/access/clients', asked: {}, selects: [] },
    }),
  'machine client': (filling) =>
    renderClient({
      frame: frameOf(filling),
      client: clientOf(filling),
      sentence: filling.text,
      form: clientFormOf(filling),
      errors: [{ field: 'scopes', text: filling.text }],
      ...editOf(filling),
      mayChange: true,
      notice: { text: filling.text, undo: 'enable' },
      secret: filling.text,
      snippets: [{ language: 'curl', text: filling.text }],
      calls: {
        plot: numbersOf(filling).plots[0]!,
        ...{ fine: 18_204, denied: 212, failed: 3, isWhole: false },
        ...{ whyHref: '/observe/audit', href: '/observe/traffic' },
      },
      trial: {
        isIssued: true,
        reason: null,
        audience: filling.text,
        scopes: [filling.text],
        roles: [filling.text],
        tokenType: 'Bearer',
        ttlSeconds: 60,
        opens: [{ methods: ['GET'], path: filling.text, permission: filling.text, names: [filling.text] }],
      },
    }),
  'new machine client': (filling) =>
    renderNewClient({
      frame: frameOf(filling),
      form: { ...clientFormOf(filling), id: filling.text, authentication: 'keys' as const },
      errors: [],
      csrf: filling.text,
      idempotencyKey: filling.text,
      ways: [{ language: 'curl', text: filling.text }],
    }),
  approvals: (filling) =>
    renderApprovals({
      frame: frameOf(filling),
      approvals: [approvalOf(filling)],
      readerId: 'nobody',
      mayApprove: true,
      filters: { action: '/access/approvals', asked: {}, selects: [] },
    }),
  approval: (filling) =>
    renderApproval({
      frame: frameOf(filling),
      approval: approvalOf(filling),
      csrf: filling.text,
      isOwn: false,
      mayApprove: true,
      mayReject: true,
      notice: filling.text,
      result: filling.text,
    }),
  applications: (filling) =>
    renderApplications({
      frame: frameOf(filling),
      applications: [applicationOf(filling)],
      filters: { action: '/access/applications', asked: {}, selects: [] },
    }),
  application: (filling) =>
    renderApplication({
      frame: frameOf(filling),
      application: applicationOf(filling),
      form: applicationFormOf(filling),
      errors: [{ field: 'redirectUris', text: filling.text }],
      ...editOf(filling),
      mayChange: true,
      notice: { text: filling.text, undo: 'enable' },
      secret: filling.text,
      settings: [{ language: 'Apache', text: filling.text }],
      logouts: [
        { endedAt: earlier, user: 'grace', state: 'gave_up', client: 'wiki', lastError: filling.text },
      ],
    }),
  'new application': (filling) =>
    renderNewApplication({
      frame: frameOf(filling),
      id: filling.text,
      form: applicationFormOf(filling),
      errors: [{ field: 'url', text: filling.text }],
      csrf: filling.text,
      idempotencyKey: filling.text,
      presets: [{ id: 'other', label: filling.text, meaning: filling.text }],
      preset: 'other',
      hasUrl: true,
    }),
  roles: (filling) =>
    renderRoles({
      frame: frameOf(filling),
      roles: [{ ...roleOf(filling), sentence: filling.text }],
      filters: { action: '/access/roles', asked: {}, selects: [] },
    }),
  role: (filling) =>
    renderRole({
      frame: frameOf(filling),
      role: roleOf(filling),
      sentence: filling.text,
      form: { description: filling.text, access: clientFormOf(filling).access },
      errors: [{ field: 'scopes', text: filling.text }],
      ...editOf(filling),
      mayChange: true,
      mayCopy: true,
      calls: [
        {
          group: filling.text,
          actions: [{ action: filling.text, names: [filling.text], isSome: true, isOff: true }],
        },
      ],
      notice: { text: filling.text, undo: 'put-back', fields: { entry: filling.text } },
    }),
  'role of files': (filling) =>
    renderRole({
      frame: frameOf(filling),
      role: roleOf(filling),
      sentence: filling.text,
      form: { description: '', access: clientFormOf(filling).access },
      ...editOf(filling),
      errors: [],
      takesOver: false,
      mayChange: true,
      mayCopy: false,
    }),
  'new role': (filling) =>
    renderNewRole({
      frame: frameOf(filling),
      id: filling.text,
      form: { description: filling.text, access: clientFormOf(filling).access },
      like: { id: filling.text, leftOut: [filling.text] },
      errors: [],
      csrf: filling.text,
      idempotencyKey: filling.text,
      ways: [{ language: 'curl', text: filling.text }],
    }),
  maps: (filling) =>
    renderMaps({
      frame: frameOf(filling),
      maps: [{ ...structureOf(), callsPerSecond: 1.42, hitShare: 0.985, meanValueBytes: 2048 }],
      filters: { action: '/cluster/maps', asked: {}, selects: [] },
    }),
  queues: (filling) =>
    renderQueues({
      frame: frameOf(filling),
      queues: [{ ...structureOf(), size: 12, offersPerSecond: 0.5, pollsPerSecond: null, pollsWaiting: 3 }],
      filters: { action: '/cluster/queues', asked: {}, selects: [] },
    }),
  map: (filling) =>
    renderMap({
      frame: frameOf(filling),
      map: { ...structureOf(), calledKeys: [{ id: filling.text, lastCallAt: earlier }] },
      numbers: { ...numbersOf(filling), href: '/observe/traffic' },
      mayChange: true,
      csrf: filling.text,
      idempotencyKey: filling.text,
      readings: [readingOf(filling)],
      opened: [{ key: filling.text, at: Date.UTC(2026, 0, 5) }],
      keys: filling.text,
      found: [
        { key: 'a', type: filling.text, bytes: 3 },
        { key: 'b', type: null, bytes: null, problem: filling.text },
      ],
      problem: filling.text,
      notice: filling.text,
    }),
  'map reading': (filling) =>
    renderReading({
      frame: frameOf(filling),
      reading: readingOf(filling),
      csrf: filling.text,
      notice: filling.text,
    }),
  'running map reading': (filling) =>
    renderReading({
      frame: frameOf(filling),
      reading: { ...readingOf(filling), state: 'running', problem: null, endedAt: null },
      csrf: filling.text,
    }),
  'map entry': (filling) =>
    renderMapEntry({
      frame: frameOf(filling),
      map: 'orders',
      key: 'a1',
      value: valueFor(filling),
      member: '10.0.0.1:5701',
      durationMs: 1.5,
      version: filling.text,
      typed: typedOf(filling),
      errors: [{ field: 'value', text: filling.text }],
      fileErrors: [{ field: 'file', text: filling.text }],
      mostBytes: 1024,
      csrf: filling.text,
      formers: [{ id: '1', type: filling.text, bytes: 3, replacedAt: Date.UTC(2026, 0, 5) }],
      mayPut: true,
      mayRemove: true,
      notice: { text: filling.text, former: { value: filling.text, type: filling.text } },
    }),
  queue: (filling) =>
    renderQueue({
      frame: frameOf(filling),
      queue: { ...structureOf(), size: 3 },
      numbers: { ...numbersOf(filling), href: '/observe/traffic' },
      typed: typedOf(filling),
      errors: [{ field: 'type', text: filling.text }],
      csrf: filling.text,
      idempotencyKey: filling.text,
      mayOffer: true,
      mayTake: true,
      notice: filling.text,
      taken: [{ ...valueFor(filling), value: filling.text }],
      drains: [drainOf(filling)],
    }),
  drain: (filling) =>
    renderDrain({
      frame: frameOf(filling),
      drain: drainOf(filling),
      csrf: filling.text,
      mayStop: true,
      mayRemove: true,
      notice: filling.text,
    }),
  sessions: (filling) =>
    renderSessions({
      frame: frameOf(filling),
      sessions: [{ ...sessionOf(filling), user: filling.text }],
      mayEnd: true,
      filters: {
        action: '/access/sessions',
        asked: { q: filling.text },
        texts: [{ name: 'user', label: filling.text, value: filling.text }],
        selects: [],
      },
    }),
  session: (filling) =>
    renderSession({
      ...{ frame: frameOf(filling), session: sessionOf(filling), isOwn: true, mayEnd: true },
      mayEndAll: true,
    }),
  members: (filling) =>
    renderMembers({
      frame: frameOf(filling),
      members: [memberOf(filling)],
      csrf: filling.text,
      mayDrain: true,
    }),
  member: (filling) =>
    renderMember({
      frame: frameOf(filling),
      member: memberOf(filling),
      csrf: filling.text,
      mayChange: true,
      numbers: { ...numbersOf(filling), href: '/observe/traffic' },
      logLevel: 'FINE',
      details: {
        connections: null,
        sees: [filling.text],
        instance: filling.text,
        ...{ build: filling.text, java: null, nodeState: filling.text, migrationQueueSize: 3 },
        memberList: [filling.text],
        sentSections: [filling.text],
        unknown: [{ part: 'cluster', reason: filling.text }],
      },
      errors: [{ field: 'level', text: filling.text }],
      notice: { text: filling.text, undo: 'drain' },
    }),
  'WAN replication': (filling) =>
    renderPublishers({
      frame: frameOf(filling),
      publishers: [publisherOf(filling)],
      primary: { label: filling.text, href: '/cluster/wan?do=new' },
      notice: filling.text,
    }),
  'WAN publisher': (filling) =>
    renderPublisher({
      frame: frameOf(filling),
      publisher: publisherOf(filling),
      sync: { stage: filling.text, progress: null },
      check: filling.text,
      csrf: filling.text,
      mayChange: true,
      mayClear: true,
      notice: { text: filling.text, undo: 'resume' },
      problem: filling.text,
    }),
  settings: (filling) =>
    renderSettings({
      frame: frameOf(filling),
      settings: [
        {
          id: 'CONSOLE_URL',
          value: filling.text,
          isSet: true,
          origin: filling.text,
          isSecret: false,
          changesLive: true,
          meaning: 'where it is',
          warnings: [filling.text],
        },
      ],
      configuration: {
        path: filling.text,
        state: 'refused',
        at: earlier,
        appliedAt: null,
        problem: filling.text,
        sources: [{ source: filling.text, state: 'refused', problem: filling.text }],
        console: filling.text,
        consoles: [{ name: filling.text, differs: true, files: [filling.text] }],
      },
      filters: {
        action: '/settings',
        asked: { q: filling.text },
        search: { label: 'x', value: filling.text },
        selects: [],
      },
    }),
  'signing keys': (filling) =>
    renderKeys({
      frame: frameOf(filling),
      keys: [
        {
          id: 'a-kid',
          alg: 'ES256',
          state: 'current',
          createdAt: earlier,
          signsFrom: earlier,
          signsUntil: null,
          leavesAt: null,
        },
      ],
      mayRotate: true,
      notice: filling.text,
    }),
  'CP subsystem': (filling) =>
    renderCp({
      frame: frameOf(filling),
      cp: {
        isAvailable: true,
        isKnown: true,
        reason: filling.text,
        members: [{ id: 'a-uuid', address: filling.text }],
        groups: [{ id: 'default', groupId: 1 }],
      },
      sessions: {
        group: 'default',
        items: [{ id: '17', endpoint: filling.text, endpointName: filling.text, expiresAt: earlier }],
      },
      others: ['10.0.0.2:5701'],
      mayChange: true,
      notice: filling.text,
    }),
  operations: (filling) =>
    renderOperations({
      frame: frameOf(filling),
      csrf: filling.text,
      licence: { isLicensed: true, expiresAt: null, mostMembers: 10, holder: filling.text },
      cluster: {
        clusterState: 'active',
        clusterVersion: filling.text,
        isSafe: false,
        migrationQueueSize: 3,
        clusterSize: 3,
        may: [],
      },
      acts: ['state', 'backup'].map((name) => ({
        name,
        title: filling.text,
        about: filling.text,
        isDangerous: name === 'state',
        isQuiet: name === 'backup',
      })),
      mayChangeVersion: true,
      mayConfigure: true,
      impossible: [{ title: filling.text, reason: filling.text }],
      notice: filling.text,
      problem: filling.text,
    }),
  'audit log': (filling) =>
    renderAudit({
      frame: frameOf(filling),
      entries: [entryOf(filling)],
      filters: { action: '/observe/audit', asked: {}, selects: [] },
      verification: {
        verifiedAt: earlier,
        verifiedBy: filling.text,
        isGood: false,
        isSigned: false,
        entries: 7,
        writerCount: 2,
        writers: [
          {
            ...{ writer: filling.text, verdict: 'changed', seq: 3, last: 4, says: filling.text },
            ...{ entries: 7, lastSeq: 2, lastCheckpointAt: null },
          },
          {
            ...{ writer: 'w1', verdict: 'ok', seq: null, last: null, says: null },
            ...{ entries: 7, lastSeq: 7, lastCheckpointAt: earlier },
          },
        ],
      },
      mayVerify: true,
      csrf: filling.text,
      idempotencyKey: filling.text,
    }),
  'audit entry': (filling) => renderEntry({ frame: frameOf(filling), entry: entryOf(filling) }),
  decision: (filling) =>
    renderDecision({
      frame: frameOf(filling),
      // Of the address, too, where it is written in another way.
      id: 'kR3nx0aQ.0.2',
      explanation: {
        method: filling.text,
        path: filling.text,
        reason: filling.text,
        missing: filling.text,
        change: filling.text,
        now: { isAllowed: false, because: filling.text },
        muted: { id: 'the-mute', until: earlier, by: { kind: 'user', id: filling.text } },
      },
      mayMute: true,
      caller: { kind: 'client', id: 'billing' },
      withAll: { isAllowed: false, because: filling.text },
      denials: { calls: 212, firstAt: earlier, decisionId: 'the-latest' },
      csrf: filling.text,
      opening: {
        isAsked: true,
        title: filling.text,
        given: 'svc:map:orders:write',
        href: '/observe/decisions/x?do=open',
        passed: 3,
        days: 7,
      },
      notice: { text: filling.text, undo: 'unmute' },
      story: [entryOf(filling)],
    }),
  'effective access': (filling) =>
    renderEffective({
      frame: frameOf(filling),
      kind: 'clients',
      kinds: ['roles', 'clients', 'users'],
      filters: {
        action: '/access/effective',
        asked: { q: filling.text },
        search: { label: filling.text, value: filling.text },
        selects: [],
      },
      columns: [
        { group: 'Maps', action: 'read', example: { method: 'GET', path: '/svc/rest/maps/a-map/k' } },
      ],
      subjects: [
        {
          kind: 'clients',
          id: 'billing',
          cells: [{ outcome: 'partly', names: ['orders'], offAt: [] }],
        },
      ],
      memberCount: 3,
      mayAsk: true,
      asked: { kind: 'client', id: 'billing', method: 'POST', path: '/svc/rest/maps/orders/1' },
      answer: {
        isAllowed: false,
        because: filling.text,
        off: { members: [filling.text], group: 'DATA', isEverywhere: false },
        denials: { calls: 212, firstAt: earlier, decisionId: 'the-latest' },
        story: [entryOf(filling)],
        opens: {
          ...{ title: filling.text, given: filling.text, what: filling.text, command: filling.text },
          ...{ isOffered: true, passed: 3, days: 7 },
        },
        mayTry: true,
        muted: { id: 'the-mute', until: earlier, by: { kind: 'user', id: filling.text } },
        mayMute: true,
      },
      csrf: filling.text,
      notice: filling.text,
    }),
  'question before an act': (filling) =>
    renderAct({
      frame: frameOf(filling),
      path: [{ title: filling.text, href: '/access/users' }],
      title: filling.text,
      effects: [filling.text],
      diff: {
        isCut: true,
        sections: [
          {
            title: filling.text,
            state: filling.text,
            lines: (['same', 'added', 'removed'] as const).map((change) => ({ change, text: filling.text })),
          },
        ],
      },
      typedName: filling.text,
      selects: [
        { name: 'ends', label: filling.text, value: 'x', options: [{ value: 'x', label: filling.text }] },
      ],
      texts: [{ name: 'reason', label: filling.text, hint: filling.text, value: filling.text }],
      ways: [{ language: 'API', text: filling.text }],
      waysAsked: true,
      offersWays: true,
      confirmation: 'password',
      action: '/access/users/grace',
      hidden: { csrf: filling.text, do: 'remove' },
      button: filling.text,
      isDangerous: true,
      cancelHref: filling.href,
      errors: [{ field: 'typed_name', text: filling.text }],
    }),
  'act that cannot be done': (filling) =>
    renderAct({
      frame: frameOf(filling),
      path: [{ title: filling.text, href: '/access/users' }],
      title: filling.text,
      effects: [filling.text],
      stops: filling.text,
      waysAsked: false,
      offersWays: false,
      selects: [],
      texts: [],
      action: '/access/users/grace',
      hidden: {},
      button: filling.text,
      isDangerous: true,
      cancelHref: filling.href,
      errors: [],
    }),
};

function readingOf({ text }: Filling): ShownReading {
  return {
    id: 'job_018f0c5e8f3a7c4e9d21f7a1b2c3d4e5',
    map: text,
    state: 'failed',
    keys: 30,
    read: 3,
    storedUntil: '2026-11-24T12:00:00.000Z',
    problem: { code: 'insufficient_scope', detail: text },
    entries: [
      { id: text, type: text, bytes: 3, problem: null },
      { id: 'b', type: null, bytes: null, problem: null },
      { id: 'c', type: null, bytes: null, problem: { code: 'bad_gateway', detail: text } },
    ],
    createdAt: '2026-11-23T12:00:00.000Z',
    startedAt: '2026-11-23T12:00:00.000Z',
    updatedAt: '2026-11-23T12:00:01.000Z',
    endedAt: '2026-11-23T12:00:01.000Z',
  };
}

function drainOf({ text }: Filling): ShownDrain {
  return {
    id: 'job_018f0c5e8f3a7c4e9d21f7a1b2c3d4e5',
    queue: 'mails',
    state: 'interrupted',
    items: 3,
    total: 7,
    bytes: 1234,
    storedUntil: '2026-11-24T12:00:00.000Z',
    startedBy: text,
    problem: { code: 'interrupted', detail: text },
    createdAt: '2026-11-23T12:00:00.000Z',
    endedAt: '2026-11-23T12:00:00.000Z',
  };
}
