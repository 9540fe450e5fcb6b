import { execFile } from 'node:child_process';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { startPostgres, type PrivatePostgres } from '../../scripts/services.mjs';
import { makeTestFolder } from '../../scripts/test-folder.mjs';
import { eventually } from '../workers/support/eventually.js';
import { runAsAdmin, selectAsAdmin } from './databases.js';

const run = promisify(execFile);
/** Killed processes, not machines: what a commit waits for is the standby, not the disk. */
const SETTINGS = { synchronous_commit: 'on' };

/** A PostgreSQL server and its standby, without which no commit of the first is acknowledged. */
export interface PostgresPair {
  readonly primary: PrivatePostgres;
  readonly standby: PrivatePostgres;
  /** Both, in libpq's grammar. */
  readonly url: string;
  /** The standby takes writes from now on. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/** The standby is a cold copy of the primary, which then follows it. */
export async function startPostgresPair(): Promise<PostgresPair> {
  const folder = makeTestFolder();
  const dirs = { primary: path.join(folder, 'primary'), standby: path.join(folder, 'standby') };
  const started: PrivatePostgres[] = [];
  const stop = async (): Promise<void> => {
    for (const server of started) await server.stop().catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const primary = await startPostgres({ dir: dirs.primary, durable: false, settings: SETTINGS });
    started.push(primary);
    await primary.stop();
    await run('cp', ['-a', dirs.primary, dirs.standby]);
    await rm(path.join(dirs.standby, 'process.json'), { force: true });
    await primary.restart();
    const { hostname, port, username, password } = new URL(primary.url);
    const follow = `host=${hostname} port=${port} user=${username} password=${password} application_name=standby`;
    const data = path.join(dirs.standby, 'data');
    await appendFile(path.join(data, 'postgresql.auto.conf'), `primary_conninfo = '${follow}'\n`);
    await writeFile(path.join(data, 'standby.signal'), '');
    const standby = await startPostgres({ dir: dirs.standby, durable: false, settings: SETTINGS });
    started.push(standby);
    await runAsAdmin(
      primary.url,
      `ALTER SYSTEM SET synchronous_standby_names = 'standby'`,
      'SELECT pg_reload_conf()',
    );
    await eventually('a synchronous standby', 30_000, async () => {
      const [row] = await selectAsAdmin(primary.url, 'SELECT sync_state AS state FROM pg_stat_replication');
      return row?.['state'] === 'sync';
    });
    const both = new URL(primary.url);
    const url = primary.url.replace(both.host, `${both.host},127.0.0.1:${standby.port}`);
    return {
      primary,
      standby,
      url: `${url}?target_session_attrs=read-write`,
      async promote() {
        await runAsAdmin(standby.url, 'SELECT pg_promote(true, 60)');
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
