import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { anyFreePort } from '../../../scripts/ports.mjs';
import { makeTestFolder } from '../../../scripts/test-folder.mjs';
import { selectAsAdmin } from '../../support/databases.js';
import { eventually } from '../../workers/support/eventually.js';

const run = promisify(execFile);
/** The first release of Debian whose PgBouncer keeps prepared statements (1.24), with what that is linked with. */
const RELEASE = 'trixie';
const PACKAGES =
  'pgbouncer libc6 libcares2 libevent-2.1-7t64 libpam0g libssl3t64 libsystemd0 libaudit1 libcap-ng0 libcap2 liblzma5 libzstd1 zlib1g';

/** It refuses to run as root. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** A program and what stands before its arguments. */
export type PgBouncerProgram = readonly string[];

/**
 * `PGBOUNCER_PATH`, else Debian's, unpacked into a folder and run by the loader that came with it: this machine's C
 * library may be older.
 */
export async function findPgBouncer(folder: string): Promise<PgBouncerProgram> {
  const given = process.env['PGBOUNCER_PATH'];
  if (given !== undefined) return [given];
  await chmod(folder, 0o755);
  const [lists, cache, debs, root] = ['lists', 'cache', 'debs', 'root'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string, string];
  for (const made of [path.join(lists, 'partial'), path.join(cache, 'archives/partial'), debs, root])
    await mkdir(made, { recursive: true });
  const { stdout } = await run('apt-get', [
    'indextargets',
    '--format',
    '$(REPO_URI) $(ORIGIN)',
    'Created-By: Packages',
  ]);
  const repository = /^(\S+) Debian$/m.exec(stdout)?.[1];
  if (repository === undefined)
    throw new Error('set PGBOUNCER_PATH: apt-get knows no Debian to fetch PgBouncer from');
  const source = path.join(folder, 'source.list');
  await writeFile(
    source,
    `deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${repository} ${RELEASE} main\n`,
  );
  const options = [
    ['Dir::Etc::sourcelist', source],
    ['Dir::Etc::sourceparts', '-'],
    ['Dir::State::lists', lists],
    ['Dir::Cache', cache],
    ['APT::Sandbox::User', ''],
  ].flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  await run('apt-get', [...options, 'update']);
  await run('apt-get', [...options, 'download', ...PACKAGES.split(' ')], { cwd: debs });
  for (const deb of await readdir(debs)) await run('dpkg', ['-x', path.join(debs, deb), root]);
  for (const triplet of await readdir(path.join(root, 'usr/lib'))) {
    const libraries = path.join(root, 'usr/lib', triplet);
    const loader = (await readdir(libraries)).find((file) => /^ld-linux.*\.so\.\d+$/.test(file));
    if (loader === undefined) continue;
    const program = path.join(root, 'usr/sbin/pgbouncer');
    if (!existsSync(program)) throw new Error('the package has no pgbouncer');
    return [path.join(libraries, loader), '--library-path', libraries, program];
  }
  throw new Error('the packages have no loader');
}

/** What stands in pgbouncer.ini beside where the server is. */
export interface PgBouncerSettings {
  readonly pool_mode: 'transaction' | 'session' | 'statement';
  readonly max_prepared_statements: string;
  readonly ignore_startup_parameters?: string;
  /** Of each connection that it makes. */
  readonly connectQuery?: string;
}

/** Before a private PostgreSQL. */
export class PgBouncer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly url: string,
  ) {}

  static async start(
    [program = '', ...before]: PgBouncerProgram,
    serverUrl: string,
    { connectQuery, ...settings }: PgBouncerSettings,
  ): Promise<PgBouncer> {
    const server = new URL(serverUrl);
    const port = await anyFreePort();
    const folder = makeTestFolder();
    await chmod(folder, 0o755);
    const users = path.join(folder, 'users.txt');
    await writeFile(users, `"${server.username}" "${server.password}"\n`);
    const query = connectQuery === undefined ? '' : ` connect_query='${connectQuery.replaceAll("'", "''")}'`;
    const ini = path.join(folder, 'pgbouncer.ini');
    const all = {
      listen_addr: '127.0.0.1',
      listen_port: String(port),
      unix_socket_dir: '',
      auth_type: 'scram-sha-256',
      auth_file: users,
      default_pool_size: '10',
      ...settings,
    };
    await writeFile(
      ini,
      [
        '[databases]',
        `* = host=${server.hostname} port=${server.port}${query}`,
        '[pgbouncer]',
        ...Object.entries(all).map(([name, value]) => `${name} = ${value}`),
        '',
      ].join('\n'),
    );
    const child = spawn(program, [...before, ini], {
      cwd: '/',
      stdio: 'ignore',
      ...UNPRIVILEGED,
    });
    server.port = String(port);
    const started = new PgBouncer(child, folder, server.href);
    await eventually('PgBouncer', 20_000, async () => {
      if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}`);
      return await selectAsAdmin(server.href, 'SELECT 1 AS one').then(
        () => true,
        () => false,
      );
    });
    return started;
  }

  async stop(): Promise<void> {
    const exited = new Promise((resolve) => this.child.once('exit', resolve));
    if (this.child.exitCode === null) {
      this.child.kill('SIGKILL');
      await exited;
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}
