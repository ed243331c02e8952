/**
 * Every way in which some member might read a request target, and whether one of them is a write.
 * Independent of the proxy's own code on purpose: this is what it is judged by.
 */
export function isWriteInSomeReading(method: string, target: string): boolean {
  return readings(target).some((path) => isWrite(method, path));
}

function readings(target: string): string[] {
  let texts = new Set([target, target.split('?')[0]!, target.split('#')[0]!]);
  for (let round = 0; round < 3; round += 1) {
    texts = new Set([...texts].flatMap((text) => [text, ...transforms.map((apply) => apply(text))]));
  }
  return [...texts];
}

const transforms: readonly ((text: string) => string)[] = [
  (text) =>
    text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  (text) => text.replaceAll('+', ' '),
  (text) => text.replaceAll('\\', '/'),
  (text) => text.replaceAll(/\/{2,}/g, '/'),
  (text) => text.replaceAll(/;[^/]*/g, ''),
  (text) => text.replaceAll(/[\0-\x20].*$/gs, ''),
  (text) => text.toLowerCase(),
  (text) => text.replace(/^https?:\/\/[^/]*/i, ''),
  resolveDots,
];

function resolveDots(text: string): string {
  const remaining: string[] = [];
  for (const segment of text.split('/')) {
    if (segment === '..') {
      remaining.pop();
    } else if (segment !== '.') {
      remaining.push(segment);
    }
  }
  return `/${remaining.join('/').replace(/^\/+/, '')}`;
}

function isWrite(method: string, path: string): boolean {
  const [, , area = '', ...rest] = path.split('/');
  const inner = rest.join('/');
  if (area.toLowerCase() !== 'rest') {
    return method !== 'GET' && method !== 'HEAD';
  }
  if (method === 'GET' || method === 'HEAD') {
    return /^queues(?:\/|$)/i.test(inner) && isPoll(inner.slice('queues/'.length));
  }
  return !(method === 'POST' || method === 'PUT') || !/^management\/cluster\/(?:state|nodes)/.test(inner);
}

/** As the real engine takes a queue's path apart (docs/member-surface.md#queues): the name ends at the first slash. */
function isPoll(path: string): boolean {
  const slash = path.indexOf('/');
  const asked = slash === -1 ? '' : path.slice(slash + 1);
  return asked === '' || /^[+-]?\d+\/?$/.test(asked.trim());
}
