// Builds the console from console/ into dist/console/. The types of its API client are made from the OpenAPI document of the
// API that was just compiled, so that a page that no longer fits an answer fails the build.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const GENERATED = ['console', 'src', 'api', 'schema.gen.d.ts'];

/**
 * Makes the types and compiles the console against them; needs the compiled API.
 * @param {string} root @param {AbortSignal} [signal]
 * @throws Error with the words of whichever tool failed
 */
export async function checkConsole(root, signal) {
  const types = path.join(root, ...GENERATED);
  const made = await generated(root, signal);
  let old = '';
  try {
    old = readFileSync(types, 'utf8');
  } catch {
    // the first build
  }
  // untouched where nothing changed, so that editors and compilers keep what they know
  if (old !== made) writeFileSync(types, made);
  await compile(root, signal);
}

async function generated(root, signal) {
  await program(root, signal, path.join('scripts', 'openapi.mjs'));
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const ast = await openapiTS(JSON.parse(readFileSync(path.join(root, 'dist', 'openapi.json'), 'utf8')));
  return `// Made from the OpenAPI document by scripts/console.mjs.\n${astToString(ast)}`;
}

async function compile(root, signal) {
  await program(
    root,
    signal,
    path.join('node_modules', 'typescript7', 'bin', 'tsc'),
    '--noEmit',
    '-p',
    'console/tsconfig.json',
  );
}

/**
 * Writes dist/console/; takes no types, so that it can run while the API is compiled.
 * As a process of its own: vite makes the NODE_ENV of whoever loads it `production`.
 * @param {string} root @param {AbortSignal} [signal]
 * @throws Error with the bundler's words when it fails
 */
export async function bundleConsole(root, signal) {
  const config = path.join('console', 'vite.config.mjs');
  await program(
    root,
    signal,
    path.join('node_modules', 'vite', 'bin', 'vite.js'),
    'build',
    '--config',
    config,
    '--logLevel',
    'error',
  );
}

async function program(root, signal, ...args) {
  try {
    await promisify(execFile)(process.execPath, args, { cwd: root, signal, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    throw new Error(`${error.stdout ?? ''}${error.stderr ?? ''}` || error.message, { cause: error });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = path.resolve(import.meta.dirname, '..');
  await Promise.all([checkConsole(root), bundleConsole(root)]);
}
