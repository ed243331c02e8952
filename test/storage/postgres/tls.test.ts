/** The way to a database beyond this machine: TLS to what proves that it is the one that was named, or nothing. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { apiToken, runFailing, startConsole } from '../../helpers/console.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { type Certificate, makeCertificate, opensslIsMissing } from '../../peers/support/certificate.ts';

const whyNot = postgresPrograms === undefined ? 'apt-get install postgresql' : opensslIsMissing;
const named = whyNot === undefined ? '' : ` (skipped: ${whyNot})`;

describe.skipIf(whyNot !== undefined)(`TLS to PostgreSQL${named}`, () => {
  let certificate: Certificate;
  let other: Certificate;
  let postgres: Postgres;
  beforeAll(async () => {
    certificate = await makeCertificate('ec', ['IP:127.0.0.1']);
    other = await makeCertificate('ec', ['DNS:database.example.com']);
    postgres = await startPostgres({ certificate });
  }, 60_000);
  afterAll(async () => {
    await postgres?.close();
    await certificate?.remove();
    await other?.remove();
  });

  test('every connection of a console is encrypted, and it works as ever', async () => {
    const database = await postgres.createDatabase();
    const url = `${postgres.url(database)}&sslrootcert=${certificate.certificateFile}`;
    const console = await startConsole({ isFirstStart: true, env: { CONSOLE_DATABASE_URL: url } });
    onTestFinished(async () => void (await console.stop()));
    const api = await apiToken(console);
    const headers = { Authorization: `Bearer ${api}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ id: 'grace', roles: [] });
    expect((await fetch(`${console.url}/api/v1/users`, { method: 'POST', headers, body })).status).toBe(201);
    const connections = await postgres.query<{ ssl: boolean; version: string }>(
      database,
      `select ssl, version from pg_stat_ssl join pg_stat_activity using (pid)
        where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    // To serve, to listen, and for the audit.
    expect(connections.length).toBeGreaterThan(2);
    for (const connection of connections) expect(connection).toEqual({ ssl: true, version: 'TLSv1.3' });
  });

  describe('a start is refused in one sentence that tells no password, and nothing is made', () => {
    const refused = async (at: Postgres, authority: string | undefined) => {
      const database = await at.createDatabase();
      const url = `${at.url(database)}${authority === undefined ? '' : `&sslrootcert=${authority}`}`;
      const { code, stderr } = await runFailing({
        env: { CONSOLE_URL: 'http://localhost:1', CONSOLE_PORT: '0', CONSOLE_DATABASE_URL: url },
      });
      const tables = await at.query(database, `select 1 from pg_tables where schemaname = '${database}'`);
      expect([code, tables, stderr.match(/\n +at /g)]).toEqual([78, [], null]);
      expect(stderr).not.toContain('not-a-secret');
      return stderr;
    };

    test('of another authority', async () => {
      expect(await refused(postgres, other.certificateFile)).toContain(
        'The certificate of the database proves nothing: self-signed certificate',
      );
    });

    test('for another host', async () => {
      const elsewhere = await startPostgres({ certificate: other });
      onTestFinished(() => elsewhere.close());
      expect(await refused(elsewhere, other.certificateFile)).toMatch(
        /The certificate of the database proves nothing: .*altnames.*has to name the host as the certificate does/,
      );
    });

    test('without TLS', async () => {
      const plain = await startPostgres();
      onTestFinished(() => plain.close());
      expect(await refused(plain, certificate.certificateFile)).toContain('The database takes no TLS');
    });

    test('with a file of authorities that is not there', async () => {
      expect(await refused(postgres, '/nowhere/authorities.pem')).toMatch(
        /The file that sslrootcert in CONSOLE_DATABASE_URL names cannot be read: ENOENT/,
      );
    });
  });
});
