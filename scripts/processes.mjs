// Starting, watching and ending the processes that are ours, and recognising those that a killed run left behind.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPrivateLog, writePrivateFile } from './private-file.mjs';

/**
 * What tells one process from every other that had or will have its number: the boot it lives in and the moment
 * it was born. Undefined when there is no such process, or only its unreaped remains.
 */
export function bornAt(pid) {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      // The command in parentheses may itself hold spaces and parentheses: fields count from the last one.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
      return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}/${fields[19]}`;
    }
    const line = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
  } catch {
    return undefined;
  }
}

/** True while the very process that was recorded (same number, same birth) is alive. */
export function isSameProcess(record) {
  return record?.born !== undefined && bornAt(record.pid) === record.born;
}

export function readRecord(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Written whole or not at all: a run killed in the middle must not leave half a record. */
export function writeRecord(file, record) {
  writePrivateFile(file, JSON.stringify(record));
}

function signalProcess(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already, which is what was wanted.
  }
}

/** Signals a recorded process by `plan`, `[signal, patience in ms]` each, until it is gone. */
export async function endRecorded(record, plan) {
  for (const [signal, patience] of plan) {
    if (!isSameProcess(record)) return;
    signalProcess(record.pid, signal);
    const deadline = Date.now() + patience;
    while (Date.now() < deadline && isSameProcess(record)) await sleep(20);
  }
}

/** Ends the process that `file` records, if it still is that process. Returns whether there was one to end. */
export async function endLeftover(file, plan) {
  const record = readRecord(file);
  const alive = isSameProcess(record);
  if (alive) await endRecorded(record, plan);
  rmSync(file, { force: true });
  return alive;
}

export const STOP_PLAN = [
  ['SIGTERM', 22_000],
  ['SIGKILL', 5_000],
];

/**
 * Starts a program that outlives single commands. It gets a process group of its own, so that Ctrl-C reaches only
 * us and the order of stopping stays ours; its output goes to the end of `logFile`; `recordFile` remembers it.
 */
export function launch(command, args, { cwd, env, uid, gid, input, logFile, recordFile, note = {} }) {
  const offset = keepLogSmall(logFile);
  const log = openPrivateLog(logFile);
  const identity = uid === undefined ? {} : { uid, gid };
  const child = spawn(command, args, {
    cwd,
    env,
    ...identity,
    detached: true,
    stdio: [input === undefined ? 'ignore' : 'pipe', log, log],
  });
  closeSync(log);
  if (child.pid !== undefined && recordFile !== undefined) {
    writeRecord(recordFile, { pid: child.pid, born: bornAt(child.pid), ...note });
  }
  let ended;
  const exited = new Promise((resolve) => {
    const settle = (end) => {
      ended ??= end;
      if (recordFile !== undefined) rmSync(recordFile, { force: true });
      resolve(ended);
    };
    child.once('error', (error) => settle({ code: null, signal: null, error }));
    child.once('exit', (code, signal) => settle({ code, signal }));
  });
  if (input !== undefined) {
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  }
  return {
    pid: child.pid,
    exited,
    /** How it ended; undefined while it runs. */
    get ended() {
      return ended;
    },
    /** What it wrote to its log since it began, the last `lines` of it. */
    tail: (lines = 15) => tailOf(logFile, lines, offset),
    signal: (signal) => ended === undefined && signalProcess(child.pid, signal),
    async stop(plan = STOP_PLAN) {
      for (const [signal, patience] of plan) {
        if (ended !== undefined) break;
        signalProcess(child.pid, signal);
        await Promise.race([exited, sleep(patience, undefined, { ref: false })]);
      }
      return ended;
    },
  };
}

export function describeEnd(end) {
  if (end.error !== undefined) return `could not be started: ${end.error.message}`;
  return end.signal === null ? `ended with code ${end.code}` : `was ended by ${end.signal}`;
}

/** A log past 5 MB makes room for a new one beside it. Returns the size to read on from. */
function keepLogSmall(file) {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size < 5_000_000) return size;
  renameSync(file, `${file}.old`);
  return 0;
}

export function tailOf(file, lines, offset = 0) {
  try {
    return readFileSync(file)
      .subarray(offset)
      .toString('utf8')
      .trimEnd()
      .split('\n')
      .slice(-lines)
      .join('\n');
  } catch {
    return '';
  }
}

/**
 * Runs a command to its end. `onLine` sees each line of its output. Resolves with `{ code, output }`; an aborted
 * `signal` ends the command and rejects with an AbortError. `group` makes that end what the command started, too.
 */
export function run(command, args, { cwd, env, uid, gid, onLine, signal, timeoutMs, group = false } = {}) {
  return new Promise((resolve, reject) => {
    const identity = uid === undefined ? {} : { uid, gid };
    const options = { cwd, env, ...identity, detached: group, stdio: ['ignore', 'pipe', 'pipe'] };
    let child;
    try {
      child = spawn(command, args, options);
    } catch (error) {
      // Some failures to start (EPERM) are thrown, others come as an event.
      resolve({ code: 127, output: error.message });
      return;
    }
    const end = (how) => child.pid !== undefined && signalProcess(group ? -child.pid : child.pid, how);
    const abort = () => {
      end('SIGTERM');
      setTimeout(() => end('SIGKILL'), 3_000).unref();
    };
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => end('SIGKILL'), timeoutMs);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      let rest = '';
      stream.setEncoding('utf8').on('data', (chunk) => {
        output += chunk;
        if (onLine === undefined) return;
        const lines = (rest + chunk).split('\n');
        rest = lines.pop();
        for (const line of lines) onLine(line);
      });
      stream.on('end', () => rest !== '' && onLine?.(rest));
    }
    const settle = (code, text) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      if (signal?.aborted) reject(signal.reason);
      else resolve({ code, output: text });
    };
    child.once('error', (error) => settle(127, error.message));
    child.once('close', (code) => settle(code ?? 1, output));
  });
}
