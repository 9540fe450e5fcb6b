// Runs one ring of tests with vitest and counts its outcome from vitest's own report.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { run } from './processes.mjs';
import { ringTimeoutMs } from './test-plan.mjs';

/** Of a failure's message that many lines are told again at the end of everything. */
const LINES_TOLD_AGAIN = 12;

/**
 * Resolves with `{ files, passed, failed, skipped, faults, output }`, a fault being the file, name and message of what
 * failed. A vitest that breaks down counts as one failed test.
 */
export async function runRing({ root, ring, args, env, reportFolder, onLine, signal }) {
  const report = path.join(reportFolder, `${ring}.json`);
  rmSync(report, { force: true });
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const { code, output } = await run(
    process.execPath,
    [
      vitest,
      'run',
      `--project=${ring}`,
      '--passWithNoTests',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...args,
    ],
    { cwd: root, env, signal, onLine, timeoutMs: ringTimeoutMs(env), group: true },
  );
  const counts = countsOf(report, root);
  // Errors outside of any test, a failed global setup, a crash: vitest says so by its exit code alone.
  if (code !== 0 && counts.failed === 0) {
    counts.failed = 1;
    counts.faults = [{ where: `vitest of ring ${ring}, exit code ${code}`, message: lastLines(output) }];
  }
  return { ...counts, output };
}

function countsOf(file, root) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    const broken = report.testResults.filter((result) => {
      return result.status === 'failed' && !result.assertionResults.some(({ status }) => status === 'failed');
    });
    return {
      files: report.testResults.length,
      passed: report.numPassedTests,
      failed: report.numFailedTests + broken.length,
      skipped: report.numPendingTests + report.numTodoTests,
      faults: [
        ...broken.map(({ name, message }) => ({
          where: path.relative(root, name),
          message: firstLines(message),
        })),
        ...report.testResults.flatMap(({ name, assertionResults }) =>
          assertionResults
            .filter(({ status }) => status === 'failed')
            .map(({ fullName, failureMessages }) => ({
              where: `${path.relative(root, name)} > ${fullName}`,
              message: firstLines(failureMessages.join('\n')),
            })),
        ),
      ],
    };
  } catch {
    return { files: 0, passed: 0, failed: 0, skipped: 0, faults: [] };
  }
}

/** Without the frames of the test runner's own code, which tell nothing. */
function firstLines(text) {
  const lines = text
    .trim()
    .split('\n')
    .filter((line) => !/^\s+at .*\/node_modules\//.test(line));
  return lines.slice(0, LINES_TOLD_AGAIN).join('\n');
}

export function lastLines(text) {
  return text.trim().split('\n').slice(-LINES_TOLD_AGAIN).join('\n');
}
