import { expect } from 'vitest';
import type { Json } from '../checks/json.js';
import { randomText, type Success } from '../support/module-run.js';
import { NEEDS_THE_USER, type Modules } from './module.js';

/** The second answer came silently, from the sign-in that the first one began. */
function expectSameSignIn(first: Success, second: Success): void {
  expect(first.signIns, 'sign-ins at first').toBe(1);
  expect(second.signIns, 'sign-ins at second').toBe(0);
  expect(second.claims['sub']).toBe(first.claims['sub']);
  expect(second.claims['auth_time']).toBe(first.claims['auth_time']);
}

function authTime(claims: Json): number {
  expect(claims).toHaveProperty('auth_time');
  return Number(claims['auth_time']);
}

/** When the user is asked, and when not. */
export const SESSIONS: Modules = {
  'oidcc-prompt-login': async (run) => {
    const first = await run.succeed();
    await run.stage.advance(1);
    const second = await run.succeed({ prompt: 'login' });
    // REVIEW: the page of the second sign-in was shown
    expect(second.signIns).toBe(1);
    expect(authTime(second.claims)).toBeGreaterThan(authTime(first.claims));
  },

  'oidcc-prompt-none-not-logged-in': async (run) => {
    await run.fail(NEEDS_THE_USER, run.request({ prompt: 'none', state: randomText(128) }));
  },

  'oidcc-prompt-none-logged-in': async (run) => {
    const first = await run.succeed();
    // so that the time of an answer cannot pass for that of the sign-in
    await run.stage.advance(1);
    expectSameSignIn(first, await run.succeed({ prompt: 'none' }));
  },

  'oidcc-max-age-1': async (run) => {
    const first = await run.succeed();
    await run.stage.advance(2);
    const second = await run.succeed({ max_age: '1' });
    // REVIEW: the page of the second sign-in was shown
    expect(second.signIns).toBe(1);
    expect(authTime(second.claims)).toBeGreaterThan(authTime(first.claims));
    expect(Math.abs(authTime(second.claims) - run.stage.nowSeconds)).toBeLessThanOrEqual(300);
  },

  'oidcc-max-age-10000': async (run) => {
    const first = await run.succeed({ max_age: '15000' });
    await run.stage.advance(1);
    const second = await run.succeed({ max_age: '10000' });
    expectSameSignIn(first, second);
    expect(authTime(second.claims)).toBe(authTime(first.claims));
  },

  'oidcc-id-token-hint': async (run) => {
    const first = await run.succeed();
    await run.stage.advance(1);
    expectSameSignIn(first, await run.succeed({ prompt: 'none', id_token_hint: first.idToken }));
  },
};
