import { expect } from 'vitest';
import type { TestUser } from '../../support/users.js';
import { eventually } from '../../workers/support/eventually.js';
import { HttpBrowser } from '../http-browser.js';
import type { RunningProgram } from './running-program.js';

/** A command-line tool of the quick starts: what starts it, and what signs its user out. */
export interface DeviceTool {
  readonly tool: () => RunningProgram;
  readonly logout: () => RunningProgram;
}

/** Somebody signs in by the code that the tool prints, is known when they come again, and signs out. */
export async function expectDeviceTool(
  { tool, logout }: DeviceTool,
  issuer: string,
  user: TestUser,
): Promise<void> {
  const name = 'Signed in as Ada Lovelace.';

  const first = tool();
  const [, address = '', code = ''] = await eventually(
    'the address and the code',
    20_000,
    () => /^Open (\S+)\nand check that the page shows (\S+)\.$/m.exec(first.output()) ?? undefined,
  );
  expect(new URL(address).searchParams.get('user_code')).toBe(code);
  const page = await new HttpBrowser(issuer).connectDevice(new URL(address), user);
  expect(page).toContain('Your device is connected');
  expect(await first.ended, first.output()).toBe(0);
  expect(first.output()).toContain(name);

  for (let time = 0; time < 2; time += 1) {
    const again = tool();
    expect(await again.ended, again.output()).toBe(0);
    expect(again.output().trim()).toBe(name);
  }

  const out = logout();
  expect(await out.ended, out.output()).toBe(0);
  expect(out.output().trim()).toBe('Signed out.');
  const anew = tool();
  await eventually('to be asked again', 20_000, () => anew.output().startsWith('Open '));
}
