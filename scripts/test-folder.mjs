// The folder in the temporary directory where one test run keeps its servers. It says whose it is, so that the next
// run can end and remove what a killed one left behind.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bornAt, isSameProcess, readRecord, writeRecord } from './processes.mjs';
import { endLeftoverPostgres, endLeftoverRedis } from './services.mjs';

const PREFIX = 'identity-test-';

export function makeTestFolder() {
  const folder = mkdtempSync(path.join(os.tmpdir(), PREFIX));
  writeRecord(path.join(folder, 'owner.json'), { pid: process.pid, born: bornAt(process.pid) });
  return folder;
}

/** Folders without an owner's record are strangers': they stay. */
export async function clearAbandonedTestFolders() {
  const names = readdirSync(os.tmpdir()).filter((name) => name.startsWith(PREFIX));
  for (const folder of names.map((name) => path.join(os.tmpdir(), name))) {
    const owner = readRecord(path.join(folder, 'owner.json'));
    if (owner === undefined || isSameProcess(owner)) continue;
    await endLeftoverRedis(path.join(folder, 'redis'));
    await endLeftoverPostgres(path.join(folder, 'postgres'));
    rmSync(folder, { recursive: true, force: true });
  }
}
