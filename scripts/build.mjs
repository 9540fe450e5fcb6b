// Compiles src/, workers/, migrations/ and the words of locales/ into dist/ when anything they are made of has changed.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { run } from './processes.mjs';

const FOLDERS = ['src', 'workers', 'migrations', 'locales'];
const FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'nest-cli.json'];
/** Without these a dist/ is not whole, whatever its stamp says. */
const ENTRIES = [
  'src/main.js',
  'workers/main.js',
  // started as a file, so no import would miss it
  'src/domain/passwords/primitives/digest-rounds.mjs',
  'src/domain/passwords/strength/guess-thread.mjs',
  'src/ops/loop-watcher.mjs',
];

/** Contents, not dates: a fresh clone, a branch switch or a touched file change nothing by themselves. */
function fingerprint(root) {
  const sources = FOLDERS.filter((folder) => existsSync(path.join(root, folder))).flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name))),
  );
  const hash = createHash('sha256').update(process.versions.node.split('.')[0]);
  for (const file of [...sources, ...FILES].sort()) {
    const content = existsSync(path.join(root, file)) ? readFileSync(path.join(root, file)) : '';
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return { hash: hash.digest('hex'), sources: sources.filter((file) => /\.(ts|mjs|json)$/.test(file)) };
}

/** Brings dist/ up to date as one step of the display. Rejects with the compiler's words when it fails. */
export async function buildIfStale({ root, step, signal }) {
  const dist = path.join(root, 'dist');
  const stampFile = path.join(dist, '.build-stamp');
  const now = fingerprint(root);
  const whole = ENTRIES.every((file) => existsSync(path.join(dist, file)));
  if (whole && stampOf(stampFile) === now.hash) {
    step.done('up to date');
    return;
  }

  step.note('compiling');
  // A compilation that fails leaves some outputs new and some old: from here on the old stamp is a lie.
  rmSync(stampFile, { force: true });
  // The compiler trusts its own record of what it wrote; files that vanished from dist/ would stay away.
  if (!whole) for (const file of compilerRecords(dist)) rmSync(file, { force: true });
  removeOrphans(dist, new Set(now.sources));
  const nest = path.join(root, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  const { code, output } = await run(process.execPath, [nest, 'build'], { cwd: root, signal });
  if (code !== 0 || !ENTRIES.every((file) => existsSync(path.join(dist, file)))) {
    step.failed('nest build failed');
    const words = stripVTControlCharacters(output).trim().split('\n');
    throw new Error(`The build failed.\n${words.slice(-40).join('\n')}`);
  }
  writeFileSync(stampFile, now.hash);
  step.done(`${now.sources.length} files compiled`);
}

function stampOf(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function compilerRecords(dist) {
  return existsSync(dist)
    ? readdirSync(dist)
        .filter((name) => name.endsWith('.tsbuildinfo'))
        .map((name) => path.join(dist, name))
    : [];
}

/** Outputs whose source was deleted or renamed must not live on in dist/. */
function removeOrphans(dist, sources) {
  for (const folder of FOLDERS.map((name) => path.join(dist, name)).filter((name) => existsSync(name))) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      const output = path.relative(dist, file);
      const source = output.replace(/\.mjs\.map$/, '.mjs').replace(/\.(js|js\.map|d\.ts)$/, '.ts');
      if (entry.isFile() && !sources.has(source)) rmSync(file);
    }
  }
}
