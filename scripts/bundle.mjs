// Joins what the compiler wrote into few files: a process that reads 2,500 modules one by one is busy with that for
// seconds before it can answer. dist/modules/ keeps the modules as they were compiled, dist/src and dist/workers get the
// programs, dist/chunks what they share.
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

/** Programs, by their path without ending; each is started as a file of its own. */
export const PROGRAMS = [
  'src/main',
  'workers/main',
  'src/cli/identity',
  'src/cli/migrate',
  'src/cli/bootstrap',
  'src/cli/recover-administrator',
  'src/cli/rewrap-keys',
  'src/cli/finish-restore',
];

/** Packages that read files of their own, or are native: they stay in node_modules. */
const APART = [
  /^msgpackr/,
  /^@bull-board\//,
  /^@node-rs\//,
  /^swagger-ui-dist(\/|$)/,
  /^@simplewebauthn\/browser(\/|$)/,
];

/** What is not of the bundler's making. */
const KEPT = new Set(['modules', '.build-stamp', 'console', 'openapi.json']);

/** @param {string} dist @throws Error with the bundler's words when it fails */
export async function bundlePrograms(dist) {
  // only now: `npm start` and `npm test` load this file before they install the packages
  const { rolldown } = await import('rolldown');
  const modules = path.join(dist, 'modules');
  const bundle = await rolldown({
    input: Object.fromEntries(PROGRAMS.map((name) => [name, path.join(modules, `${name}.js`)])),
    platform: 'node',
    external: APART,
    plugins: [modulePlaces(modules)],
    // packages try what may be installed, such as the drivers of other databases
    onLog(level, log, handle) {
      if (log.code !== 'UNRESOLVED_IMPORT' && log.code !== 'EVAL') handle(level, log);
    },
  });
  const old = readdirSync(dist).filter((name) => !KEPT.has(name));
  for (const name of old) rmSync(path.join(dist, name), { recursive: true });
  await bundle.write({
    dir: dist,
    format: 'esm',
    sourcemap: true,
    // names of classes stand in errors and in Nest's log
    keepNames: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  });
  await bundle.close();
  // npx makes it executable when it links it for the first time, and no later: a file that is new since could not be run
  chmodSync(path.join(dist, 'src', 'cli', 'identity.js'), 0o755);
}

/** What a module says of its own place stays true: threads, migrations and package.json are found from there. */
function modulePlaces(modules) {
  return {
    name: 'module-places',
    // with the compiler's map, so that `node --enable-source-maps` names lines of TypeScript
    load(id) {
      const map = `${id}.map`;
      if (!id.startsWith(modules) || !existsSync(map)) return null;
      return { code: readFileSync(id, 'utf8'), map: readFileSync(map, 'utf8') };
    },
    transform(code, id) {
      if (!id.startsWith(modules) || !code.includes('import.meta.')) return null;
      const place = `__placeOf("${path.relative(modules, id)}")`;
      const placed = code
        .replaceAll('import.meta.dirname', `${place}.dirname`)
        .replaceAll('import.meta.url', `${place}.url`);
      // no line moves
      return { code: placed, map: null };
    },
    renderChunk(code, chunk) {
      const toModules = path.relative(path.dirname(chunk.fileName), 'modules');
      const placed = code.replaceAll(/__placeOf\("([^"]+)"\)\.(url|dirname)/g, (_, file, what) =>
        what === 'url'
          ? `new URL("${toModules}/${file}", import.meta.url).href`
          : `(import.meta.dirname + "/${path.join(toModules, path.dirname(file))}")`,
      );
      return placed === code ? null : { code: placed, map: null };
    },
  };
}

if (process.argv[1] === import.meta.filename)
  await bundlePrograms(path.join(import.meta.dirname, '..', 'dist'));
