import { spawn } from 'node:child_process';
import path from 'node:path';
import { describe, expect, inject, it } from 'vitest';

/** Whatever decides: tokens, sign-in, one's own account, and who may call the APIs. */
const DECIDING = [
  'test/http/oidc',
  'test/http/login',
  'test/http/account',
  'test/http/auth-api',
  'test/http/security',
  'test/http/management-api/authentication',
];
/** One's own data to take along, among them the newest events: an export. */
const EXPORTS = ['**/language-and-data.spec.ts'];
const LONGEST_MS = 1_800_000;

interface Run {
  readonly code: number | null;
  readonly output: string;
  /** Files in which something failed. */
  readonly failed: readonly string[];
}

async function runFrozen(files: readonly string[], ...options: readonly string[]): Promise<Run> {
  const { adminUrl, redisUrl } = inject('services');
  const vitest = path.resolve('node_modules/vitest/vitest.mjs');
  const exclude = EXPORTS.map((pattern) => `--exclude=${pattern}`);
  const child = spawn(
    process.execPath,
    [vitest, 'run', '--project', 'http', ...exclude, ...options, ...files],
    {
      env: {
        ...process.env,
        NO_COLOR: '1',
        TEST_FROZEN_READS: '1',
        TEST_DATABASE_URL: adminUrl,
        ...(redisUrl !== undefined && { TEST_REDIS_URL: redisUrl }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  // not `exit`: the last lines, which tell what failed, may come after it
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  console.info(output.split('\n').slice(-8).join('\n'));
  const failed = new Set(
    [...output.matchAll(/FAIL.*?(test\/http\/\S+?\.spec\.ts)/g)].map(([, file = '']) => file),
  );
  return { code, output, failed: [...failed] };
}

describe('with a replica that stopped before anything happened, all that decides sees the present', () => {
  it.each(DECIDING)('%s', { timeout: LONGEST_MS }, async (folder) => {
    let run = await runFrozen([folder]);
    // what came late on a busy machine passes by itself; what reads the past never does
    let before = Infinity;
    while (run.failed.length > 0 && run.failed.length < before) {
      before = run.failed.length;
      console.info(`once more, one at a time: ${run.failed.join(', ')}\n${faultsOf(run.output)}`);
      run = await runFrozen(run.failed, '--maxWorkers=1');
    }
    expect(run.code, run.output).toBe(0);
  });
});

/** What is said of the failed tests, for whoever wonders afterwards what came late. */
function faultsOf(output: string): string {
  const lines = output.split('\n');
  const faults = lines.flatMap((line, at) => (/^\s*FAIL\b/.test(line) ? lines.slice(at, at + 3) : []));
  return faults.slice(0, 30).join('\n');
}
