import { describe, expect, test } from 'vitest';
import { MemberConfigError } from '../../member/config/config-error.ts';
import { loadMemberConfig } from '../../member/config/load.ts';

function problemsOf(content: string | Uint8Array): readonly string[] {
  try {
    loadMemberConfig(content, { file: 'member.conf' });
  } catch (error) {
    if (error instanceof MemberConfigError) return error.problems;
    throw error;
  }
  return [];
}

/** Nine levels of nine: 387 million nodes, were they counted out. */
const bomb = Array.from({ length: 9 }, (_, level) => {
  const items =
    level === 0
      ? 'x'
      : Array(9)
          .fill(`*a${level - 1}`)
          .join(', ');
  return `  a${level}: &a${level} [${items}]`;
}).join('\n');

const entities = '<!DOCTYPE svc [<!ENTITY a "xxxx"><!ENTITY b "&a;&a;&a;">]>';

describe('what is no configuration is refused with its line', () => {
  test.each([
    { name: 'YAML that breaks off', content: 'svc:\n  map: {\n', says: /^member\.conf:3: / },
    { name: 'a tab for indentation', content: 'svc:\n\tmap: {}\n', says: /^member\.conf:2: .*[Tt]ab/ },
    {
      name: 'a key that is there twice',
      content: 'svc:\n  queue: {}\n  queue: {}\n',
      says: /^member\.conf:3: .*unique/,
    },
    {
      name: 'a map called as the prototype of all objects',
      content: 'svc:\n  map:\n    __proto__: {}\n',
      says: /^member\.conf:3: svc\.map\.__proto__: no name/,
    },
    {
      name: 'the same in XML',
      content: '<hazelcast>\n<map name="__proto__"/></hazelcast>',
      says: /^member\.conf:2: hazelcast\.map\.__proto__: no name/,
    },
    { name: 'aliases that multiply', content: `svc:\n${bomb}\n`, says: /alias/i },
    { name: 'an alias of itself', content: 'svc: &a\n  map: *a\n', says: /^member\.conf:\d+: / },
    { name: 'an alias of nothing', content: 'svc:\n  map: *nobody\n', says: /^member\.conf:\d+: / },
    { name: 'lists without end', content: `svc: ${'['.repeat(100_000)}`, says: /^member\.conf:1: / },
    { name: 'two documents', content: 'svc: {}\n---\nsvc: {}\n', says: /^member\.conf:\d: .*documents/ },
    { name: 'a tag of its own', content: 'svc: !!js/function "f"\n', says: /^member\.conf:1: / },
    { name: 'a list', content: '- svc\n', says: /^member\.conf:1: the file: expected the key svc/ },
    { name: 'a text', content: 'hello', says: /^member\.conf:1: the file: expected the key svc/ },
    { name: 'JSON of something else', content: '{"a": 1}', says: /^member\.conf:1: a: unknown key/ },
    {
      name: 'a section that is a list',
      content: 'svc: [1]\n',
      says: /^member\.conf:1: svc: expected object/,
    },
    {
      name: 'both sections',
      content: 'svc: {}\nhazelcast: {}\n',
      says: /^member\.conf:2: hazelcast: .*keep one/,
    },
    {
      name: 'the key __proto__',
      content: 'svc: { __proto__: { a: 1 } }\n',
      says: /^member\.conf:1: svc\.__proto__: unknown key/,
    },
    {
      name: 'the element constructor',
      content: '<svc><constructor/></svc>',
      says: /svc\.constructor: unknown key/,
    },
    { name: 'a NUL', content: 'svc: {}\0', says: /^member\.conf: no text in UTF-8/ },
    {
      name: 'bytes',
      content: new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0xff, 0xfe]),
      says: /^member\.conf: no text/,
    },
    { name: 'UTF-16', content: Buffer.from('\ufeffsvc: {}', 'utf16le'), says: /^member\.conf: no text/ },
    {
      name: 'a file without end',
      content: `svc: {}\n#${'x'.repeat(1024 * 1024)}`,
      says: /^member\.conf: larger than/,
    },
    { name: 'XML that breaks off', content: '<svc>\n  <map name="a">\n', says: /^member\.conf:1: / },
    { name: 'XML that crosses', content: '<svc>\n<map name="a">\n</svc></map>', says: /^member\.conf:3: / },
    { name: 'an attribute without quotes', content: '<svc>\n<map name=a/></svc>', says: /^member\.conf:2: / },
    {
      name: 'an attribute that is there twice',
      content: '<svc>\n<map name="a" name="b"/></svc>',
      says: /^member\.conf:2: /,
    },
    {
      name: 'a bare &',
      content: '<svc>\n<cluster-name>a & b</cluster-name></svc>',
      says: /^member\.conf:2: .*&amp;/,
    },
    {
      name: 'entities',
      content: `${entities}\n<svc><cluster-name>&b;</cluster-name></svc>`,
      says: /^member\.conf:1: a DOCTYPE/,
    },
    {
      name: 'a file of the machine',
      content: '<!doctype svc [<!ENTITY a SYSTEM "file:///etc/passwd">]><svc/>',
      says: /a DOCTYPE/,
    },
    {
      name: 'a DOCTYPE within',
      content: '<svc>\n<!DOCTYPE svc>\n</svc>',
      says: /^member\.conf:2: a DOCTYPE/,
    },
    {
      name: 'a DOCTYPE behind a comment',
      content: '<!-- <svc> -->\n<!DOCTYPE svc><svc/>',
      says: /^member\.conf:2: a DOCTYPE/,
    },
    { name: 'text behind the end', content: '<svc/>\nhello', says: /^member\.conf:2: text behind/ },
    { name: 'two roots', content: '<svc/>\n<svc/>', says: /^member\.conf:2: / },
    { name: 'another root', content: '<beans/>', says: /^member\.conf:1: the root element is .*not <beans>/ },
    { name: 'nothing but a comment', content: '<!-- svc -->', says: /^member\.conf:1: / },
    {
      name: 'an element without end',
      content: `<svc>${'<a>'.repeat(5000)}${'</a>'.repeat(5000)}</svc>`,
      says: /nested too deep/,
    },
    {
      name: 'text between elements',
      content: '<svc>\n<network>on</network></svc>',
      says: /^member\.conf:2: svc\.network: text where/,
    },
    {
      name: 'a map without a name',
      content: '<svc>\n<map/></svc>',
      says: /^member\.conf:2: svc\.map: an entry without a name/,
    },
    {
      name: 'a map that is there twice',
      content: '<svc><map name="a"/>\n<map name="a"/></svc>',
      says: /^member\.conf:2: svc\.map\.a: is there twice/,
    },
    {
      name: 'an element that is there twice',
      content: '<svc><network/>\n<network/></svc>',
      says: /^member\.conf:2: svc\.network: is there twice/,
    },
    {
      name: 'an unknown element',
      content: '<svc>\n<map name="a"><ttl>1</ttl></map></svc>',
      says: /^member\.conf:2: svc\.map\.a\.ttl: unknown key/,
    },
    {
      name: 'an unknown attribute',
      content: '<svc>\n<map name="a" ttl="1"/></svc>',
      says: /^member\.conf:2: svc\.map\.a\.ttl: unknown key/,
    },
    {
      name: 'a number that is none',
      content: '<svc>\n<queue name="q"><max-size>0x10</max-size></queue></svc>',
      says: /^member\.conf:2: svc\.queue\.q\.max-size: expected number/,
    },
    {
      name: 'a switch that is none',
      content: '<svc><network>\n<rest-api enabled="yes"/></network></svc>',
      says: /^member\.conf:2: svc\.network\.rest-api\.enabled: expected boolean/,
    },
    {
      name: 'a value with children',
      content: '<svc><cluster-name>\n<a/></cluster-name></svc>',
      says: /^member\.conf:1: svc\.cluster-name: expected string/,
    },
  ])('$name', ({ content, says }) => {
    const problems = problemsOf(content);
    expect(problems).not.toEqual([]);
    expect(problems[0]).toMatch(says);
    for (const problem of problems) expect(problem).not.toContain('\n');
  });
});

describe('a value that the member cannot do anything with is refused', () => {
  test.each([
    { text: 'network: { port: { port: 70000 } }', path: 'network.port.port' },
    { text: 'network: { port: { port: 5701.5 } }', path: 'network.port.port' },
    { text: 'network: { port: { port: "5701" } }', path: 'network.port.port' },
    { text: 'network: { rest-api: { enabled: yes } }', path: 'network.rest-api.enabled' },
    { text: 'map: { "a*b*": {} }', path: 'map.a*b*' },
    { text: 'map: { "": {} }', path: 'map.' },
    { text: 'map: { m: { max-idle-seconds: 2147483648 } }', path: 'map.m.max-idle-seconds' },
    {
      text: 'map: { m: { eviction: { max-size-policy: USED_NATIVE_MEMORY_SIZE } } }',
      path: 'map.m.eviction.max-size-policy',
    },
    {
      text: 'map: { m: { eviction: { max-size-policy: USED_HEAP_PERCENTAGE, size: 101 } } }',
      path: 'map.m.eviction.size',
    },
    { text: 'map: { m: { merkle-tree: { depth: 28 } } }', path: 'map.m.merkle-tree.depth' },
    { text: 'map: { m: { hot-restart: {}, data-persistence: {} } }', path: 'map.m.hot-restart' },
    { text: 'queue: { q: { max-size: -1 } }', path: 'queue.q.max-size' },
    { text: 'persistence: { durability: maybe }', path: 'persistence.durability' },
    {
      text: 'cp-subsystem: { session-heartbeat-interval-seconds: 300 }',
      path: 'cp-subsystem.session-heartbeat-interval-seconds',
    },
    { text: 'wan-replication: { w: { batch-publisher: {} } }', path: 'wan-replication.w.batch-publisher' },
    {
      text: 'wan-replication: { w: { batch-publisher: { p: { target-endpoints: localhost } } } }',
      path: 'wan-replication.w.batch-publisher.p.target-endpoints',
    },
    {
      text: 'wan-replication: { w: { batch-publisher: { p: { target-endpoints: "a:1,b:99999" } } } }',
      path: 'wan-replication.w.batch-publisher.p.target-endpoints',
    },
    {
      text: 'wan-replication: { w: { batch-publisher: { p: { target-endpoints: "a:1" }, q: { publisher-id: p, target-endpoints: "a:1" } } } }',
      path: 'wan-replication.w.batch-publisher.q',
    },
    {
      text: 'advanced-network: { rest-server-socket-endpoint-config: { endpoint-groups: { data: { enabled: true } } } }',
      path: 'advanced-network.rest-server-socket-endpoint-config.endpoint-groups.data',
    },
    { text: 'security: { enabled: true }', path: 'security.enabled' },
    {
      text: 'security: { enabled: true, realms: [{ name: r }], member-authentication: { realm: r } }',
      path: 'security.member-authentication.realm',
    },
    {
      text: 'security: { enabled: true, realms: [{ name: r }], member-authentication: { realm: s } }',
      path: 'security.member-authentication.realm',
    },
    {
      text: 'security: { realms: [{ name: r, authentication: { simple: { users: [{ username: u, password: "" }] } } }] }',
      path: 'security.realms.0.authentication.simple.users.0.password',
    },
    {
      text: 'security: { realms: [{ name: r, authentication: { simple: { users: [{ username: u, password: p }, { username: u, password: q }] } } }] }',
      path: 'security.realms.0.authentication.simple.users.1.username',
    },
  ])('$text', ({ text, path }) => {
    expect(problemsOf(`svc:\n  ${text}\n`).map((problem) => problem.split(': ', 2).join(': '))).toEqual([
      `member.conf:2: svc.${path}`,
    ]);
  });

  test('no message has a password in it', () => {
    const broken = [
      'svc: { security: { realms: [{ name: r, authentication: { simple: { users: [{ username: u, password: [s3cret] }] } } }] } }',
      'svc: { license-key: s3cret "s3cret" }',
      'svc: {license-key: "s3cret" x}',
      '<svc><security><realms><realm name="r"><authentication><simple><user username="u" password=s3cret/></simple></authentication></realm></realms></security></svc>',
    ];
    for (const text of broken) {
      const problems = problemsOf(text);
      expect(problems).not.toEqual([]);
      expect(problems.join()).not.toContain('s3cret');
    }
  });
});

describe('XML of 64 KiB that is made to be slow is refused at once (S90) (D5)', () => {
  const bytes = 64 * 1024;
  const filled = (chunk: string) => chunk.repeat(Math.ceil(bytes / chunk.length)).slice(0, bytes);
  test.each([
    ['a name without an end', `<${filled('a')}`],
    ['a tag without an end', `<a ${filled('b ')}`],
    ['quotes of two kinds', `<a${filled(`'"`)}`],
    ['quotes that are not closed', `<hazelcast>${filled('<a b="')}`],
    ['values without a tag’s end', `<a ${filled('b="c" ')}`],
    ['tags without an end', filled('<a ')],
    ['angle brackets', filled('<')],
    ['closing tags', filled('</a>')],
    ['elements that nobody closes', filled('<a>')],
    ['the same on lines of their own', filled('<a>\n')],
    ['elements within elements', `${filled('<a>').slice(0, bytes / 2)}</a>`],
    ['instructions', filled('<?a?>')],
    ['comments that are not closed', filled('<!--')],
    ['ampersands', `<a>${filled('&#')}`],
    ['spaces in a tag', `<a${filled(' ')}`],
  ])('%s', (_name, content) => {
    const started = performance.now();
    expect(problemsOf(content).length).toBeGreaterThan(0);
    // Seconds before; now well below a tenth of one, on a machine that is not busy.
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
