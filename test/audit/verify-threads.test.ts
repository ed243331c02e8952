/** Files are checked by threads: what they say together is what one after the other would say. */
import { createPublicKey } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createEntryBody } from '../../console/audit/entry.ts';
import { readAnchors } from '../../console/audit/verify/anchors.ts';
import { ForgedAnchorError, verifyInThreads } from '../../console/audit/verify/verify.ts';
import { openWriter, writerLimits } from '../../console/audit/writer.ts';
import { builtFile } from '../../platform/installation.ts';
import { forgeries, key, otherKey, verify, write, writer } from './forgeries.ts';
import { newAuditDirectory, signedIn, start } from './support.ts';

describe('threads, each with a file', () => {
  const program = pathToFileURL(builtFile('console/audit/verify/walk-thread.js'));
  const inThreads = (directory: string, anchors: readonly string[], by = key) =>
    verifyInThreads(
      { directory, publicKey: createPublicKey(by.privateKey), anchors: readAnchors(anchors.join('\n')) },
      program,
    );
  const filesOf = (directory: string) =>
    readdirSync(join(directory, writer)).map((file) => join(directory, writer, file));

  test('say the same of a store that is as it was written, and of each writer', async () => {
    const directory = await newAuditDirectory();
    const anchors = [
      ...(await write(directory, 200, { segmentBytes: 8_000 })),
      ...(await write(directory, 100, { segmentBytes: 4_000, name: 'other' })),
      ...(await write(directory, 15, { segmentBytes: 8_000 })),
    ];
    expect(filesOf(directory).length).toBeGreaterThan(5);
    for (const kept of [[], anchors, anchors.slice(3, 5)]) {
      const found = await inThreads(directory, kept);
      expect(found).toEqual(verify(directory, { anchors: kept }));
      expect(found).toMatchObject({ isGood: true, writers: [{ verdict: 'ok' }, { verdict: 'ok' }] });
    }
    const [last] = filesOf(directory).slice(-1);
    writeFileSync(last!, readFileSync(last!, 'utf8').split('\n').slice(0, -3).join('\n').concat('\n'));
    for (const kept of [[], anchors]) {
      expect(await inThreads(directory, kept)).toEqual(verify(directory, { anchors: kept }));
    }
    await expect(inThreads(directory, anchors, otherKey)).rejects.toThrow(ForgedAnchorError);
  });

  test('count what had no room in whichever file it is', async () => {
    const directory = await newAuditDirectory();
    const bodyOf = createEntryBody();
    const limits = { ...writerLimits, segmentBytes: 2_000 };
    const open = openWriter({ directory, writer, now: () => start, limits, onCheckpoint() {}, onFull() {} });
    open.useKey(key);
    for (let i = 1; i <= 60; i++) {
      const gap = { event: 'audit.gap', outcome: 'failure', detail: { entries: i } } as const;
      open.add(bodyOf(i % 20 === 0 ? gap : signedIn(i), start));
      open.write();
    }
    open.close();
    const found = await inThreads(directory, []);
    expect(found).toEqual(verify(directory));
    expect(found).toMatchObject({ isGood: true, writers: [{ verdict: 'gap', gaps: 120 }] });
  });

  test.each(forgeries)('find the same: $name', async ({ forge }) => {
    const directory = await newAuditDirectory();
    const anchors = await write(directory, 100, { segmentBytes: 6_000 });
    const files = filesOf(directory).map((path) => {
      const bytes = readFileSync(path);
      const text = path.endsWith('.gz') ? gunzipSync(bytes).toString() : bytes.toString();
      const [header, ...entries] = text.trimEnd().split('\n');
      return { path, header, entries };
    });
    expect(files.length).toBeGreaterThan(3);
    const lines = ['', ...files.flatMap(({ entries }) => entries)];
    forge(lines);
    let at = 1;
    for (const [i, { path, header, entries }] of files.entries()) {
      const own = lines.slice(at, i === files.length - 1 ? undefined : at + entries.length);
      at += entries.length;
      rmSync(path);
      writeFileSync(path.replace(/\.gz$/, ''), `${[header, ...own].join('\n')}\n`);
    }
    for (const kept of [[], anchors]) {
      const found = await inThreads(directory, kept);
      expect(found.isGood).toBe(false);
      expect(found).toEqual(verify(directory, { anchors: kept }));
    }
  });

  test('that cannot begin leave it to the one that waits for them', async () => {
    const directory = await newAuditDirectory();
    const anchors = await write(directory, 100, { segmentBytes: 8_000 });
    const given = {
      directory,
      publicKey: createPublicKey(key.privateKey),
      anchors: readAnchors(anchors.join('\n')),
    };
    const nowhere = pathToFileURL(join(directory, 'nothing.js'));
    expect(await verifyInThreads(given, nowhere)).toEqual(verify(directory, { anchors }));
  });
});
