import { execFile } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const OPS = path.join(process.env['TEST_DIST'] ?? path.resolve('dist'), 'modules/src/ops');
const moduleAt = (name: string) => JSON.stringify(pathToFileURL(path.join(OPS, name)).href);

/** A process that logs as ours do, and in which this happens a moment later. */
function processWith(accident: string): Promise<{ code: unknown; out: string }> {
  const script = `
    const { PinoLog } = await import(${moduleAt('pino-log.js')});
    const { logUncaught } = await import(${moduleAt('log-uncaught.js')});
    logUncaught(new PinoLog({ level: 'info', process: 'worker' }));
    const error = Object.assign(new Error('WRONGPASS'), { command: { name: 'auth', args: ['Marker-secret'] } });
    setTimeout(() => { ${accident} }, 10);
    setTimeout(() => {}, 60_000);`;
  return new Promise((resolve) => {
    execFile(process.execPath, ['--input-type=module', '--eval', script], (error, stdout, stderr) => {
      resolve({ code: error?.code, out: stdout + stderr });
    });
  });
}

it.each([
  ['is thrown', 'throw error;'],
  ['is rejected with', 'Promise.reject(error);'],
])(
  'S201: an error that nobody caught ends the process without what its library hung onto it: %s',
  async (_how, accident) => {
    const { code, out } = await processWith(accident);
    expect(code).toBe(1);
    expect(out).toContain('"message":"WRONGPASS"');
    expect(out).not.toContain('Marker');
  },
);
