import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  type AuthorizationStates,
  createAuthorizationStates,
} from '../../console/federation/authorization-state.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import type { ArtifactStore } from '../../console/storage/storage.ts';
import { errorOf } from './support.ts';

const secrets = { state: 's', nonce: 'n', verifier: 'v' };
let time: number;
let artifacts: ArtifactStore;
let states: AuthorizationStates;
let id: string;
beforeEach(async () => {
  time = 1_000_000_000;
  artifacts = createMemoryStorage({ now: () => time }).artifacts;
  states = createAuthorizationStates({
    artifacts,
    newId: () => randomBytes(16).toString('base64url'),
    now: () => time,
  });
  id = states.newId();
  await states.open({ id, providerId: 'corp', browser: 'cookie', secrets, purpose: 'interaction-1' });
});
const right = () => ({ id, providerId: 'corp', browser: 'cookie' });

test('gives back what was kept, to the browser that began', async () => {
  expect(await states.take(right())).toMatchObject({ secrets, purpose: 'interaction-1' });
});

test('keeps neither the cookie nor the id in the store', async () => {
  const listed = JSON.stringify(await artifacts.list('FederationAttempt', 10));
  expect(listed).toContain('corp');
  expect(listed).not.toContain('cookie');
  expect(listed).not.toContain(id);
});

test('is open at its provider until it is taken', async () => {
  expect(await states.isOpen({ id, providerId: 'corp' })).toBe(true);
  expect(await states.isOpen({ id, providerId: 'other' })).toBe(false);
  expect(await states.isOpen({ id: 'unknown', providerId: 'corp' })).toBe(false);
  expect(await states.isOpen({ id: undefined, providerId: 'corp' })).toBe(false);
  await states.take(right());
  expect(await states.isOpen({ id, providerId: 'corp' })).toBe(false);
});

describe('refuses, and spoils nothing for the rightful browser (S43)', () => {
  test.each([
    ['another browser', { browser: 'another' }],
    ['a browser without the cookie', { browser: undefined }],
    ['a browser with an empty cookie', { browser: '' }],
    ["another provider's callback", { providerId: 'other' }],
    ['an id that nobody gave', { id: 'made-up' }],
    ['no id', { id: undefined }],
  ])('%s', async (_name, wrong) => {
    expect(await errorOf(states.take({ ...right(), ...wrong }))).toMatchObject({ status: 400 });
    expect(await states.take(right())).toMatchObject({ secrets });
  });
});

test('a replayed state (S43)', async () => {
  await states.take(right());
  expect(await errorOf(states.take(right()))).toMatchObject({ status: 400 });
});

test('two answers at the same time finish one sign-in (S43)', async () => {
  const results = await Promise.allSettled([states.take(right()), states.take(right())]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('an answer after ten minutes (S43)', async () => {
  time += 600_000;
  expect(await errorOf(states.take(right()))).toMatchObject({ status: 400 });
});

test('an answer just before ten minutes is taken', async () => {
  time += 599_000;
  expect(await states.take(right())).toMatchObject({ secrets });
});
