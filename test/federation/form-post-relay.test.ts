import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { createFormPostRelay, type FormPostRelay } from '../../console/federation/form-post-relay.ts';
import { createCipher } from '../../console/keys/encryption.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import type { ArtifactStore } from '../../console/storage/storage.ts';

const reply = { providerId: 'corp', parameters: new Map([['SAMLResponse', 'what-it-says']]) };
let time: number;
let artifacts: ArtifactStore;
let replies: FormPostRelay;
beforeEach(() => {
  time = 1_000_000_000;
  artifacts = createMemoryStorage({ now: () => time }).artifacts;
  replies = createFormPostRelay({
    artifacts,
    cipher: createCipher(randomBytes(32)),
    newId: () => randomBytes(18).toString('base64url'),
    now: () => time,
  });
});

test('gives a reply back once, at its own provider', async () => {
  const ticket = (await replies.store(reply, '192.0.2.1'))!;
  expect(await replies.take(ticket, 'other')).toBeUndefined();
  expect(await replies.take(ticket, 'corp')).toEqual(reply.parameters);
  expect(await replies.take(ticket, 'corp')).toBeUndefined();
});

test('gives it to one of two who ask at once', async () => {
  const ticket = (await replies.store(reply, '192.0.2.1'))!;
  const taken = await Promise.all([replies.take(ticket, 'corp'), replies.take(ticket, 'corp')]);
  expect(taken.filter(Boolean)).toHaveLength(1);
});

test('keeps it for a minute', async () => {
  const ticket = (await replies.store(reply, '192.0.2.1'))!;
  time += 61_000;
  expect(await replies.take(ticket, 'corp')).toBeUndefined();
});

test('the store holds neither the ticket nor what the provider says (S79)', async () => {
  const ticket = (await replies.store(reply, '192.0.2.1'))!;
  const listed = JSON.stringify(await artifacts.list('PostedReply', 10));
  expect(listed).toContain('corp');
  expect(listed).not.toContain(ticket);
  expect(listed).not.toContain('what-it-says');
});

test('takes so many from one source, and then no more until a minute is over', async () => {
  for (let count = 0; count < 120; count++) expect(await replies.store(reply, '192.0.2.1')).toBeDefined();
  expect(await replies.store(reply, '192.0.2.1')).toBeUndefined();
  expect(await replies.store(reply, '192.0.2.2')).toBeDefined();
  time += 61_000;
  expect(await replies.store(reply, '192.0.2.1')).toBeDefined();
});
