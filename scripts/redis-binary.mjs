// Finds a real Redis (or Valkey) program: on the PATH, else unpacked from Debian packages into a folder of ours.
// Nothing is installed on the system and no root is needed: apt only downloads, dpkg only unpacks.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { run } from './processes.mjs';

const PROGRAMS = ['redis-server', 'valkey-server'];
/** BullMQ wants 6.2 at least. */
const OLDEST = [6, 2];

/**
 * Returns `{ program, env, version, origin }`, or undefined when this machine has none and none can be had.
 * `folder` keeps what was unpacked for the next run; `note(text)` hears what is going on.
 */
export async function findRedis({ folder, note = () => {}, signal }) {
  for (const program of PROGRAMS) {
    const version = await versionOf(program, process.env);
    if (version !== undefined) return { program, env: process.env, version, origin: 'from the PATH' };
  }
  if (process.platform !== 'linux') return undefined;
  const unpacked = path.join(folder, 'unpacked');
  return (await unpackedRedis(unpacked)) ?? (await fetchRedis(folder, unpacked, note, signal));
}

async function versionOf(program, env) {
  const { code, output } = await run(program, ['--version'], { env, cwd: '/', timeoutMs: 60_000 });
  const version = code === 0 ? /v=(\d+)\.(\d+)[.\d]*/.exec(output) : null;
  if (version === null) return undefined;
  const [major, minor] = [Number(version[1]), Number(version[2])];
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) return undefined;
  return version[0].slice(2);
}

async function unpackedRedis(unpacked) {
  const origin = 'unpacked from Debian packages';
  for (const name of PROGRAMS) {
    const program = path.join(unpacked, 'usr', 'bin', name);
    if (!existsSync(program)) continue;
    const env = { ...process.env, LD_LIBRARY_PATH: librariesIn(unpacked).join(':') };
    const version = await versionOf(program, env);
    if (version !== undefined) return { program, env, version, origin };
  }
  return undefined;
}

function librariesIn(unpacked) {
  const folders = ['usr/lib', 'lib']
    .map((folder) => path.join(unpacked, folder))
    .filter((folder) => existsSync(folder));
  return folders.flatMap((folder) => [
    folder,
    ...readdirSync(folder)
      .filter((name) => name.includes('-linux-'))
      .map((name) => path.join(folder, name)),
  ]);
}

async function fetchRedis(folder, unpacked, note, signal) {
  if ((await run('apt-get', ['--version'])).code !== 0 || (await run('dpkg', ['--version'])).code !== 0)
    return undefined;
  const downloads = path.join(folder, 'downloads');
  try {
    mkdirSync(downloads, { recursive: true });
    for (const name of ['redis-server', 'valkey-server']) {
      note(`fetching ${name} from Debian packages`);
      const files = await download(name, downloads, note, signal);
      if (files.length === 0) continue;
      const target = `${unpacked}.new`;
      rmSync(target, { recursive: true, force: true });
      for (const file of files) await run('dpkg', ['-x', path.join(downloads, file), target], { signal });
      rmSync(unpacked, { recursive: true, force: true });
      renameSync(target, unpacked);
      const found = await unpackedRedis(unpacked);
      if (found !== undefined) return found;
    }
    return undefined;
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    return undefined;
  } finally {
    rmSync(downloads, { recursive: true, force: true });
  }
}

/** The packages that this system lacks for `name`, as .deb files in `downloads`. Empty when they cannot be had. */
async function download(name, downloads, note, signal) {
  const own = privateLists(downloads);
  for (const lists of [[], own]) {
    if (lists === own) {
      note('reading package lists');
      mkdirSync(path.join(downloads, 'lists', 'partial'), { recursive: true });
      await apt(['update', ...own], downloads, signal);
    }
    // A simulated installation names what is missing here, dependencies included. It changes nothing.
    const plan = await apt(
      ['install', '--simulate', '--no-install-recommends', ...lists, name],
      downloads,
      signal,
    );
    const packages = [...plan.output.matchAll(/^Inst (\S+)/gm)].map((match) => match[1]);
    if (plan.code !== 0 || packages.length === 0 || packages.length > 30) continue;
    const fetched = await apt(['download', ...lists, ...packages], downloads, signal);
    const files = readdirSync(downloads).filter((file) => file.endsWith('.deb'));
    if (fetched.code === 0 && files.length > 0) return files;
  }
  return [];
}

/** Lists and cache of our own, for a machine that has none or whose own are out of date. */
function privateLists(downloads) {
  return asOptions([
    `Dir::State::Lists=${path.join(downloads, 'lists')}`,
    `Dir::Cache=${path.join(downloads, 'cache')}`,
  ]);
}

const asOptions = (settings) => settings.flatMap((setting) => ['-o', setting]);

function apt(args, downloads, signal) {
  // Time-outs are short: without a network the start must fall through to the next choice, not hang.
  const options = asOptions([
    'Debug::NoLocking=1',
    'APT::Sandbox::User=',
    'Acquire::Retries=0',
    'Acquire::http::Timeout=10',
    'Acquire::https::Timeout=10',
  ]);
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive', TMPDIR: downloads };
  return run('apt-get', ['-q', '-y', ...options, ...args], {
    cwd: downloads,
    env,
    signal,
    timeoutMs: 300_000,
  });
}
