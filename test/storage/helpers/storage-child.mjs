/**
 * A process of its own around one storage: a JSON command per line in, a JSON answer per line out.
 * Started by storage-process.ts, built; arguments: data directory, role, and the step of a take-over at which it is
 * killed, such as `loading:4000`.
 */

import { subscribe } from 'node:diagnostics_channel';
import { realpathSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openEnvironment } from '../../../console/storage/embedded/lmdb/lmdb-environment.ts';
import { openLmdbRecords } from '../../../console/storage/embedded/lmdb/records-lmdb.ts';
import { openStorage } from '../../../console/storage/embedded/open.ts';
import { StorageRejectedError } from '../../../console/storage/storage.ts';

/** What threads have said, in their order. */
const saidByThreads = [];
let killOnBegin = false;

subscribe('worker_threads', ({ worker }) => {
  worker.on('message', ({ type }) => {
    saidByThreads.push(type);
    if (type === 'begins' && killOnBegin !== false) {
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), killOnBegin);
    }
  });
});

const [dataDir = '', role, stopAt = ''] = process.argv.slice(2);

function say(answer) {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

/** @param command  as storage-process.ts says */
async function run({ storage, environment, records }, command) {
  const { registry, artifacts } = storage;
  switch (command[0]) {
    case 'set': {
      const [, id, value] = command;
      return registry.update((transaction) => transaction.put('settings', { id, value }));
    }
    case 'increase': {
      const [, id, times] = command;
      for (let n = 0; n < times; n++) {
        await registry.update((transaction) => {
          const value = Number(transaction.get('settings', id)?.value ?? 0) + 1;
          transaction.put('settings', { id, value });
        });
      }
      return registry.get('settings', id)?.value;
    }
    case 'role':
      return registry.get('roles', command[1])?.id;
    case 'read':
      return registry.get('settings', command[1])?.value;
    case 'put':
      return artifacts.put('Session', command[1], { payload: command[2] });
    case 'get':
      return (await artifacts.get('Session', command[1]))?.payload;
    case 'consume':
      return Promise.all(command[1].map((id) => artifacts.consume('Session', id)));
    case 'count': {
      const [, id, times] = command;
      const counts = Array.from({ length: times }, () => artifacts.count('Failures', id, 600));
      return (await Promise.all(counts)).map(({ count }) => count);
    }
    case 'writable':
      return storage.checkWritable();
    case 'flood-registry':
      for (let n = 1; ; n++) {
        await registry.update((transaction) => transaction.put('settings', { id: `n${n}`, value: n }));
        say(n);
      }
    case 'flood-artifacts':
      for (let n = 1; ; n++) {
        await artifacts.put('Session', `n${n}`, { payload: { n }, uid: `u${n}`, grantId: `g${n % 7}` });
        if (n % 3 === 0) await artifacts.remove('Session', `n${n - 1}`);
        say(n);
      }
    case 'add-users': {
      const [, first, count, passwordHash] = command;
      const numbers = Array.from({ length: count }, (_, n) => first + n);
      return Promise.all(numbers.map((n) => addUser(records, n, passwordHash))).then(() => undefined);
    }
    case 'add-users-at-once': {
      const [, first, count, passwordHash, killAfterMs = false] = command;
      killOnBegin = killAfterMs;
      return addUsersAtOnce(records, first, count, passwordHash);
    }
    case 'said-by-threads':
      return saidByThreads.splice(0);
    case 'get-user':
      return (await records.get('users', command[1]))?.username;
    case 'flood-users':
      for (let n = 1; ; n++) {
        await addUser(records, n, '-');
        say(n);
      }
    case 'joint': {
      const [, n, step] = command;
      return commitJoint(environment, stoppingRegistry(registry, step), n);
    }
    case 'fill':
      return fillAndStop(storage, environment, command[1]);
    default:
      await environment.close();
      return storage.close();
  }
}

function addUser(records, n, passwordHash) {
  return addUsersAtOnce(records, n, 1, passwordHash);
}

function addUsersAtOnce(records, first, count, passwordHash) {
  return records.change(async (transaction) => {
    for (let n = first; n < first + count; n++) {
      const federated = { provider: 'corp', subject: `s${n}` };
      const times = { createdAt: n, tokensValidFrom: n };
      const user = { id: `u${n}`, username: `name-${n}`, roles: ['Viewer'], disabled: false, federated };
      transaction.put('users', { ...user, passwordHash, ...times });
      transaction.putArtifact({ kind: 'VoidMark', id: `u${n}` }, { payload: { n } });
    }
  });
}

/** A user and a role, in one commit. */
function commitJoint(environment, registry, n) {
  const records = openLmdbRecords({ environment, registry });
  const times = { createdAt: n, tokensValidFrom: n };
  const user = {
    id: `u${n}`,
    username: `name-${n}`,
    roles: [],
    passwordHash: '-',
    disabled: false,
    ...times,
  };
  const role = { id: `r${n}`, permissions: [], createdAt: n };
  return records.commit({
    expected: [],
    writes: [{ collection: 'users', id: user.id, record: user }],
    artifacts: [],
    registry: { expected: [], writes: [{ collection: 'roles', id: role.id, record: role }] },
  });
}

/** Ends the process in the middle of its work, after it has noted so often how far it is. */
/** Says what was noted last, and is gone. */
function fillAndStop(storage, environment, notes) {
  const seen = new Set();
  const poll = () => {
    const place = environment.read(() => environment.database('store').get(['filling']));
    seen.add(JSON.stringify(place));
    if (seen.size <= notes) return setImmediate(poll);
    writeSync(1, `${JSON.stringify(place)}\n`);
    process.kill(process.pid, 'SIGKILL');
  };
  poll();
  return storage.fillIndexes();
}

/** Ends the process `before` anything is written, when the records are `written`, or when all is `made`. */
function stoppingRegistry(registry, step) {
  const stop = () => process.kill(process.pid, 'SIGKILL');
  return {
    ...registry,
    async update(change, guard) {
      const result = await registry.update(change, async () => {
        if (step === 'before') stop();
        await guard?.();
        if (step === 'written') stop();
      });
      if (step === 'made') stop();
      return result;
    },
  };
}

async function serve() {
  const storage = await openStorage({
    dataDir,
    role: role === 'tool' ? 'tool' : 'console',
    onTakeOver({ step, records }) {
      if ([step, `${step}:${records}`].includes(stopAt)) process.kill(process.pid, 'SIGKILL');
    },
  });
  const environment = openEnvironment(join(realpathSync(dataDir), 'artifacts'));
  const records = openLmdbRecords({ environment, registry: storage.registry });
  const opened = { storage, environment, records };
  say({ ready: process.pid });
  for await (const line of createInterface({ input: process.stdin })) {
    const command = JSON.parse(line);
    try {
      say({ value: (await run(opened, command)) ?? null });
    } catch (error) {
      say({ error: error.name });
    }
    if (command[0] === 'close') break;
  }
  process.stdin.destroy();
}

try {
  await serve();
} catch (error) {
  if (!(error instanceof StorageRejectedError)) throw error;
  say({ refused: error.reason, message: error.message });
  process.exitCode = 1;
}
