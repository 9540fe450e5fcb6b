import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'identity-chromium-'));
  vi.stubEnv('CHROMIUM_PATH', '');
  vi.stubEnv('PATH', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

async function find(uid: number): Promise<readonly string[]> {
  vi.spyOn(process, 'getuid').mockReturnValue(uid);
  vi.resetModules();
  vi.doMock('../../../scripts/processes.mjs', () => ({ run: async () => ({ code: 1, output: '' }) }));
  const { findChromium } = (await import('../../../scripts/chromium.mjs')) as {
    findChromium: (options: { tell: (text: string) => void }) => Promise<unknown>;
  };
  const told: string[] = [];
  const failure = await findChromium({ tell: (text) => told.push(text) }).then(
    () => 'found',
    (error: Error) => error.message,
  );
  return [...told, failure];
}

it('is told before it is installed, as root and as anybody else', async () => {
  const asRoot = await find(0);
  expect(asRoot[0]).toContain('installing Debian');
  expect(asRoot.at(-1)).toContain('none by apt-get');
  const asOther = await find(1000);
  expect(asOther[0]).toContain('from npm into .data/chromium');
  expect(asOther.at(-1)).toContain('apt-get needs root');
});
