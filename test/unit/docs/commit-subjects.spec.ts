import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

// CONTRIBUTING.md: the subject of a commit fits in 72 characters. Longer ones from before the rule stay as they are.

const ROOT = path.join(import.meta.dirname, '../../..');
const LONGEST = 72;
/** How many are looked at, newest first. */
const NEWEST = 50;

/** Undefined where there is no git, no repository, or not what was asked for. */
function git(...args: readonly string[]): string | undefined {
  try {
    return execFileSync('git', args, {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}

/** None in a copy without history, which may lie inside of somebody else's repository, or with a part of it only. */
function subjects(): readonly string[] {
  const top = git('rev-parse', '--show-toplevel');
  if (top === undefined || realpathSync(top) !== realpathSync(ROOT)) return [];
  if (git('rev-parse', '--is-shallow-repository') !== 'false') return [];
  // subjects of merges are written by git and by hosts
  const log = git('log', '--no-merges', '--format=%s', `--max-count=${NEWEST}`) ?? '';
  return log.split('\n');
}

const tooLong = (subject: string): boolean => subject.length > LONGEST;

describe('the subject of a commit', () => {
  it('fits in 72 characters', () => {
    expect(subjects().filter(tooLong)).toEqual([]);
  });

  it('is too long with 73', () => {
    expect(['s'.repeat(72), 's'.repeat(73)].filter(tooLong)).toEqual(['s'.repeat(73)]);
  });
});
