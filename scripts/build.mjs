// Compiles src/, workers/, migrations/ and the words of locales/ into dist/modules/, joins the programs from it (bundle.mjs)
// and builds the console (console.mjs), when anything they are made of has changed.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { PROGRAMS } from './bundle.mjs';
import { run } from './processes.mjs';

/** What a build is made of; the Dockerfile copies the same. */
export const FOLDERS = ['src', 'workers', 'migrations', 'locales', 'console', 'docs/quickstart'];
export const FILES = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'nest-cli.json',
  'scripts/bundle.mjs',
  'scripts/console.mjs',
  'scripts/openapi.mjs',
];
/** Without these a dist/ is not whole, whatever its stamp says. */
const ENTRIES = [
  ...PROGRAMS.flatMap((name) => [`${name}.js`, `modules/${name}.js`]),
  // started as a file, so no import would miss it
  'modules/src/domain/passwords/primitives/digest-rounds.mjs',
  'modules/src/domain/passwords/strength/guess-thread.mjs',
  'modules/src/ops/loop-watcher.mjs',
  'console/manifest.json',
];

/** Contents, not dates: a fresh clone, a branch switch or a touched file change nothing by themselves. */
function fingerprint(root) {
  const sources = FOLDERS.filter((folder) => existsSync(path.join(root, folder))).flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      // what a build makes is nothing that it is made from
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.gen.d.ts'))
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
  const modules = path.join(dist, 'modules');
  const isWhole = () => ENTRIES.every((file) => existsSync(path.join(dist, file)));
  const whole = isWhole();
  if (whole && stampOf(stampFile) === now.hash) {
    step.done('up to date');
    return;
  }

  step.note('compiling');
  // A compilation that fails leaves some outputs new and some old: from here on the old stamp is a lie.
  rmSync(stampFile, { force: true });
  // The compiler trusts its own record of what it wrote; files that vanished from dist/ would stay away.
  if (!whole) for (const file of compilerRecords(modules)) rmSync(file, { force: true });
  removeOrphans(modules, new Set(now.sources));
  // Each step is a process of its own: `npm start` and `npm test` live on for long after the build, and would keep its
  // memory (1.4 GB).
  const program = (...args) => run(process.execPath, args, { cwd: root, signal, group: true });
  // beside the compiler, which keeps one core busy for most of the build; its failure is told below
  const pages = program('scripts/console.mjs', 'bundle');
  pages.catch(() => {});
  const fail = (how, text) => {
    step.failed(how);
    const words = stripVTControlCharacters(text).trim().split('\n');
    throw new Error(`The build failed.\n${words.slice(-40).join('\n')}`);
  };
  const nest = path.join(root, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  const compiled = await program(nest, 'build');
  if (compiled.code !== 0) fail('nest build failed', compiled.output);
  step.note('bundling, checking the console');
  const bundled = await Promise.all([
    pages,
    program('scripts/bundle.mjs'),
    program('scripts/console.mjs', 'check'),
  ]);
  const failed = bundled.filter(({ code }) => code !== 0);
  if (failed.length > 0) fail('bundling failed', failed.map(({ output }) => output).join('\n'));
  if (!isWhole()) fail('bundling failed', 'Some outputs are missing.');
  writeFileSync(stampFile, now.hash);
  step.done(`${now.sources.length} files compiled`);
}

function stampOf(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function compilerRecords(modules) {
  return existsSync(modules)
    ? readdirSync(modules)
        .filter((name) => name.endsWith('.tsbuildinfo'))
        .map((name) => path.join(modules, name))
    : [];
}

/** Outputs whose source was deleted or renamed must not live on in dist/modules/. */
function removeOrphans(modules, sources) {
  for (const folder of FOLDERS.map((name) => path.join(modules, name)).filter((name) => existsSync(name))) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      const output = path.relative(modules, file);
      const source = output.replace(/\.mjs\.map$/, '.mjs').replace(/\.(js|js\.map|d\.ts)$/, '.ts');
      if (entry.isFile() && !sources.has(source)) rmSync(file);
    }
  }
}
