import type { Rule } from './rule-table.ts';

/** What is known about one path: which rule each of its methods follows. */
export interface Route {
  readonly byMethod: ReadonlyMap<string, Rule>;
  /** The value of an `Allow` field (RFC 9110 §10.2.1). */
  readonly allow: string;
}

interface Node {
  readonly literals: Map<string, Node>;
  /** One segment of any text that is not empty. */
  segment?: Node;
  /** Everything from here on. */
  rest?: Node;
  route?: Route;
}

/**
 * Builds the matcher of a rule table: a walk over the segments of a path, literals before
 * parameters, case-sensitive, nothing decoded.
 *
 * @returns the route of a path, one trailing slash being ignored
 */
export function routesOf(rules: readonly Rule[]): (path: string) => Route | undefined {
  const root = newNode();
  for (const rule of rules) {
    const node = nodeFor(root, rule.template);
    node.route = withRule(node.route, rule);
  }
  return (path) => walk(root, path);
}

function withRule(route: Route | undefined, rule: Rule): Route {
  const byMethod = new Map(route?.byMethod);
  for (const method of rule.methods) {
    byMethod.set(method, rule);
  }
  return { byMethod, allow: [...byMethod.keys()].join(', ') };
}

function nodeFor(root: Node, template: string): Node {
  let node = root;
  for (const part of template.slice(1).split('/')) {
    node = childFor(node, part);
  }
  return node;
}

function childFor(node: Node, part: string): Node {
  if (part.endsWith('...}')) {
    node.rest ??= newNode();
    return node.rest;
  }
  if (part.startsWith('{')) {
    node.segment ??= newNode();
    return node.segment;
  }
  let child = node.literals.get(part);
  if (child === undefined) {
    child = newNode();
    node.literals.set(part, child);
  }
  return child;
}

function newNode(): Node {
  return { literals: new Map() };
}

function walk(root: Node, path: string): Route | undefined {
  const end = path.endsWith('/') ? path.length - 1 : path.length;
  let node = root;
  let start = 1;
  while (start <= end) {
    if (node.rest !== undefined) {
      return node.rest.route;
    }
    const slash = path.indexOf('/', start);
    const stop = slash === -1 || slash > end ? end : slash;
    const next = stop > start ? (node.literals.get(path.slice(start, stop)) ?? node.segment) : undefined;
    if (next === undefined) {
      return undefined;
    }
    node = next;
    start = stop + 1;
  }
  return node.route;
}
