import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { describe, expect, it } from 'vitest';
import { DigestThreads, digestThreads } from '../../../src/domain/passwords/primitives/digest-threads.js';
import { readHash } from '../../../src/domain/passwords/schemes/password-schemes.js';

const sha512Crypt = (rounds: number): string => `$6$rounds=${rounds}$saltsalt$${'Z'.repeat(85)}.`;

describe('digest loops', () => {
  it('leave the event loop alone', async () => {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    const hash = readHash(sha512Crypt(100_000));
    await Promise.all(Array.from({ length: 3 }, () => hash.matches(Buffer.from('password'))));
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(20);
  });

  it('give each caller its own answer', async () => {
    const parts = Array.from({ length: 20 }, (_, index) => Buffer.from(`part ${index}`));
    const digests = await Promise.all(
      parts.map((part) => digestThreads.run({ kind: 'repeat', digest: 'sha256', part, times: 1 })),
    );
    expect(digests.map((digest) => Buffer.from(digest ?? []).toString('hex'))).toEqual(
      parts.map((part) => createHash('sha256').update(part).digest('hex')),
    );
  });

  it('fail alone: the thread is given up and the next loop gets another', async () => {
    const part = Buffer.from('part');
    const broken = digestThreads.run({ kind: 'repeat', digest: 'no such digest', part, times: 1 });
    await expect(broken).rejects.toThrow(/digest/i);
    expect(await digestThreads.run({ kind: 'repeat', digest: 'sha1', part, times: 1 })).toHaveLength(20);
  });

  it('refuse what a long password would make of the highest rounds, without computing it', async () => {
    const long = Buffer.from('😀'.repeat(1024));
    expect(await readHash(sha512Crypt(1_000_000)).matches(long)).toBe(false);
    const password = Buffer.alloc(4096);
    const task = { digest: 'md5', state: Buffer.alloc(16), password } as const;
    expect(await digestThreads.run({ kind: 'chain', ...task, rounds: 2 ** 20 })).toBeUndefined();
    expect(await digestThreads.run({ kind: 'chain', ...task, rounds: 2 ** 7 })).toHaveLength(16);
  });
});

describe('slow threads', () => {
  it.runIf(process.platform === 'linux')('S186: stand back behind all others', async () => {
    const before = new Set(readdirSync('/proc/self/task'));
    const threads = new DigestThreads(5);
    await threads.run({ kind: 'repeat', digest: 'sha1', part: Buffer.from('x'), times: 1 });
    const begun = readdirSync('/proc/self/task').filter((id) => !before.has(id));
    expect(begun.map((id) => getPriority(Number(id)))).toContain(5);
    expect(getPriority(process.pid)).toBe(0);
  });
});
