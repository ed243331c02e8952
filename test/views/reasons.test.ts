/** Every code that the product writes as the reason of an entry of the audit has words, and no other code has any. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errors } from 'oidc-provider';
import { describe, expect, test } from 'vitest';
import { outboundFailures } from '../../console/http/outbound/outbound-exchange.ts';
import { oauthErrorCodes, problems } from '../../platform/errors.ts';
import { ownReasons } from '../../platform/names/reason-codes.ts';
import { reasonName } from '../../views/management/observe/reason.tsx';
import { languages, textsIn } from '../../views/texts/text.ts';

const root = join(import.meta.dirname, '../..');
/** What the library answers with: its errors by their own codes, but for those whose code is whatever they are made with. */
const ofLibrary = Object.values(errors)
  .filter((kind) => !['OIDCProviderError', 'CustomOIDCProviderError'].includes(kind.name))
  .map((kind) => new (kind as new (detail: string) => Error)('x').message);
const codes = new Set<string>([
  ...Object.values(problems).map(({ code }) => code),
  ...oauthErrorCodes,
  ...ofLibrary,
  ...outboundFailures,
  ...ownReasons,
]);
/** The type of an error's reason, and a line of the log. */
const elsewhere = ['console/storage/storage.ts', 'console/federation/providers/providers.ts'];
/** With something in a gap, so no code. */
const sentences = ['missing', 'status'];

describe('the reason of an entry', () => {
  test('has words for each code, and no others', () => {
    expect(ofLibrary).toContain('access_denied');
    const named = Object.keys(languages.en.texts)
      .filter((key) => key.startsWith('reason.'))
      .map((key) => key.slice('reason.'.length));
    expect(named.filter((code) => !sentences.includes(code)).sort()).toEqual([...codes].sort());
  });

  test.each(['en', 'de'] as const)('is in words of %s, also the status of an answer', (language) => {
    const t = textsIn(language);
    for (const code of codes) expect(reasonName(code, t), code).toMatch(/^[A-ZÄÖÜ].* /);
    expect(reasonName('status_503', t)).toContain('503');
    expect(reasonName('status_503', t)).not.toContain('status_');
  });

  test('that is none of ours stays as it is', () => {
    expect(reasonName('of_another_version', textsIn('de'))).toBe('of_another_version');
    expect(reasonName('Ticket 4711', textsIn('de'))).toBe('Ticket 4711');
  });

  test('is written by no code that stands in no table', () => {
    const loose = ['console', 'member-proxy', 'platform', 'http', 'access-tokens']
      .flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.ts'))
          .map((name) => join(folder, name)),
      )
      .filter((name) => !elsewhere.includes(name))
      .flatMap((name) => {
        const text = readFileSync(join(root, name), 'utf8');
        const found = text.matchAll(
          /\breason(?::| =) (?:[^;{}'\n]*(?:\?\?|[?:]) \(?)?'([a-z]+(?:_[a-z]+)*)'(?! satisfies OwnReason)/g,
        );
        return [...found].map(([said, code]) => ({ name, said, code: code! }));
      });
    expect(loose).toEqual([]);
  });
});
