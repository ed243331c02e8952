import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndpointGroup } from '../platform/endpoint-groups.ts';
import { groupsOwning } from './config/endpoint-groups.ts';
import { replyEmpty } from './replies.ts';

/** One request and its reply. */
export interface Call {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Template of its route, once there is one: for the log, in place of the path, whose names and keys are the callers' own. */
  endpoint?: string | undefined;
  /** Why it was refused with an empty body, for the log. */
  rejection?: string | undefined;
}

/** Answers a call; the names that the path template holds follow in their order, decoded, never empty. */
export type Handler = (call: Call, ...names: string[]) => void | Promise<void>;

export type Method = 'GET' | 'HEAD' | 'POST' | 'DELETE';

export interface Route {
  /** `POST` stands for `PUT` too, on every path, as in the real engine. */
  readonly method: Method;
  /**
   * What follows the first segment and its slash: fixed segments, `{name}` for one segment, and last
   * `{name...}` for all that is left. A trailing slash in it is meant; otherwise one is ignored (docs/member-surface.md#names-and-keys).
   */
  readonly template: string;
  /** Of several groups any one that is on opens the route. */
  readonly group: EndpointGroup | readonly EndpointGroup[];
  readonly handler: Handler;
}

export interface RouterOptions {
  readonly routes: readonly Route[];
  /** The groups that are on; none at all when REST is off. */
  readonly groups: ReadonlySet<EndpointGroup>;
  /** Longest decoded name, in bytes. */
  readonly nameBytes: number;
  /** Before the member has started, what works on its data is 503. */
  readonly hasStarted: () => boolean;
  /** Hears of each call that has a route, while `isOn`. */
  readonly trace: CallTrace;
}

export interface CallTrace {
  readonly isOn: boolean;
  /** @param template  of the route, not the path: names and keys are the callers' own */
  follow(call: Call, template: string): void;
}

/**
 * Finds and calls the handler of a request. What a request need not decide is decided here, once:
 * routes of a group that is off are in the tree with a handler that refuses.
 *
 * A group that is off is 403, an unknown path or method 404, a path part that is missing or no
 * percent-encoded UTF-8 is 400, one that is too long 413; all with an empty body (docs/member-surface.md#errors).
 */
export function createRouter({ routes, groups, nameBytes, hasStarted, trace }: RouterOptions): Handler {
  const trees = buildTrees(
    routes.map((route) => (isIn(groups, route) ? route : { ...route, handler: switchedOff })),
  );

  const restIsOff = 'REST is off; network.rest-api.enabled: true turns it on';

  function reasonOf(owners: EndpointGroup | readonly EndpointGroup[]): string {
    if (groups.size === 0) return restIsOff;
    const [group] = typeof owners === 'string' ? [owners] : owners;
    return `the endpoint group ${group} is off; network.rest-api.endpoint-groups.${group}.enabled: true turns it on`;
  }

  return (call) => dispatch(call, call.req.url ?? '');

  function dispatch(call: Call, target: string): void | Promise<void> {
    const { method = '' } = call.req;
    const query = target.indexOf('?');
    const path = query === -1 ? target : target.slice(0, query);
    const start = afterFirstSegment(path);
    if (start === -1) {
      const afterAuthority = absoluteForm.exec(target)?.[1];
      if (afterAuthority !== undefined) return dispatch(call, afterAuthority);
      if (groups.size > 0) return replyEmpty(call.res, 404);
      return reject(call, restIsOff);
    }

    const match = find(trees.get(method), path, start);
    if (match === undefined) {
      const owners = groupsOwning(method, path.slice(start));
      if (owners.some((group) => groups.has(group))) return replyEmpty(call.res, 404);
      return reject(call, reasonOf(owners));
    }
    const { route, parts } = match;
    call.endpoint = route.template;
    if (trace.isOn) trace.follow(call, route.template);
    if (route.handler === switchedOff) return reject(call, reasonOf(route.group));
    if (!hasStarted() && isIn(dataGroups, route)) return replyEmpty(call.res, 503);
    // A data call has no query; an unescaped `?` in a key must not address another entry.
    if (query !== -1 && route.group === 'DATA') return replyEmpty(call.res, 400);

    const isEncoded = notPlain.test(path);
    for (let i = 0; i < parts.length; i += 1) {
      const name = isEncoded ? decodeName(parts[i]!) : parts[i];
      if (name === undefined || name === '') return replyEmpty(call.res, 400);
      if (isLongerThan(name, nameBytes)) return replyEmpty(call.res, 413);
      parts[i] = name;
    }
    return route.handler(call, ...parts);
  }
}

/**
 * `http://host/path`, which a server must take as well; whatever the host, as with the field `Host`
 * (RFC 9112 §3.2.2). An empty host and user information are invalid (RFC 9110 §4.2.1, §4.2.4).
 */
const absoluteForm = /^http:\/\/[^/?#@]+(\/.*)$/i;

function afterFirstSegment(path: string): number {
  if (path.startsWith('/svc/')) return '/svc/'.length;
  return path.startsWith('/hazelcast/') ? '/hazelcast/'.length : -1;
}

/** What a group that is off answers. */
function reject(call: Call, reason: string): void {
  call.rejection = reason;
  replyEmpty(call.res, 403);
}

/** Stands in for the handler of a route whose groups are off; the router knows it and never calls it. */
function switchedOff(call: Call): void {
  reject(call, 'its endpoint group is off');
}

function isIn(groups: ReadonlySet<EndpointGroup>, { group }: Route): boolean {
  return typeof group === 'string' ? groups.has(group) : group.some((each) => groups.has(each));
}

/** What waits for the member's start; the others say how it is, or help it out of there. */
const dataGroups: ReadonlySet<EndpointGroup> = new Set<EndpointGroup>(['DATA', 'WAN', 'CP']);

interface Tree {
  readonly fixed: Map<string, Tree>;
  name: Tree | undefined;
  /** The route whose last part takes all that is left. */
  rest: Route | undefined;
  route: Route | undefined;
}

function buildTrees(routes: readonly Route[]): ReadonlyMap<string, Tree> {
  const trees = new Map<string, Tree>();
  for (const route of routes) {
    const root = trees.get(route.method) ?? newTree();
    trees.set(route.method, root);
    addRoute(root, route);
  }
  const post = trees.get('POST');
  if (post !== undefined) trees.set('PUT', post);
  return trees;
}

function addRoute(root: Tree, route: Route): void {
  let tree = root;
  for (const segment of route.template.split('/')) {
    if (segment.endsWith('...}')) {
      tree.rest = route;
      return;
    }
    tree = segment.startsWith('{') ? nameChild(tree) : fixedChild(tree, segment);
  }
  tree.route = route;
}

function nameChild(tree: Tree): Tree {
  tree.name ??= newTree();
  return tree.name;
}

function fixedChild(tree: Tree, segment: string): Tree {
  const child = tree.fixed.get(segment) ?? newTree();
  tree.fixed.set(segment, child);
  return child;
}

function newTree(): Tree {
  return { fixed: new Map(), name: undefined, rest: undefined, route: undefined };
}

interface Match {
  readonly route: Route;
  /** The raw path parts that the template names. */
  readonly parts: string[];
}

/** Walks the raw path, so that an encoded slash separates nothing and fixed segments match letter by letter. */
function find(root: Tree | undefined, path: string, start: number): Match | undefined {
  const parts: string[] = [];
  let tree = root;
  let from = start;
  while (tree !== undefined && from < path.length) {
    const slash = path.indexOf('/', from);
    const end = slash === -1 ? path.length : slash;
    const segment = path.slice(from, end);
    const fixed = segment === '' || tree.fixed.size === 0 ? undefined : tree.fixed.get(segment);
    if (fixed === undefined && tree.rest !== undefined) {
      parts.push(path.slice(from, path.endsWith('/') ? -1 : undefined));
      return { route: tree.rest, parts };
    }
    if (fixed === undefined) parts.push(segment);
    tree = fixed ?? tree.name;
    from = end + 1;
  }
  const endsInSlash = from === path.length;
  const route = (endsInSlash ? tree?.fixed.get('')?.route : undefined) ?? tree?.route;
  return route && { route, parts };
}

/** Decodes exactly once; `+` stays `+`. `undefined` for anything but percent-encoded UTF-8 (docs/member-surface.md#names-and-keys). */
function decodeName(raw: string): string | undefined {
  if (beyondAscii.test(raw)) return undefined;
  if (!raw.includes('%')) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}

const beyondAscii = /[^\x21-\x7e]/;
/** Also an escape. */
const notPlain = /[^\x21-\x24\x26-\x7e]/;

function isLongerThan(name: string, bytes: number): boolean {
  return name.length * 3 > bytes && Buffer.byteLength(name) > bytes;
}
