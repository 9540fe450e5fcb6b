// One `npm start` per folder. The lock is a file that names its owner by number and birth, so that the lock of a
// killed run, or of a number that now belongs to some other program, holds nobody up.
import { constants, copyFileSync, linkSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { writePrivateFile } from './private-file.mjs';
import { bornAt, isSameProcess, readRecord } from './processes.mjs';

/**
 * Takes the lock. Returns `{ release, describe }`; `describe(fields)` adds what a second run should be told.
 * Resolves with `{ owner }` instead when a living run holds it.
 */
export function takeRunLock(file) {
  const mine = { pid: process.pid, born: bornAt(process.pid) };
  const draft = `${file}.${process.pid}`;
  const write = (record) => writePrivateFile(draft, JSON.stringify(record));
  for (;;) {
    write(mine);
    try {
      // A hard link appears whole or not at all, and only one of two can make it.
      linkOrCopy(draft, file);
      rmSync(draft);
      break;
    } catch (error) {
      rmSync(draft, { force: true });
      if (error.code !== 'EEXIST') throw error;
    }
    const owner = readRecord(file);
    if (isSameProcess(owner)) return { owner };
    removeStale(file, owner);
  }
  return {
    describe(fields) {
      write({ ...mine, ...fields });
      renameSync(draft, file);
    },
    release() {
      if (readRecord(file)?.born === mine.born) rmSync(file, { force: true });
    },
  };
}

/** Moves the stale lock aside; gives it back if a quicker run had replaced it in between. */
function removeStale(file, stale) {
  const aside = `${file}.stale-${process.pid}`;
  try {
    renameSync(file, aside);
    const moved = readFileSync(aside, 'utf8');
    if (moved !== JSON.stringify(stale) && isSameProcess(readRecord(aside))) linkOrCopy(aside, file);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Some mounted folders know no hard links; there the file is created exclusively instead. */
function linkOrCopy(from, to) {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP'].includes(error.code)) throw error;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}
