/** Addresses of the console stand in one `module.ts` each, of a feature or of a group of pages, with what is checked before their handlers. */
import { describe, expect, test } from 'vitest';
import { basePath } from '../../console/admin-api/http/operation-paths.ts';
import { operations } from '../../console/admin-api/table.ts';
import { siteMap } from '../../console/pages/site-map.ts';
import { read, sources } from './sources.ts';

interface Route {
  readonly path: string;
  readonly method: string;
  readonly line: readonly string[];
  readonly file: string;
}

const routeLine =
  /\b(?:router|api)\.(get|post|patch|delete|all|oauth)\(\s*(?:'([^']+)'|(routes\.\w+)),([^;]*?)\);/g;
const ofLibrary: Readonly<Record<string, string>> = { 'routes.authorization': '/oauth2/authorize' };

const modules = sources.filter(({ path }) => /^console\/(?:pages\/)?[\w-]+\/module\.ts$/.test(path));
const routes: readonly Route[] = modules.flatMap(({ path: file, text }) =>
  [...text.matchAll(routeLine)].map(([, method, path, named, rest]) => ({
    file,
    method: method!.toUpperCase(),
    path: (path ?? ofLibrary[named!]!).replace(/:(\w+)/g, '{$1}').replace(/\{provider\}/g, '{idp}'),
    line: rest!.split(/,\s*/).map((step) => step.trim()),
  })),
);

/** The table of operations is a module of its own. */
const ofOperations: readonly Route[] = operations.map(({ method, path }) => ({
  file: 'console/admin-api/table.ts',
  method,
  path: basePath + path,
  line: [],
}));
const nameless = (path: string) => path.replace(/\{\w+\}/g, '{}');

describe('addresses', () => {
  const members = /^\/(?:svc|members|hazelcast)\//;
  const section = read('docs/surface.md').split('\n## Addresses\n')[1]!.split('\n## ')[0]!;
  const promised = [...section.matchAll(/`(GET|POST|PATCH|PUT|DELETE) (\/\S*)`/g)]
    .map(([, method, path]) => ({ method: method!, path: path! }))
    .filter(({ path }) => !members.test(path));

  test('that are promised stand in exactly one module each', () => {
    expect(promised.length).toBeGreaterThan(40);
    const found = promised.map(({ method, path }) => ({
      method,
      path,
      files: [...routes, ...ofOperations]
        .filter(
          (route) =>
            nameless(route.path) === nameless(path) && [method, 'ALL', 'OAUTH'].includes(route.method),
        )
        .map(({ file }) => file),
    }));
    expect(found.filter(({ files }) => files.length !== 1)).toEqual([]);
  });

  test('of operations are all promised', () => {
    const known = new Set(promised.map(({ method, path }) => `${method} ${nameless(path)}`));
    const silent = ofOperations.map(({ method, path }) => `${method} ${nameless(path)}`);
    expect(silent.filter((address) => !known.has(address))).toEqual([]);
  });

  test('are added nowhere else', () => {
    const elsewhere = sources
      .filter(({ path }) => path.startsWith('console/') && !modules.some((module) => module.path === path))
      .flatMap(({ path, text }) => [...text.matchAll(routeLine)].map(([line]) => `${path}: ${line}`));
    expect(elsewhere).toEqual(["console/app/pages.ts: router.get('/static/:name', sendStatic);"]);
  });
});

describe('management pages', () => {
  test('stand in the column for who may run their operation, which is a list or what the page shows', () => {
    const asked = operations.filter(({ method }) => method === 'GET');
    for (const { href, needs } of siteMap.flatMap(({ pages }) => pages)) {
      const fitting = asked.filter(
        ({ object, access }) => object === needs.object && access === needs.access,
      );
      expect([href, fitting.length > 0]).toEqual([href, true]);
    }
  });

  test('are at addresses that have a route', () => {
    const paths = new Set(routes.filter(({ method }) => method === 'GET').map(({ path }) => path));
    const missing = siteMap
      .flatMap((group) => [group, ...group.pages])
      .filter(({ href }) => !paths.has(href));
    expect(missing.map(({ href }) => href)).toEqual([]);
  });
});

describe('guards', () => {
  /** Forms that come from elsewhere, and what stands for the token of ours that they cannot have. */
  const fromElsewhere: Readonly<Record<string, string>> = {
    '/oauth2/authorize': 'is asked again by GET, and changes nothing',
    '/connect/logout':
      'an application asks; whoever is not proved by its hint is asked here, with a token (S37)',
    '/login/callback/{idp}': 'the state of an authorization request, and its cookie (S43, S47)',
    '/login/saml/{idp}/logout': 'the signature of the provider (S48)',
    '/device': 'the library puts a token into its form, and the line begins with the origin (S31)',
    '/login/backchannel/{idp}': 'the signature of the provider',
  };

  test('every form of a page is behind the check of its token, which is behind the form (S31)', () => {
    const posts = routes.filter(({ method, path }) => method === 'POST' && !path.startsWith('/api/v1/'));
    expect(posts.length).toBeGreaterThan(10);
    const bare = posts.filter(({ line }) => {
      const form = line.findIndex((step) => /^(?:form|longForm|upload|valueUpload)$/.test(step));
      const csrf = line.findIndex((step) => /^csrf(?:\.guard)?$/.test(step));
      // What anybody may send is short.
      if (
        ['longForm', 'upload', 'valueUpload'].includes(line[form]!) &&
        !line.slice(0, form).includes('signedIn')
      )
        return true;
      return form < 0 || csrf !== form + 1 || csrf === line.length - 1;
    });
    expect(bare.map(({ path }) => path).sort()).toEqual(Object.keys(fromElsewhere).sort());
  });

  test('every address of the admin API begins with who may call it, and every change with its event (S49)', () => {
    const api = routes.filter(({ path }) => path.startsWith('/api/v1/'));
    expect(api.length + operations.length).toBeGreaterThan(20);
    const wrong = api.filter(({ method, line: [first = ''] }) =>
      method === 'GET'
        ? !/^(?:read|inspect|reads\(\w+\)|scope\([\w.]+\))$/.test(first)
        : !/^(?:change\('[a-z]+\.[a-z]+'\)|scope\([\w.]+\))$/.test(first),
    );
    expect(wrong).toEqual([]);
    // An operation says both by its type; what would not fit is said here.
    const unfit = operations.filter(({ method, access, event }) =>
      method === 'GET' ? access === 'write' || event !== undefined : access === 'write' && !event,
    );
    expect(unfit.map(({ id }) => id)).toEqual([]);
    const ids = operations.map(({ id }) => id);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
  });
});
