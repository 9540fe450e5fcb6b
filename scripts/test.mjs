// `npm test`: everything in one command. Checks and the unit ring run side by side while the servers of this run come
// up; then ring after ring on those. The last line is `N passed, N failed, N skipped`.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { buildIfStale } from './build.mjs';
import { findChromium } from './chromium.mjs';
import { installDependencies, npmCommand } from './dependencies.mjs';
import { nodeVersion } from './node-version.mjs';
import { run } from './processes.mjs';
import { serviceSettings } from './service-settings.mjs';
import { startPostgres, startRedis } from './services.mjs';
import { stopRequests } from './stop-requests.mjs';
import { beginStep, bold, clearSteps, colours, dim, green, red, say, seconds } from './terminal.mjs';
import { clearAbandonedTestFolders, makeTestFolder } from './test-folder.mjs';
import { planOf } from './test-plan.mjs';
import { lastLines, runRing } from './vitest-ring.mjs';

const root = path.join(import.meta.dirname, '..');
const SCRIPT_OF = { lint: 'lint', types: 'typecheck', layers: 'layers', format: 'format:check' };
const stop = stopRequests();
const { signal } = stop;
const total = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
/** How long each ring took, for the table at the end. */
const rings = [];
/** What is told once more at the end: who reads only the last page of a log must learn which test failed, and why. */
const faults = [];
const servers = [];
let folder;

function count(name, { passed = 0, failed = 0, skipped = 0 }) {
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  if (failed > 0) failures.push(name);
}

async function check(name) {
  signal.throwIfAborted();
  const step = beginStep(name);
  if (name === 'build') {
    try {
      await buildIfStale({ root, step, signal });
      return count(name, { passed: 1 });
    } catch (error) {
      if (signal.aborted) throw error;
      showOutput(error.message);
      faults.push({ where: name, message: lastLines(error.message) });
      return count(name, { failed: 1 });
    }
  }
  const [command, ...args] = npmCommand();
  const result = await run(command, [...args, 'run', '--silent', SCRIPT_OF[name]], {
    cwd: root,
    env: testEnvironment(),
    signal,
  });
  if (result.code === 0) {
    step.done('no faults');
    return count(name, { passed: 1 });
  }
  step.failed('failed');
  showOutput(result.output);
  faults.push({ where: name, message: lastLines(result.output) });
  count(name, { failed: 1 });
}

async function ring(name, plan, services, live) {
  signal.throwIfAborted();
  const step = beginStep(name);
  const ringBegan = performance.now();
  if (services?.problem !== undefined) {
    step.failed(services.problem);
    return count(name, { failed: 1 });
  }
  const result = await runRing({
    root,
    ring: name,
    signal,
    reportFolder: folder,
    args: [...plan.filesOf(name), ...plan.vitestArgs],
    env: { ...testEnvironment(), ...services?.env },
    onLine: (line) => {
      if (live && line.trim() !== '' && !line.startsWith('JSON report')) say(`      ${line}`);
    },
  });
  const parts = Object.entries({ passed: result.passed, failed: result.failed, skipped: result.skipped });
  const words = parts.filter(([, n]) => n > 0).map(([what, n]) => `${n} ${what}`);
  // A path that was asked for and fits no test is a slip of the pen, not a success.
  if (words.length === 0 && plan.filesOf(name).length > 0) result.failed = 1;
  if (result.failed > 0) step.failed(words.join(', ') || 'no such test');
  else if (words.length === 0) step.skipped('no tests');
  else step.done(words.join(', '));
  if (result.failed > 0 && !live) showOutput(result.output);
  faults.push(...result.faults);
  rings.push({ name, ...result, took: performance.now() - ringBegan });
  count(name, result);
}

/** What the rings need; a server that cannot be had is the `problem` that fails them, in one sentence. */
async function bringUpServers() {
  const step = beginStep('servers');
  try {
    const postgres = await startPostgres({
      dir: path.join(folder, 'postgres'),
      durable: false,
      note: (text) => step.note(text),
    });
    servers.push(postgres);
    const redis = await startRedis({
      dir: path.join(folder, 'redis'),
      note: (text) => step.note(text),
      signal,
    });
    if (redis !== undefined) servers.unshift(redis);
    if (redis === undefined)
      throw new Error('No Redis: none on the PATH and none could be fetched with apt-get.');
    step.done(`PostgreSQL on port ${postgres.port}, Redis ${redis.description} on port ${redis.port}`);
    return { env: { TEST_DATABASE_URL: postgres.url, TEST_REDIS_URL: redis.url } };
  } catch (error) {
    if (signal.aborted) throw error;
    step.failed('failed');
    return { problem: error.message };
  }
}

async function bringUpChromium() {
  const step = beginStep('chromium');
  try {
    const { program, origin } = await findChromium({
      note: (text) => step.note(text),
      tell: (text) => say(`  ${text}`),
      signal,
    });
    step.done(`${program} (${origin})`);
    return { env: { CHROMIUM_PATH: program } };
  } catch (error) {
    if (signal.aborted) throw error;
    step.failed('none');
    return { problem: error.message };
  }
}

async function runAll(plan) {
  const install = beginStep('dependencies');
  await installDependencies({ root, step: install, signal });
  await clearAbandonedTestFolders();
  folder = makeTestFolder({ inMemory: true });
  const needsServers = plan.rings.some((name) => name !== 'unit');
  const coming = Promise.allSettled([
    needsServers ? bringUpServers() : undefined,
    plan.rings.includes('browser') ? bringUpChromium() : undefined,
  ]);
  // the linter asks for types, and those of the console's API client are made by the build
  const last = plan.checks.filter((name) => name === 'lint');
  const early = plan.checks.filter((name) => !last.includes(name)).map((name) => () => check(name));
  if (plan.rings.includes('unit')) early.push(() => ring('unit', plan, undefined, false));
  await twoAtATime(early);
  for (const name of last) await check(name);
  const [services, chromium] = (await coming).map(({ value }) => value);
  signal.throwIfAborted();
  for (const name of plan.rings.filter((one) => one !== 'unit')) {
    const browser = name === 'browser' ? chromium : {};
    const problem = failures.includes('build')
      ? 'not run: the build failed'
      : (services.problem ?? browser.problem);
    await ring(name, plan, { problem, env: { ...services.env, ...browser.env } }, true);
  }
}

/** Two cores: more at once would only make each slower and the time-outs of tests tighter. */
async function twoAtATime(jobs) {
  const queue = [...jobs];
  const worker = async () => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) await job();
  };
  const results = await Promise.allSettled([worker(), worker()]);
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function testEnvironment() {
  const isSetting = serviceSettings(root);
  const kept = Object.entries(process.env).filter(([name]) => !isSetting(name));
  return { ...Object.fromEntries(kept), NODE_ENV: 'test', ...(colours ? { FORCE_COLOR: '1' } : {}) };
}

/** One line a ring: its files, its tests, its time. */
function tableOf(rows) {
  if (rows.length === 0) return [];
  const cells = rows.map(({ name, files, passed, failed, skipped, took }) => [
    name,
    String(files),
    String(passed + failed + skipped),
    seconds(took),
  ]);
  const lines = [['ring', 'files', 'tests', 'time'], ...cells];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((line) => line[column].length)));
  return lines.map((line, row) => {
    const [name, ...figures] = line.map((cell, column) => {
      return column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]);
    });
    const text = `  ${name}  ${figures.join('  ')}`;
    return row === 0 ? dim(`\n${text}`) : text;
  });
}

function showOutput(text) {
  const lines = text.trim().split('\n');
  const shown = lines.slice(-150);
  if (shown.length < lines.length) say(dim(`      … ${lines.length - shown.length} lines before`));
  for (const line of shown) say(`      ${line}`);
}

const began = performance.now();
let notRun = [];
try {
  const plan = planOf(process.argv.slice(2));
  ({ notRun } = plan);
  say(`\n  ${bold('Tests')} ${dim(`in ${root}, Node ${nodeVersion}`)}\n`);
  await runAll(plan);
  const nothing = total.passed + total.failed + total.skipped === 0;
  if (nothing) throw new Error('No test was run.');
} catch (error) {
  clearSteps();
  say(signal.aborted ? `\n  ${red('Interrupted.')}` : `\n  ${red(error.message)}`);
  count(signal.aborted ? 'interrupted' : 'npm test', { failed: 1 });
}
for (const server of servers) await server.stop().catch(() => {});
if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
for (const { where, message } of faults)
  say(`\n  ${red('✗')} ${where}\n${dim(message.replaceAll(/^/gm, '      '))}`);
const verdict = failures.length === 0 ? green('All is well') : red(`Failed: ${failures.join(', ')}`);
for (const line of tableOf(rings)) say(line);
for (const name of notRun) say(dim(`  not run: npm run test:${name}`));
say(`\n  ${verdict} ${dim(`after ${seconds(performance.now() - began)}`)}\n`);
say(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed === 0 ? 0 : 1);
