/** A store in a volume is moved into PostgreSQL: by the Job of Kubernetes and by compose, as docs/kubernetes.md says. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { root, runTool } from '../commands/support.ts';
import { admin, startConsole, usedDataDir } from '../helpers/console.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../helpers/postgres.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent, signedInTitle, titleOf } from '../helpers/user-agent.ts';
import { type Certificate, makeCertificate, opensslIsMissing } from '../peers/support/certificate.ts';
import { compose, manifestOf, type Resource, shared, toolsAreMissing, validateManifest } from './tools.ts';

const file = join(root, 'packaging/kubernetes/store-to-postgres.yaml');
const job: Resource = parse(readFileSync(file, 'utf8'));
const { spec: pod } = job.spec.template;
const [container] = pod.containers;
const page = readFileSync(join(root, 'docs/kubernetes.md'), 'utf8');
const environmentOf = (env: Resource[]): Record<string, string> =>
  Object.fromEntries(env.map(({ name, value }) => [name, value]));

describe.skipIf(toolsAreMissing)(`the Job${toolsAreMissing ?? ''}`, () => {
  test.each(['1.27', '1.37'])('the schemas of Kubernetes %s know every field', (release) => {
    expect(validateManifest(file, release)).toEqual({ code: 0, text: '' });
  });
});

test('the Job has the volume, the image, the rights and the settings of the first console', () => {
  const console = manifestOf(readFileSync(shared.file, 'utf8')).find('StatefulSet', 'cluster-console');
  const { spec } = console.spec.template;
  const [own] = spec.containers;
  const claim = `${console.spec.volumeClaimTemplates[0].metadata.name}-${console.metadata.name}-0`;
  const volumes = [
    { name: 'data', persistentVolumeClaim: { claimName: claim } },
    ...spec.volumes.filter(({ name }: Resource) => ['tmp', 'secrets', 'database'].includes(name)),
  ];
  expect(pod.volumes).toEqual(volumes);
  for (const mount of container.volumeMounts) expect(own.volumeMounts).toContainEqual(mount);
  expect(pod.securityContext).toEqual(spec.securityContext);
  expect([container.image, container.securityContext]).toEqual([own.image, own.securityContext]);
  expect(environmentOf(own.env)).toMatchObject(environmentOf(container.env));
  // Whoever it does not belong to sends it no calls.
  expect(job.spec.template.metadata.labels['app.kubernetes.io/component']).not.toBe('console');
});

const missing = postgresPrograms === undefined ? ' (skipped: apt-get install postgresql)' : opensslIsMissing;

describe.skipIf(missing)(`the command${missing ?? ''}`, () => {
  let postgres: Postgres;
  let certificate: Certificate;
  const folder = mkdtempSync(join(tmpdir(), 'store-to-postgres-'));
  beforeAll(async () => {
    certificate = await makeCertificate('ec', ['IP:127.0.0.1']);
    postgres = await startPostgres({ certificate });
  }, 60_000);
  afterAll(async () => {
    await postgres?.close();
    await certificate?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What the recipe types in compose, up to its end. */
  const [, service = '', typed = ''] =
    /podman compose run --rm --entrypoint console\.js (\w+) ([^\n]+)/.exec(page) ?? [];

  test.each([
    {
      name: 'of the Job',
      settings: environmentOf(container.env),
      args: container.args as string[],
      place: 'postgres.database.svc:5432/console?',
      secret: 'url',
    },
    {
      name: 'of compose',
      settings: {
        CONSOLE_DATA_DIR: '/var/lib/cluster-console',
        ...(compose.services[service]?.environment as Record<string, string>),
      },
      args: typed.replaceAll("'", '').split(' '),
      place: '127.0.0.1:5432/console',
      secret: 'database-url',
    },
  ])(
    '$name moves the store, and consoles on the database know its people',
    async (described) => {
      const { name, settings, args, place, secret } = described;
      const secrets = join(folder, name.replaceAll(' ', '-'));
      mkdirSync(join(secrets, 'configuration'), { recursive: true });
      const database = await postgres.createDatabase();
      const url = new URL(postgres.url(database));
      const dataDir = await usedDataDir();
      onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
      /** Where it is here. */
      const placed = (text: string) =>
        text
          .replace(place, `${url.host}${url.pathname}?schema=${database}${place.endsWith('?') ? '&' : ''}`)
          .replace('/run/secrets/database/ca.crt', certificate.certificateFile)
          .replace(/\/run\/secrets\/(?:database|cluster-console)\/|\/run\/secrets\//, `${secrets}/`)
          .replace('/etc/cluster-console/configuration', join(secrets, 'configuration'))
          .replace(/^\/var\/lib\/cluster-console(\/store)?$/, dataDir);
      const here = args.map(placed);
      const to = here.find((each) => each.startsWith('postgres://'))!;
      const withPassword = to.replace('console@', `console:${url.password}@`);
      for (const [key, value] of [
        [secret, withPassword],
        ['encryption-key', '00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef'],
        ['application-client-secret', 'a-secret-of-an-application-0123456789'],
      ] as const) {
        writeFileSync(join(secrets, key), `${value}\n`);
        chmodSync(join(secrets, key), 0o400);
      }
      const env = Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, placed(value)]));
      const outcome = await runTool([...here, '--json'], { env });
      expect([outcome.code, outcome.stderr]).toEqual([0, expect.any(String)]);
      expect(outcome.stdout).not.toContain(url.password);
      const { collections } = outcome.json<{ collections: { name: string; records: number }[] }>();
      expect(collections.find(({ name: each }) => each === 'users')?.records).toBe(1);

      const console = await startConsole({ dataDir, env: { CONSOLE_DATABASE_URL: withPassword } });
      onTestFinished(async () => void (await console.stop()));
      // A machine that is busy does not always come to a statement in time, and a person tries again.
      const isIn = () =>
        createUserAgent(console.url)
          .signIn(admin)
          .then((page) => signedInTitle.test(titleOf(page)))
          .catch(() => false);
      await until(isIn, 'a sign-in of somebody who has come along', 60_000);
    },
    180_000,
  );
});
