/**
 * What members answer to every call that the proxy knows: the community edition of the real engine as its releases
 * 5.3.8 and 5.7.0 do it (read off the wire), and the embedded member where it is meant to differ. The rows are a walk:
 * they run from top to bottom, at a member that has just started.
 */
import { routesOf } from '../../member-proxy/authorization/routes.ts';
import { type Rule, ruleTable } from '../../member-proxy/authorization/rule-table.ts';
import type { WireAnswer } from '../helpers/wire.ts';
import type { Release } from './support/engine-members.ts';

export type Answerer = Release | 'embedded';

export interface EngineRow {
  readonly method: string;
  /** With the first segment of the specification. */
  readonly path: string;
  /** What stands behind the cluster's name and password. */
  readonly positionalFields?: readonly string[];
  /** A value to store, as its own bytes. */
  readonly value?: string;
  readonly type?: string;
  /** As {@link plain} writes it. */
  readonly answer: (who: Answerer) => string;
}

/** One answer for all, or one for all but those named. */
type Answers = string | ({ readonly all: string } & { readonly [who in Answerer]?: string });

/** No answer: the connection ends without a byte. */
export const closed = 'closed';

const rest = '/svc/rest';
const management = `${rest}/management/cluster`;
const cp = `${rest}/cp-subsystem`;
const uuid = 'f47ac10b-58cc-4372-a567-0e02b2c3d479';

const empty = (status: number) => `${status}`;
const json = (status: number, text: string) => `${status} application/json ${text}`;
const success = json(200, '{"status":"success"}');
const failed = (message: string) => json(500, `{"status":"fail","message":"${message}"}`);
const needsEnterprise = (what: string) => failed(`${what} requires Hazelcast Enterprise Edition`);

const licensedCp = failed(
  'CP subsystem is a licensed feature. Please ensure you have an Enterprise license that enables CP.',
);
const noCp = { all: licensedCp, '5.3.8': failed('CP Subsystem is not enabled!') };

const health: readonly EngineRow[] = [
  ...reads(
    '/svc/health',
    json(
      200,
      '{"nodeState":"ACTIVE","clusterState":"ACTIVE","clusterSafe":true,"migrationQueueSize":0,"clusterSize":<n>}',
    ),
    empty(200),
  ),
  ...reads('/svc/health/ready', empty(200), empty(404)),
  ...reads('/svc/health/node-state', json(200, '"ACTIVE"'), empty(404)),
  ...reads('/svc/health/cluster-state', json(200, '"ACTIVE"'), empty(404)),
  ...reads('/svc/health/cluster-safe', empty(200), empty(404)),
  ...reads('/svc/health/migration-queue-size', json(200, '0'), empty(404)),
  ...reads('/svc/health/cluster-size', json(200, '<n>'), empty(404)),
];

const clusterInformation: readonly EngineRow[] = [
  ...reads(
    `${rest}/cluster`,
    {
      all: json(
        200,
        '{"members":[{"address":"[<host>]","liteMember":false,"localMember":<bool>,"uuid":"<uuid>","memberVersion":"<version>"}],"connectionCount":<n>,"allConnectionCount":<n>}',
      ),
      embedded: json(
        200,
        '{"members":[{"address":"<host>","liteMember":false,"localMember":<bool>,"uuid":"<uuid>","memberVersion":"<version>"}],"connectionCount":<n>,"allConnectionCount":<n>}',
      ),
    },
    empty(200),
  ),
  ...reads(`${rest}/instance`, json(200, '{"name":"<name>"}'), empty(200)),
  ...reads(`${management}/version`, json(200, '{"status":"success","version":"<minor>"}'), empty(200)),
];

const clusterManagement: readonly EngineRow[] = [
  ...reads(`${rest}/license`, empty(404), empty(404)),
  ...reads(
    `${rest}/config/tcp-ip/member-list`,
    json(200, '{"status":"success","member-list":["<host>"]}'),
    empty(404),
  ),
  ...writes(`${management}/state`, [], json(200, '{"status":"success","state":"active"}')),
  ...writes(
    `${management}/nodes`,
    [],
    json(200, '{"status":"success","response":"[<members>]\\n<version>\\n<java>"}'),
  ),
  ...writes(`${rest}/config/reload`, [], needsEnterprise('Configuration Reload')),
  // The name of the specification, which the engine does not know: it hangs up.
  ...writes(`${rest}/config/upload`, ['svc: {}'], closed),
  ...writes(`${rest}/config/update`, ['hazelcast: {}'], needsEnterprise('Configuration Update')),
  ...writes(
    `${rest}/config/tcp-ip/member-list`,
    ['127.0.0.1:1'],
    json(
      200,
      '{"status":"success","message":"The member list of TCP-IP join config is updated at run time. ","member-list":["<host>"]}',
    ),
  ),
  ...writes(`${rest}/license`, ['any'], success),
  writeRow('POST', `${management}/changeState`, ['frozen'], changed('frozen')),
  writeRow('POST', `${management}/changeState`, ['frozen'], json(200, '{"status":"fail","state":"frozen"}')),
  writeRow('PUT', `${management}/changeState`, ['ACTIVE'], changed('active')),
  writeRow(
    'POST',
    `${management}/changeState`,
    ['nonsense'],
    failed('No enum constant com.hazelcast.cluster.ClusterState.NONSENSE'),
  ),
  ...writes(`${management}/version`, ['nonsense'], failed('Cannot parse nonsense to ClusterVersion.')),
  ...reads(`${rest}/log-level`, json(200, '{"logLevel":null}'), empty(200)),
  ...writes(
    `${rest}/log-level`,
    ['FINE'],
    json(200, '{"status":"success","message":"log level is changed"}'),
  ),
  ...writes(`${rest}/log-level/reset`, [], json(200, '{"status":"success","message":"log level is reset"}')),
  row('DELETE', `${rest}/log-level`, empty(404)),
];

const persistence: readonly EngineRow[] = [
  ...writes(`${management}/forceStart`, [], json(200, '{"status":"fail"}')),
  ...writes(`${management}/partialStart`, [], json(200, '{"status":"fail"}')),
  ...writes(`${management}/backup`, [], success),
  ...writes(`${management}/backupInterrupt`, [], success),
  ...writes(`${management}/hotBackup`, [], success),
  ...writes(`${management}/hotBackupInterrupt`, [], '200 [b@<hash> {"status":"success"}'),
];

const wan: readonly EngineRow[] = [
  ...reads(
    `${rest}/wan/sync/progress/${uuid}`,
    failed('Wan Sync requires Hazelcast Enterprise Edition.'),
    empty(404),
  ),
  ...writes(`${rest}/wan/sync/map`, ['w', 'p', 'm'], failed('WAN sync for map is not supported.')),
  ...writes(
    `${rest}/wan/consistencyCheck/map`,
    ['w', 'p', 'm'],
    failed('Consistency check is not supported.'),
  ),
  ...writes(`${rest}/wan/sync/allmaps`, ['w', 'p'], failed('WAN sync is not supported.')),
  ...writes(`${rest}/wan/addWanConfig`, ['{}'], failed('Adding new WAN config is not supported.')),
  ...writes(
    `${rest}/wan/clearWanQueues`,
    ['w', 'p'],
    failed('Clearing WAN replication queues is not supported.'),
  ),
  ...writes(`${rest}/wan/pausePublisher`, ['w', 'p'], failed('Pausing WAN replication is not supported.')),
  ...writes(`${rest}/wan/stopPublisher`, ['w', 'p'], failed('Stopping WAN replication is not supported')),
  ...writes(`${rest}/wan/resumePublisher`, ['w', 'p'], failed('Resuming WAN replication is not supported')),
];

const cpSubsystem: readonly EngineRow[] = [
  ...reads(`${cp}/members`, noCp, empty(404)),
  ...reads(`${cp}/members/local`, { ...noCp, all: empty(404) }, empty(404)),
  ...reads(`${cp}/groups`, noCp, empty(404)),
  ...reads(`${cp}/groups/default`, noCp, empty(404)),
  ...reads(`${cp}/groups/default/sessions`, noCp, empty(404)),
  ...writes(`${cp}/members`, [], noCp),
  ...writes(`${cp}/members/${uuid}/remove`, [], noCp),
  ...writes(`${cp}/groups/default/remove`, [], noCp),
  ...writes(`${cp}/groups/METADATA/remove`, [], empty(400)),
  ...writes(`${cp}/groups/default/sessions/7/remove`, [], noCp),
  ...writes(`${cp}/reset`, [], noCp),
  // The specification's name for it.
  ...writes(`${cp}/restart`, [], empty(404)),
];

const missing = (what: string) => ({
  all: json(400, `{"status":"fail","message":"Missing ${what} name"}`),
  embedded: empty(400),
});

const maps: readonly EngineRow[] = [
  row('GET', `${rest}/maps/m/none`, empty(204)),
  valueRow('POST', `${rest}/maps/m/k`, 'first', 'text/plain', empty(200)),
  row('GET', `${rest}/maps/m/k`, '200 text/plain first'),
  row('HEAD', `${rest}/maps/m/k`, empty(200)),
  valueRow('PUT', `${rest}/maps/m/k`, '{"n":1}', 'Application/JSON; Charset=UTF-8', empty(200)),
  row('GET', `${rest}/maps/m/k`, {
    all: '200 application/json; charset=utf-8 {"n":1}',
    embedded: '200 Application/JSON; Charset=UTF-8 {"n":1}',
  }),
  valueRow('POST', `${rest}/maps/m/untyped`, '\u0000\u00ff', undefined, empty(200)),
  row('GET', `${rest}/maps/m/untyped`, '200 \u0000\u00ff'),
  valueRow('POST', `${rest}/maps/m/nothing`, '', 'text/plain', empty(200)),
  row('GET', `${rest}/maps/m/nothing`, '200 text/plain'),
  valueRow('POST', `${rest}/maps/m/a%2Fb`, 'slash', 'text/plain', empty(200)),
  row('GET', `${rest}/maps/m/a/b`, '200 text/plain slash'),
  valueRow('POST', `${rest}/maps/m%40x/who%40where`, 'at', 'text/plain', empty(200)),
  row('GET', `${rest}/maps/m@x/who@where`, '200 text/plain at'),
  // The engine reads form encoding: a plus is a space.
  valueRow('POST', `${rest}/maps/m/a+b`, 'plus', 'text/plain', empty(200)),
  row('GET', `${rest}/maps/m/a%20b`, { all: '200 text/plain plus', embedded: empty(204) }),
  row('GET', `${rest}/maps/m/k/`, {
    all: '200 application/json; charset=utf-8 {"n":1}',
    embedded: '200 Application/JSON; Charset=UTF-8 {"n":1}',
  }),
  row('GET', `${rest}/maps/m`, empty(400)),
  row('HEAD', `${rest}/maps/m`, { all: empty(200), embedded: empty(404) }),
  valueRow('POST', `${rest}/maps/m`, 'x', 'text/plain', missing('map')),
  valueRow('PUT', `${rest}/maps/m`, 'x', 'text/plain', missing('map')),
  row('DELETE', `${rest}/maps/m/k`, empty(200)),
  row('GET', `${rest}/maps/m/k`, empty(204)),
  row('DELETE', `${rest}/maps/m/k`, empty(200)),
  row('DELETE', `${rest}/maps/m/`, empty(200)),
  row('GET', `${rest}/maps/m/nothing`, '200 text/plain'),
  row('DELETE', `${rest}/maps/m`, empty(200)),
  row('GET', `${rest}/maps/m/nothing`, empty(204)),
];

const queues: readonly EngineRow[] = [
  row('GET', `${rest}/queues/q/size`, '200 text/plain 0'),
  row('HEAD', `${rest}/queues/q/size`, empty(200)),
  valueRow('POST', `${rest}/queues/q`, 'one', 'text/plain', empty(200)),
  valueRow('PUT', `${rest}/queues/q`, '{"n":2}', 'application/json', empty(200)),
  valueRow('POST', `${rest}/queues/q/three`, 'ignored', 'application/json', empty(200)),
  valueRow('PUT', `${rest}/queues/q/four`, 'ignored', undefined, empty(200)),
  row('GET', `${rest}/queues/q/size`, '200 text/plain 4'),
  row('HEAD', `${rest}/queues/q/0`, empty(200)),
  row('HEAD', `${rest}/queues/q`, empty(200)),
  row('GET', `${rest}/queues/q/0`, '200 text/plain one'),
  row('DELETE', `${rest}/queues/q/0`, {
    all: '200 application/json {"n":2}',
    embedded: '200 text/plain {"n":2}',
  }),
  row('DELETE', `${rest}/queues/q/5`, '200 text/plain three'),
  row('GET', `${rest}/queues/q/5`, '200 text/plain four'),
  row('GET', `${rest}/queues/q/0`, empty(204)),
  row('DELETE', `${rest}/queues/q/1`, empty(204)),
  row('GET', `${rest}/queues/q`, empty(400)),
  row('DELETE', `${rest}/queues/q`, empty(400)),
  row('GET', `${rest}/queues/q/x`, { all: failed('For input string: \\"x\\"'), embedded: empty(400) }),
  row('DELETE', `${rest}/queues/q/x`, { all: empty(500), embedded: empty(400) }),
  row('GET', `${rest}/queues/q/2147483648`, {
    all: failed('For input string: \\"2147483648\\"'),
    embedded: empty(400),
  }),
];

/** The member that takes these does not stay: they come last. */
export const shutdownRows: readonly EngineRow[] = [
  writeRow('POST', `${management}/memberShutdown`, [], success),
  writeRow('PUT', `${management}/memberShutdown`, [], success),
  writeRow('POST', `${management}/clusterShutdown`, [], success),
  writeRow('PUT', `${management}/clusterShutdown`, [], success),
];

/** What the embedded member answers too. */
export const dataAndInformation: readonly EngineRow[] = [
  ...health,
  ...clusterInformation,
  ...maps,
  ...queues,
];

export const engineTable: readonly EngineRow[] = [
  ...dataAndInformation,
  ...clusterManagement,
  ...persistence,
  ...wan,
  ...cpSubsystem,
];

const routeOf = routesOf(ruleTable);

/** The rule that lets a row's call through the proxy. */
export function ruleOf({ method, path }: Pick<EngineRow, 'method' | 'path'>): Rule {
  return routeOf(path)!.byMethod.get(method)!;
}

/** What the console makes of a row's call: names of the specification are sent under the engine's own. */
export function throughConsole(row: EngineRow, who: Release): string {
  const { atEngine } = ruleOf(row);
  if (atEngine === undefined) return row.answer(who);
  const { method = row.method, path } = atEngine;
  return engineTable.find((one) => one.method === method && one.path === path)!.answer(who);
}

/** The body that a row's call has when it names the cluster by itself. */
export function bodyOf({ positionalFields, value }: EngineRow, name = 'dev'): string | undefined {
  return positionalFields ? [name, '', ...positionalFields.map(encodeURIComponent)].join('&') : value;
}

/**
 * An answer in one line, without what differs from start to start: `status type body`, what is empty left out.
 *
 * @param version  of the member that answered
 */
export function plain({ status, type, body }: WireAnswer, version: string): string {
  if (status === 0) return closed;
  const minor = version.replace(/\.\d+$/, '');
  const text = body
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/127\.0\.0\.1\]?:\d+/g, (found) => (found.includes(']') ? '<host>]' : '<host>'))
    .replaceAll(/("(?:connectionCount|allConnectionCount|clusterSize)":)\d+/g, '$1<n>')
    .replaceAll(/"localMember":(?:true|false)/g, '"localMember":<bool>')
    .replace(/"name":"[^"]+"/, '"name":"<name>"')
    .replace(`"version":"${minor}"`, '"version":"<minor>"')
    .replaceAll(`"memberVersion":"${version}"`, '"memberVersion":"<version>"')
    .replace(`\\n${version}\\n`, '\\n<version>\\n')
    .replace(/\\n\d+\.[\d.]+"/, '\\n<java>"')
    .replace(/(?:Member \[<host>\] - <uuid>(?: this)?(?:, )?)+/, '<members>')
    // However many members there are, they look alike.
    .replace(/(\{"address":[^}]+\})(?:,\1)+/, '$1')
    .replace(/("<host>")(?:,"<host>")+/, '$1');
  if (type === 'application/json' && /^[1-9]\d*$/.test(body)) return `${status} ${type} <n>`;
  const kind = type?.replace(/^\[b@[0-9a-f]+$/i, '[b@<hash>');
  return [String(status), kind, text].filter((part) => part !== undefined && part !== '').join(' ');
}

function row(method: string, path: string, answers: Answers): EngineRow {
  return { method, path, answer: (who) => answerOf(answers, who) };
}

function valueRow(
  method: string,
  path: string,
  value: string,
  type: string | undefined,
  answers: Answers,
): EngineRow {
  return { ...row(method, path, answers), value, ...(type !== undefined && { type }) };
}

function writeRow(
  method: string,
  path: string,
  positionalFields: readonly string[],
  answers: Answers,
): EngineRow {
  return { ...row(method, path, answers), positionalFields };
}

function reads(path: string, get: Answers, head: Answers): EngineRow[] {
  return [row('GET', path, get), row('HEAD', path, head)];
}

/** A member takes `PUT` for `POST`. */
function writes(path: string, positionalFields: readonly string[], answers: Answers): EngineRow[] {
  return ['POST', 'PUT'].map((method) => writeRow(method, path, positionalFields, answers));
}

function changed(state: string): string {
  return json(200, `{"status":"success","state":"${state}"}`);
}

function answerOf(answers: Answers, who: Answerer): string {
  return typeof answers === 'string' ? answers : (answers[who] ?? answers.all);
}
