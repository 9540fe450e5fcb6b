import { execFile } from 'node:child_process';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { startPostgres, type PrivatePostgres } from '../../scripts/services.mjs';
import { makeTestFolder } from '../../scripts/test-folder.mjs';
import { eventually } from '../workers/support/eventually.js';
import { own, takeBaseBackup } from './base-backup.js';
import { runAsAdmin, selectAsAdmin } from './databases.js';

const run = promisify(execFile);
const SETTINGS = {
  // killed processes, not machines: what a commit waits for is the standby, not the disk
  synchronous_commit: 'on',
  // what is written while a standby is made anew is still there when it asks for it
  wal_keep_size: '512MB',
};

interface Member {
  readonly dir: string;
  readonly server: PrivatePostgres;
}

/** A PostgreSQL server and its standby, without which no commit of the first is acknowledged. */
export class PostgresPair {
  private constructor(
    private readonly folder: string,
    /** Both, in libpq's grammar. */
    readonly url: string,
    private leader: Member,
    private follower: Member,
  ) {}

  /** The standby is a cold copy of the primary, which then follows it. */
  static async start(): Promise<PostgresPair> {
    const folder = makeTestFolder();
    const dirs = { leader: path.join(folder, 'one'), follower: path.join(folder, 'other') };
    const started: PrivatePostgres[] = [];
    try {
      const primary = await startPostgres({ dir: dirs.leader, durable: false, settings: SETTINGS });
      started.push(primary);
      await primary.stop();
      await run('cp', ['-a', dirs.leader, dirs.follower]);
      await rm(path.join(dirs.follower, 'process.json'), { force: true });
      await primary.restart();
      await follow(dirs.follower, primary);
      const standby = await startPostgres({ dir: dirs.follower, durable: false, settings: SETTINGS });
      started.push(standby);
      await waitForStandby(primary);
      const both = new URL(primary.url);
      const url = primary.url.replace(both.host, `${both.host},127.0.0.1:${standby.port}`);
      return new PostgresPair(
        folder,
        `${url}?target_session_attrs=read-write`,
        { dir: dirs.leader, server: primary },
        { dir: dirs.follower, server: standby },
      );
    } catch (error) {
      for (const server of started) await server.stop().catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get primary(): PrivatePostgres {
    return this.leader.server;
  }

  get standby(): PrivatePostgres {
    return this.follower.server;
  }

  /** The standby takes writes from now on. */
  async promote(): Promise<void> {
    await runAsAdmin(this.standby.url, 'SELECT pg_promote(true, 60)');
  }

  /** The primary dies, and the standby takes its place; there is no standby until `rebuildStandby`. */
  async failOver(): Promise<void> {
    await this.primary.kill();
    await this.promote();
    [this.leader, this.follower] = [this.follower, this.leader];
  }

  /** Where the dead server was, a copy of the primary, which goes on working meanwhile, follows it. */
  async rebuildStandby(): Promise<void> {
    const { dir, server } = this.follower;
    await rm(dir, { recursive: true });
    await takeBaseBackup(this.primary, this.leader.dir, dir);
    await follow(dir, this.primary);
    await own(this.leader.dir, dir);
    await server.restart();
    await waitForStandby(this.primary);
  }

  async stop(): Promise<void> {
    for (const { server } of [this.leader, this.follower]) await server.stop().catch(() => undefined);
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Has the copy in `dir` follow that server when it is started, and wait for nobody when it is promoted. */
async function follow(dir: string, primary: PrivatePostgres): Promise<void> {
  const { hostname, port, username, password } = new URL(primary.url);
  const data = path.join(dir, 'data');
  const settings = path.join(data, 'postgresql.auto.conf');
  const copied = await readFile(settings, 'utf8');
  const kept = copied
    .split('\n')
    .filter((line) => !/^(primary_conninfo|synchronous_standby_names)\b/.test(line));
  const source = `host=${hostname} port=${port} user=${username} password=${password} application_name=standby`;
  await writeFile(settings, kept.join('\n'));
  await appendFile(settings, `\nprimary_conninfo = '${source}'\n`);
  await writeFile(path.join(data, 'standby.signal'), '');
}

async function waitForStandby(primary: PrivatePostgres): Promise<void> {
  await runAsAdmin(
    primary.url,
    `ALTER SYSTEM SET synchronous_standby_names = 'standby'`,
    'SELECT pg_reload_conf()',
  );
  await eventually('a synchronous standby', 60_000, async () => {
    const [row] = await selectAsAdmin(primary.url, 'SELECT sync_state AS state FROM pg_stat_replication');
    return row?.['state'] === 'sync';
  });
}
