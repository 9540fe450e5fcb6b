import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

// Processes of the benchmark: pinned to a core where the machine has taskset, watched for memory, ended by pid.

const TASKSET = ['/usr/bin/taskset', '/bin/taskset'].find((path) => existsSync(path));

export const API_CORE = 0;
export const LOAD_CORE = 1;

export const canPin = TASKSET !== undefined;

/** As the image sets them (Dockerfile): what an operator measures is what we measure. */
const AS_DEPLOYED = { NODE_OPTIONS: '--max-old-space-size=1536', MALLOC_ARENA_MAX: '2' };

/** Starts `node ...args` on one core; `root` is the checkout that they belong to. */
export function startNode(core, args, env, root = process.cwd()) {
  return startOnCore(core, [process.execPath, ...args], { ...AS_DEPLOYED, ...env }, root, ['ipc']);
}

/** Starts any program on one core, with standard input closed. */
export function startOnCore(core, words, env, root = process.cwd(), channels = []) {
  const [command, ...args] = TASKSET === undefined ? words : [TASKSET, '-c', String(core), ...words];
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...channels],
  });
  let last = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      last = (last + chunk).slice(-2000);
    });
  }
  child.lastWords = () => last;
  return child;
}

/** Waits until `url` answers 200; gives the milliseconds since `since`. */
export async function untilReady(child, url, since = performance.now()) {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${child.lastWords()}`);
    const ready = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return performance.now() - since;
    await sleep(5);
  }
}

/** Resident memory in MB; undefined where the system does not tell. */
export function residentMb(child) {
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  } catch {
    return undefined;
  }
}

/**
 * Microseconds of CPU that a process has used, all threads together; undefined where the system does not tell. Other
 * processes on the same core take a request's time, but hardly its CPU.
 */
export function cpuMicros({ pid }) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const nanos = threads.map((id) =>
      Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]),
    );
    return nanos.reduce((sum, one) => sum + one, 0) / 1000;
  } catch {
    return undefined;
  }
}

export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Moves this process, the load, to a core of its own. */
export async function pinSelf(core) {
  if (TASKSET === undefined) return;
  const pin = spawn(TASKSET, ['-cp', String(core), String(process.pid)], { stdio: 'ignore' });
  await once(pin, 'exit');
}

/** Runs a script to its end on one core and gives what it printed. */
export async function output(core, args, env, root) {
  const child = startNode(core, args, env, root);
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  await once(child, 'close');
  if (child.exitCode !== 0) throw new Error(child.lastWords());
  return text;
}
