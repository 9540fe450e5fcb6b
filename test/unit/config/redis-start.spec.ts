import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readCompose, ROOT } from '../../support/compose.js';
import { imitateRedisImage, inRedisImage } from '../../support/redis-image.js';

// How the container of Redis comes up: the image's entry point, start.sh, the entry point once more, redis-server.

const PASSWORD = '7d9f1c';
const run = promisify(execFile);

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'redis-start-'));
  imitateRedisImage(folder, 'echo');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function start(password: string): Promise<string> {
  writeFileSync(path.join(folder, 'password'), `${password}\n`);
  const [, , ...options] = readCompose().services['redis']?.command ?? [];
  const [program, args] = inRedisImage(['sh', path.join(ROOT, 'deploy/redis/start.sh'), ...options]);
  const { stdout } = await run(program, args, {
    env: {
      PATH: `${folder}:${process.env['PATH']}`,
      TMPDIR: folder,
      REDIS_PASSWORD_FILE: path.join(folder, 'password'),
    },
  });
  return stdout;
}

describe('the container of Redis', () => {
  it('has a file of users that the user of redis-server can read, and no password in it', async () => {
    const users = path.join(folder, 'users.acl');
    expect(await start(PASSWORD)).toMatch(`--aclfile ${users} --appendonly yes --maxmemory`);
    expect((statSync(users).mode & 0o777).toString(8)).toBe('644');
    const rules = readFileSync(users, 'utf8');
    expect(rules).toContain('user identity on #');
    expect(rules).toContain(' ~identity:* ');
    expect(rules).not.toContain(PASSWORD);
  });

  it('says what to do where the password is missing', async () => {
    await expect(start('')).rejects.toMatchObject({
      code: 78,
      stderr: expect.stringContaining('make-secrets.sh'),
    });
  });
});
