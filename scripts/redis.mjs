// A private Redis in a folder of its own: 127.0.0.1, free port, random password, append-only file, no eviction.
// Its configuration goes in by standard input, so that the password is neither on disk nor in the process list.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { anyFreePort } from './ports.mjs';
import { writePrivateFile } from './private-file.mjs';
import { describeEnd, endLeftover, launch } from './processes.mjs';
import { findRedis } from './redis-binary.mjs';

const STOP_PLAN = [
  ['SIGTERM', 10_000],
  ['SIGKILL', 5_000],
];
/** How the data is kept. */
const KEPT = `
      appendonly yes
      appendfsync everysec
      save ""
      maxmemory-policy noeviction
`;
/** Where an unpacked Redis is kept for all users of this file: start, test and bench. */
const PROGRAM_FOLDER = path.join(import.meta.dirname, '..', '.data', 'redis');

/**
 * Starts Redis on `dir`. Resolves with undefined when this machine has no Redis program and none can be fetched. `settings` are
 * more lines of its configuration; `sentinel` makes it one that watches others, and has no data.
 */
export async function startRedis({
  dir,
  logFile = path.join(dir, 'redis.log'),
  note,
  signal,
  password,
  settings = [],
  sentinel = false,
}) {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const recordFile = path.join(dir, 'process.json');
  await endLeftoverRedis(dir);
  const binary = await findRedis({ folder: PROGRAM_FOLDER, note, signal });
  if (binary === undefined) return undefined;
  const server = new RedisServer(
    { binary, data: path.join(dir, 'data'), logFile, recordFile, settings, sentinel },
    password,
  );
  try {
    await server.start();
  } catch (error) {
    // Redis is disposable here: what it cannot read (a file of a newer version, a torn write) is set aside.
    if (!existsSync(server.data)) throw error;
    renameSync(server.data, `${server.data}.unreadable-${Date.now()}`);
    await server.start();
  }
  return server;
}

/** Ends the server that a killed run left on `dir`, if there is one. Returns whether there was. */
export function endLeftoverRedis(dir) {
  return endLeftover(path.join(dir, 'process.json'), STOP_PLAN);
}

class RedisServer {
  #settings;
  #process;
  #port;
  #password;

  constructor(settings, password = randomBytes(24).toString('base64url')) {
    this.#settings = settings;
    this.#password = password;
  }

  get url() {
    return `redis://:${this.#password}@127.0.0.1:${this.#port}`;
  }
  get port() {
    return this.#port;
  }
  get pid() {
    return this.#process.pid;
  }
  get data() {
    return this.#settings.data;
  }
  /** "7.0.15 from the PATH": for people. */
  get description() {
    return `${this.#settings.binary.version} ${this.#settings.binary.origin}`;
  }
  /** Resolves with `{ code, signal }` when the running server ends, however it ends. */
  get exited() {
    return this.#process.exited;
  }
  tail(lines) {
    return this.#process.tail(lines);
  }

  async start() {
    for (let attempt = 1; ; attempt += 1) {
      this.#port ??= await anyFreePort();
      this.#launch();
      try {
        return await this.#untilReady();
      } catch (error) {
        const taken = this.#process.tail().includes('Address already in use');
        await this.#process.stop(STOP_PLAN);
        if (!taken || attempt === 3) throw error;
        this.#port = undefined;
      }
    }
  }

  /** Starts the ended server again: same port, same password, same data. */
  async restart() {
    await this.#process.stop(STOP_PLAN);
    await this.start();
  }

  async stop() {
    await this.#process.stop(STOP_PLAN);
  }

  hurry() {
    this.#process.signal('SIGKILL');
  }

  /** As a crash would end it: what was not yet written is lost. */
  async kill() {
    await this.#process.stop([['SIGKILL', 10_000]]);
  }

  /** Forgets everything. */
  async flush() {
    const answer = await this.#ask('FLUSHALL');
    if (answer !== '+OK') throw new Error(`FLUSHALL answered ${answer}`);
  }

  #launch() {
    const { binary, data, logFile, recordFile, settings, sentinel } = this.#settings;
    mkdirSync(data, { recursive: true, mode: 0o700 });
    // The working folder is `data`: no path has to be quoted.
    const config = `
      bind 127.0.0.1
      port ${this.#port}
      requirepass ${this.#password}
      dir ./
      ${sentinel ? '' : KEPT}
      daemonize no
      logfile ""
      ${settings.join('\n')}
    `;
    // a sentinel writes what it learns into its configuration, which has to be a file
    const file = path.join(data, 'sentinel.conf');
    if (sentinel && !existsSync(file)) writePrivateFile(file, config);
    this.#process = launch(binary.program, sentinel ? ['sentinel.conf', '--sentinel'] : ['-'], {
      cwd: data,
      env: binary.env,
      input: sentinel ? undefined : config,
      logFile,
      recordFile,
    });
  }

  async #untilReady() {
    const deadline = Date.now() + 300_000;
    for (;;) {
      const ended = this.#process.ended;
      if (ended !== undefined) throw new Error(`Redis ${describeEnd(ended)}.\n${this.#process.tail()}`);
      const answer = await this.#ask('PING').catch((error) => error.message);
      if (answer === '+PONG') return;
      if (Date.now() > deadline) throw new Error(`Redis did not become ready: ${answer}`);
      await sleep(20);
    }
  }

  /** One inline command and the first line of its answer; enough for PING and FLUSHALL, and needs no library. */
  #ask(command) {
    return new Promise((resolve, reject) => {
      const socket = net.connect(this.#port, '127.0.0.1');
      let text = '';
      socket.setTimeout(5_000, () => socket.destroy(new Error('no answer')));
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('connection closed')));
      socket.on('connect', () => socket.write(`AUTH ${this.#password}\r\n${command}\r\n`));
      socket.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
        const [auth, answer, rest] = text.split('\r\n');
        if (rest === undefined) return;
        resolve(auth === '+OK' ? answer : auth);
        socket.end();
      });
    });
  }
}
