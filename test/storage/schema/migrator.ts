import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

const MODULE = new URL('../../../dist/modules/src/storage/postgres/migrating/migrate.js', import.meta.url);

export interface Migrator {
  /** SIGKILL: nothing of the process gets to say goodbye to the server. */
  kill(): void;
  /** Its exit code, null when a signal ended it. */
  readonly exit: Promise<number | null>;
}

/** Runs the built migrator in a process of its own, so that it can be killed. */
export function spawnMigrator(databaseUrl: string): Migrator {
  if (!existsSync(MODULE)) throw new Error('this test runs the built migrator: npm run build');
  const script = `import(${JSON.stringify(MODULE.href)}).then((m) => m.migrateDatabase(process.argv[1]))`;
  const child = spawn(process.execPath, ['--eval', script, databaseUrl], { stdio: 'ignore' });
  return {
    kill: () => child.kill('SIGKILL'),
    exit: new Promise((resolve) => child.once('exit', resolve)),
  };
}
