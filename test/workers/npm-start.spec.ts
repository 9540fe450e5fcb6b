import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { HttpBrowser } from '../conformance/http-browser.js';
import { emptyDatabase, type TestDatabase } from '../support/databases.js';
import { randomPrefix, redisUrl } from '../support/redis.js';
import { eventually } from './support/eventually.js';

// `npm start` as people start it, by npm, in a clone of their own, and ended by what ends it: a signal to npm's process.

const ROOT = path.join(import.meta.dirname, '../..');
const DIST = process.env['TEST_DIST'] ?? path.join(ROOT, 'dist');
/** With a build, should the one of the tests be of another day. */
const START_MS = 170_000;
const COPIED = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'nest-cli.json'];

interface Credentials {
  issuer: string;
  admin: { password?: string };
  adminServiceUser: { userId: string };
}

let clone: string;
let database: TestDatabase;
let environment: Record<string, string>;
let npm: ChildProcess | undefined;
let output = '';

beforeAll(async () => {
  clone = await mkdtemp(path.join(tmpdir(), 'identity-clone-'));
  for (const file of COPIED) await cp(path.join(ROOT, file), path.join(clone, file));
  for (const folder of ['src', 'workers', 'migrations', 'locales', 'console', 'docs/quickstart', 'scripts']) {
    await cp(path.join(ROOT, folder), path.join(clone, folder), { recursive: true });
  }
  await cp(DIST, path.join(clone, 'dist'), { recursive: true });
  await symlink(path.join(ROOT, 'node_modules'), path.join(clone, 'node_modules'));
  await mkdir(path.join(clone, 'home'));
});
afterAll(() => rm(clone, { recursive: true, force: true }));

beforeEach(async () => {
  database = await emptyDatabase();
  await rm(path.join(clone, '.data'), { recursive: true, force: true });
  environment = {
    PATH: `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: path.join(clone, 'home'),
    PORT: String(await anyFreePort()),
    OPS_PORT: String(await anyFreePort()),
    MAILBOX_HTTP_PORT: String(await anyFreePort()),
    MAILBOX_SMTP_PORT: String(await anyFreePort()),
    DATABASE_URL: database.url,
    REDIS_URL: redisUrl(),
    QUEUE_PREFIX: randomPrefix(),
  };
});
afterEach(async () => {
  if (npm !== undefined && npm.exitCode === null && npm.signalCode === null) npm.kill('SIGTERM');
  await eventually('the end of npm start', 30_000, () => !isRunning());
  await database.drop();
});

async function start(): Promise<void> {
  output = '';
  const child = spawn('npm', ['start'], { cwd: clone, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  npm = child;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  await eventually('npm start', START_MS, () => {
    if (child.exitCode !== null) throw new Error(output);
    // the last line of the summary, which comes line by line: what is asserted of it must be here
    return output.includes('Ctrl-C');
  });
}

/** By the lock, which names the process and outlives a killed one. */
let started: number | undefined;
async function lockOwner(): Promise<number> {
  const lock = JSON.parse(await readFile(path.join(clone, '.data/run/start.lock'), 'utf8')) as {
    pid: number;
  };
  started = lock.pid;
  return lock.pid;
}

async function childrenOf(): Promise<number[]> {
  const names = ['api', 'worker', 'mailbox'];
  const records = await Promise.all(
    names.map((name) => readFile(path.join(clone, `.data/run/${name}.json`), 'utf8')),
  );
  return records.map((record) => (JSON.parse(record) as { pid: number }).pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function isRunning(): boolean {
  return started !== undefined && isAlive(started);
}

function identity(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  // the database is the shell's here, as it was for npm start
  const { PATH, HOME, DATABASE_URL } = environment;
  const env = { PATH, HOME, DATABASE_URL };
  const program = path.join(clone, 'dist/src/cli/identity.js');
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd: tmpdir(), env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

describe('npm start', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)('ends with what it started when npm gets a %s', async (signal) => {
    await start();
    const [, console] = /Console\W+(http\S+\/console)/.exec(stripVTControlCharacters(output)) ?? [];
    expect(await (await fetch(String(console))).text()).toContain('/console/assets/');
    const pids = [await lockOwner(), ...(await childrenOf())];
    expect(pids.map(isAlive)).toEqual(pids.map(() => true));
    npm?.kill(signal);
    await eventually('the end of all', 30_000, () => !pids.some(isAlive));
    // they have ended before their last words are read
    await eventually('the last line', 30_000, () =>
      output.includes('everything that was started here has ended'),
    );
  });

  it('says that the mail server of SMTP_URL does not answer, and starts all the same', async () => {
    const port = await anyFreePort();
    environment['SMTP_URL'] = `smtp://mailer:not-to-be-told@127.0.0.1:${port}`;
    await start();
    await lockOwner();
    const fault = `The mail server at 127.0.0.1:${port} does not answer (ECONNREFUSED)`;
    // beside the step that failed, and once more below the summary, where people look
    await eventually('the warning', 5_000, () =>
      output.includes(`${fault}: no mail is sent until it does. Check SMTP_URL`),
    );
    expect(output).not.toContain('not-to-be-told');
  });

  it('has the command line work at once, and replaces no password at a restart', async () => {
    await start();
    await lockOwner();
    const profile = path.join(clone, '.data/cli.json');
    expect((await stat(profile)).mode & 0o777).toBe(0o600);
    const listed = await identity('users', 'list', '--json');
    expect(listed).toMatchObject({ code: 0, err: '' });
    expect(listed.out).toContain('admin@localhost');
    // as the summary of npm start has people type it, in the clone
    const { PATH = '', HOME = '' } = environment;
    const npx = await promisify(execFile)('npx', ['--no-install', 'identity', 'users', 'list'], {
      cwd: clone,
      env: { PATH, HOME },
    });
    expect(npx.stdout).toContain('admin@localhost');
    // somebody's own configuration comes first
    await mkdir(path.join(clone, 'home/.config/identity'), { recursive: true });
    const own = path.join(clone, 'home/.config/identity/config.json');
    await writeFile(own, JSON.stringify({ url: 'http://127.0.0.1:9', token: 'x' }), { mode: 0o600 });
    expect((await identity('users', 'list')).code).toBe(1);
    await rm(own);

    // another password, by the link of the command line
    const file = path.join(clone, '.data/credentials.json');
    const before = JSON.parse(await readFile(file, 'utf8')) as Credentials;
    expect(before.admin.password).toEqual(expect.any(String));
    const recovered = await identity('admin', 'recover');
    expect(recovered).toMatchObject({ code: 0, err: '' });
    const browser = new HttpBrowser(before.issuer);
    const seen = await browser.open(new URL(/http\S+\/password\/reset\S+/.exec(recovered.out)?.[0] ?? ''));
    if (!('page' in seen)) throw new Error('no page');
    const password = 'Chosen-By-Them-1';
    const done = await browser.fillIn(seen.page, { newPassword: password, repeatPassword: password });
    expect('page' in done && done.page).toContain('Your password is set');
    npm?.kill('SIGTERM');
    await eventually('the end', 30_000, () => !isRunning());
    await start();
    await lockOwner();
    const after = JSON.parse(await readFile(file, 'utf8')) as Credentials;
    expect(after.adminServiceUser).toEqual(before.adminServiceUser);
    expect(after.admin).not.toHaveProperty('password');
    expect(output).toContain('npx identity admin recover');
    expect((await identity('users', 'list')).code).toBe(0);
  });
});
