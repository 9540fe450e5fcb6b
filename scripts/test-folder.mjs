// The folder where one test run keeps its servers. It says whose it is, so that the next run can end and remove what a
// killed one left behind.
import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bornAt, isSameProcess, readRecord, writeRecord } from './processes.mjs';
import { endLeftoverPostgres, endLeftoverRedis } from './services.mjs';

const PREFIX = 'identity-test-';
/** Where Linux keeps files in memory. Containers often have 64 MB there. */
const MEMORY = '/dev/shm';
/** More than the databases of a whole run take at any time; as much again stays for the tests themselves. */
const MEMORY_NEEDED = 4 * 1024 ** 3;

/**
 * @param inMemory in memory where there is enough, for servers that need not outlive the machine. Every test file makes a
 *   database of a thousand files; on a disk a fifth of the run's CPU time went into making and removing them.
 */
export function makeTestFolder({ inMemory = false } = {}) {
  const parent = inMemory && memoryHasRoom() ? MEMORY : os.tmpdir();
  const folder = mkdtempSync(path.join(parent, PREFIX));
  writeRecord(path.join(folder, 'owner.json'), { pid: process.pid, born: bornAt(process.pid) });
  return folder;
}

/** Folders without an owner's record are strangers': they stay. */
export async function clearAbandonedTestFolders() {
  for (const folder of [os.tmpdir(), MEMORY].flatMap(testFoldersIn)) {
    const owner = readRecord(path.join(folder, 'owner.json'));
    if (owner === undefined || isSameProcess(owner)) continue;
    await endLeftoverRedis(path.join(folder, 'redis'));
    await endLeftoverPostgres(path.join(folder, 'postgres'));
    rmSync(folder, { recursive: true, force: true });
  }
}

function testFoldersIn(parent) {
  try {
    const names = readdirSync(parent).filter((name) => name.startsWith(PREFIX));
    return names.map((name) => path.join(parent, name));
  } catch {
    return [];
  }
}

function memoryHasRoom() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MEMORY_NEEDED && os.freemem() >= 2 * MEMORY_NEEDED;
  } catch {
    return false;
  }
}
