import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OAuthError, type OAuthErrorCode, problems } from '../../platform/errors.ts';

const documented = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');

/** The compiler holds this list complete. */
const oauthCodes: Readonly<Record<OAuthErrorCode, true>> = {
  invalid_request: true,
  invalid_client: true,
  invalid_grant: true,
  unauthorized_client: true,
  unsupported_grant_type: true,
  unsupported_token_type: true,
  invalid_scope: true,
  invalid_target: true,
  invalid_dpop_proof: true,
  invalid_token: true,
  insufficient_scope: true,
  server_error: true,
  temporarily_unavailable: true,
};

test('docs/errors.md lists exactly the problems of the code', () => {
  const expected = Object.values(problems).map(({ code, status, title }) => [
    `\`${code}\``,
    `${status}`,
    title,
  ]);
  expect(rowsUnder('## Problem details')).toEqual(expected);
});

test('docs/errors.md lists exactly the OAuth errors of the code', () => {
  const expected = Object.keys(oauthCodes).map((code) => [
    `\`${code}\``,
    `${new OAuthError(code as OAuthErrorCode, 'shown').status}`,
  ]);
  expect(rowsUnder('## OAuth errors').map(([code, status]) => [code, status])).toEqual(expected);
});

/** Cells of the table rows in one section whose first cell is code. */
function rowsUnder(heading: string): string[][] {
  const section = documented.split(heading)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
