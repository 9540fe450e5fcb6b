// Builds the console from console/ into dist/console/. The types of its API client are made from the OpenAPI document of the
// API that was just compiled, so that a page that no longer fits an answer fails the build.
// `node scripts/console.mjs check` and `… bundle` do one half each; the second needs nothing that is compiled.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '..');
const GENERATED = path.join(root, 'console', 'src', 'api', 'schema.gen.d.ts');

/** Makes the types and compiles the console against them; needs the compiled API. */
async function check() {
  const made = await generatedTypes();
  let old = '';
  try {
    old = readFileSync(GENERATED, 'utf8');
  } catch {
    // the first build
  }
  // untouched where nothing changed, so that editors and compilers keep what they know
  if (old !== made) writeFileSync(GENERATED, made);
  await program('node_modules/typescript7/bin/tsc', '--noEmit', '-p', 'console/tsconfig.json');
}

async function generatedTypes() {
  await program('scripts/openapi.mjs');
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const ast = await openapiTS(JSON.parse(readFileSync(path.join(root, 'dist', 'openapi.json'), 'utf8')));
  return `// Made from the OpenAPI document by scripts/console.mjs.\n${astToString(ast)}`;
}

/** Writes dist/console/; takes no types, so that it can run while the API is compiled. */
async function bundle() {
  const config = 'console/vite.config.mjs';
  await program('node_modules/vite/bin/vite.js', 'build', '--config', config, '--logLevel', 'error');
}

/** @throws Error with the words of the program */
async function program(...args) {
  try {
    await promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    throw new Error(`${error.stdout ?? ''}${error.stderr ?? ''}` || error.message, { cause: error });
  }
}

const HALVES = { check, bundle };
const [, , half] = process.argv;
try {
  await Promise.all((half === undefined ? Object.values(HALVES) : [HALVES[half]]).map((run) => run()));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
