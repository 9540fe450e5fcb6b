import { chown, cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { startPostgres, type PrivatePostgres } from '../../scripts/services.mjs';
import { eventually } from '../workers/support/eventually.js';

// A PostgreSQL that archives its write-ahead log, a base backup of it, and a cluster made of both, as chapter 26 of PostgreSQL's
// manual describes: what managed databases do behind a button.

/** The log, which has a way of its own, and files of temporary tables, which are gone before they are read. */
const NOT_COPIED = /^pg_wal\/(?!archive_status$)|^base\/\d+\/t\d+_|^base\/pgsql_tmp/;

/** Beside `data`; the server finds it from its own folder, which is the only one that it can surely walk to. */
const ARCHIVE = 'archive';

export async function startArchivingPostgres(dir: string): Promise<PrivatePostgres> {
  const settings = { archive_mode: 'on', archive_command: `cp %p ../${ARCHIVE}/%f` };
  const server = await startPostgres({ dir, durable: false, settings });
  // what is due before is archived at its next try
  const { uid, gid } = await stat(path.join(dir, 'data'));
  await mkdir(path.join(dir, ARCHIVE), { mode: 0o700 });
  await chown(path.join(dir, ARCHIVE), uid, gid);
  return server;
}

/** Copies the data folder of a server that goes on working. */
export async function takeBaseBackup(server: PrivatePostgres, from: string, to: string): Promise<void> {
  await within(server, async (client) => {
    await client.query(`SELECT pg_backup_start('test', true)`);
    const data = path.join(from, 'data');
    await mkdir(to, { mode: 0o700 });
    await cp(data, path.join(to, 'data'), {
      recursive: true,
      preserveTimestamps: true,
      filter: (file) => {
        const inside = path.relative(data, file);
        return inside !== 'postmaster.pid' && !NOT_COPIED.test(inside);
      },
    });
    const { rows } = await client.query<{ labelfile: string }>(`SELECT labelfile FROM pg_backup_stop(false)`);
    await writeFile(path.join(to, 'data', 'backup_label'), rows[0]?.labelfile ?? '');
    await writeFile(path.join(to, 'password'), await readFile(path.join(from, 'password'), 'utf8'), {
      mode: 0o600,
    });
  });
}

/** Waits until all that was committed so far is in the archive. */
export async function archiveNow(server: PrivatePostgres): Promise<void> {
  await within(server, async (client) => {
    const { rows } = await client.query<{ name: string }>(`SELECT pg_walfile_name(pg_switch_wal()) AS name`);
    const last = rows[0]?.name ?? '';
    await eventually('the log in the archive', 60_000, async () => {
      const found = await client.query<{ name: string | null }>(
        `SELECT last_archived_wal AS name FROM pg_stat_archiver`,
      );
      return (found.rows[0]?.name ?? '') >= last;
    });
  });
}

/** A cluster in `to`, where the base backup is, with what the archive of `from` has until that moment. */
export async function restoreUntil(moment: string, from: string, to: string): Promise<PrivatePostgres> {
  const data = path.join(to, 'data');
  await cp(path.join(from, ARCHIVE), path.join(to, ARCHIVE), { recursive: true });
  await writeFile(path.join(data, 'recovery.signal'), '');
  const settings = path.join(data, 'postgresql.auto.conf');
  await writeFile(
    settings,
    [
      `restore_command = 'cp ../${ARCHIVE}/%f %p'`,
      `recovery_target_time = '${moment}'`,
      `recovery_target_action = 'promote'`,
      '',
    ].join('\n'),
  );
  await own(from, to);
  const server = await startPostgres({ dir: to, durable: false });
  await within(server, async (client) => {
    await eventually('the end of the recovery', 120_000, async () => {
      const { rows } = await client.query<{ recovering: boolean }>(
        `SELECT pg_is_in_recovery() AS recovering`,
      );
      return rows[0]?.recovering === false;
    });
  });
  return server;
}

/** As root, the copies belong to whom the originals belong. */
export async function own(from: string, to: string): Promise<void> {
  const { uid, gid } = await stat(path.join(from, 'data'));
  const entries = await readdir(to, { recursive: true, withFileTypes: true });
  await Promise.all(entries.map((entry) => chown(path.join(entry.parentPath, entry.name), uid, gid)));
}

export async function within<T>(
  server: PrivatePostgres,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: server.url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
