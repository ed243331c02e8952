/**
 * The same calls at the real engine and at the embedded member, without a proxy between. Each difference has its reason,
 * and `docs/member.md` shows what was found; `UPDATE_DOCS=1` writes that table anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { endpointGroups } from '../../platform/endpoint-groups.ts';
import { ask } from '../helpers/wire.ts';
import { answersOf, casesOff, casesOn } from './engine-cases.ts';
import { type Difference, differencesIn, tableOf, whyOf } from './engine-differences.ts';
import { startEmbeddedMember } from './support/embedded-member.ts';
import { engineStartMs, type Release, startEngineMembers, whyNoEngine } from './support/engine-members.ts';

const page = resolve(import.meta.dirname, '../../docs/member.md');
const heading = '## Differences from the real engine, as the tests find them';
const cases = { on: casesOn(), off: casesOff() };
const all = [...cases.off, ...cases.on];

describe.skipIf(whyNoEngine)(`the embedded member beside the real engine${whyNoEngine ?? ''}`, () => {
  let differences: readonly Difference[];

  beforeAll(async () => {
    const answers = { older: await engine('5.3.8'), newer: await engine('5.7.0'), here: await embedded() };
    differences = differencesIn(all, answers);
  }, engineStartMs * 2);

  test('every difference has a reason', () => {
    expect(differences.filter((difference) => whyOf(difference) === undefined)).toEqual([]);
  });

  test('docs/member.md shows the differences that there are', () => {
    const table = tableOf(differences, all);
    const text = readFileSync(page, 'utf8');
    const [, shown = ''] = text.split(`${heading}\n`);
    const found = /(?:^\|.*\n)+/m.exec(shown)?.[0].trimEnd();
    if (process.env.UPDATE_DOCS && found !== undefined)
      writeFileSync(
        page,
        text.replace(found, () => table),
      );
    else expect(found).toBe(table);
  });
});

async function engine(version: Release): Promise<ReadonlyMap<string, string>> {
  const [on, off] = await Promise.all([
    startEngineMembers({ version }),
    startEngineMembers({ version, off: endpointGroups }),
  ]);
  try {
    return await answersAt(on.members[0]!.address, off.members[0]!.address, { prefix: 'hazelcast', version });
  } finally {
    await Promise.all([on.stop(), off.stop()]);
  }
}

async function embedded(): Promise<ReadonlyMap<string, string>> {
  const [on, off] = await Promise.all([startEmbeddedMember(endpointGroups), startEmbeddedMember([])]);
  try {
    const { body } = await ask(on.address, 'GET', '/svc/rest/cluster');
    const version: string = JSON.parse(body).members[0].memberVersion;
    return await answersAt(on.address, off.address, { prefix: 'svc', version });
  } finally {
    await Promise.all([on.stop(), off.stop()]);
  }
}

async function answersAt(
  on: string,
  off: string,
  member: { readonly prefix: string; readonly version: string },
): Promise<ReadonlyMap<string, string>> {
  return new Map([...(await answersOf(off, cases.off, member)), ...(await answersOf(on, cases.on, member))]);
}
