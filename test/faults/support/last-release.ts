import { execFile } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { makeTestFolder } from '../../../scripts/test-folder.mjs';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../../..');
/** Everything that a build of the release prints. */
const MOST_BYTES = 64 * 1024 * 1024;

export interface LastRelease {
  readonly version: string;
  readonly dist: string;
  remove(): Promise<void>;
}

/**
 * The release before this one, built in a work tree of its own: the newest commit that named another version. It takes some
 * minutes, and the package registry.
 */
export async function buildLastRelease(): Promise<LastRelease> {
  const folder = path.join(makeTestFolder(), 'release');
  const commit = await lastReleaseCommit();
  await git('worktree', 'add', '--detach', '--quiet', folder, commit);
  const inFolder = {
    cwd: folder,
    maxBuffer: MOST_BYTES,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
  };
  await run('npm', ['ci', '--no-audit', '--no-fund'], inFolder);
  await run('npm', ['run', '--silent', 'build'], inFolder);
  const { stdout } = await run('node', ['-p', 'require("./package.json").version'], inFolder);
  return {
    version: stdout.trim(),
    dist: path.join(folder, 'dist'),
    remove: async () => {
      await git('worktree', 'remove', '--force', folder);
      await rm(path.dirname(folder), { recursive: true, force: true });
    },
  };
}

/**
 * Its `http` ring on the schema of this release.
 * @param files of the ring; all by default
 * @returns what it printed, with the counts in the last line
 */
export async function runItsHttpRing({ dist }: LastRelease, files: readonly string[] = []): Promise<string> {
  const folder = path.dirname(dist);
  // migrations know nothing of the code around them, so that those of this release make its template database
  await cp(path.join(ROOT, 'migrations'), path.join(folder, 'migrations'), { recursive: true, force: true });
  const { stdout } = await run('node', ['scripts/test.mjs', 'http', ...files], {
    cwd: folder,
    maxBuffer: MOST_BYTES,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
  }).catch((error: { stdout?: string; message: string }) => ({ stdout: error.stdout ?? error.message }));
  return stdout;
}

async function lastReleaseCommit(): Promise<string> {
  const { stdout } = await git('log', '--format=%H', '-G"version": "', '--', 'package.json');
  const [newest] = stdout.split('\n');
  if (newest === undefined || newest === '')
    throw new Error('this clone does not hold the commit of a release: fetch the whole history');
  return newest;
}

async function git(...args: string[]): Promise<{ stdout: string }> {
  return await run('git', args, { cwd: ROOT, maxBuffer: MOST_BYTES });
}
