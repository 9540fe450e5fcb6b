import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Csrf } from '../../../src/http/shared/pages/csrf.js';
import { AccountBrowser } from '../../support/account-browser.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const SECURITY = '/account/security';
/**
 * Each POST that asks for a fresh proof: what its form is for, and the page that the form is on. A change of password asks for it
 * of people with a second factor alone (factors.spec.ts).
 */
const FORMS = [
  { to: '/account/data', step: 'data' },
  { to: '/account/delete', step: 'delete' },
  { to: '/account/email/change', step: 'email-change' },
  { to: '/account/phone/change', step: 'phone-change' },
  { to: `${SECURITY}/app`, step: 'app' },
  { to: `${SECURITY}/app/new`, step: 'new-app' },
  { to: `${SECURITY}/recovery-codes`, step: 'recovery-codes' },
  { to: `${SECURITY}/passkeys`, step: 'passkeys' },
  { to: `${SECURITY}/passkeys/challenge`, step: 'passkeys', page: `${SECURITY}/passkeys` },
  { to: `${SECURITY}/passkeys/1`, step: 'passkey-1' },
  { to: `${SECURITY}/identities/connect`, step: 'connect', page: `${SECURITY}/identities` },
  { to: `${SECURITY}/identities/disconnect`, step: 'disconnect', page: `${SECURITY}/identities` },
  { to: `${SECURITY}/codes/email`, step: 'codes' },
  { to: `${SECURITY}/codes/email/send`, step: 'codes', page: `${SECURITY}/codes/email` },
  { to: `${SECURITY}/codes/sms/remove`, step: 'codes', page: `${SECURITY}/codes/sms` },
];

const { api, world } = useWorld();

describe('a form that comes back when the proof is old', () => {
  it.each(FORMS)('leads back to its page once the reader has confirmed: $to', async ({ to, step, page }) => {
    const user = await aUser(world);
    const browser = await AccountBrowser.signedIn(api, user);
    const { rows } = await api.sql.query<{ id: string; agent: string }>(
      'SELECT id, user_agent_id AS agent FROM sessions WHERE user_id = $1',
      [user.userId],
    );
    const { id = '', agent = '' } = rows[0] ?? {};
    const csrf = api.app.get(Csrf).token('account', step, agent, id);
    await api.advance(601);
    const stale = await browser.post(to, { csrf, session: id });
    const confirm = `/account/confirm?next=${encodeURIComponent(page ?? to)}`;
    expect(stale).toMatchObject({ statusCode: 303, headers: { location: confirm } });
    const confirmed = await browser.fill(confirm, { password: PASSWORD });
    expect(confirmed).toMatchObject({ statusCode: 303, headers: { location: page ?? to } });
    // a page, or a way on to another where there is nothing to show
    expect([200, 302, 303]).toContain((await browser.get(page ?? to)).statusCode);
  });

  it('is any that the controllers and their pages have', () => {
    const folder = new URL('../../../src/http/account/', import.meta.url);
    const asking = readdirSync(folder)
      // where it is read
      .filter((name) => name !== 'account-visits.ts')
      .filter((name) => /submittedFresh|requireFresh/.test(readFileSync(new URL(name, folder), 'utf8')));
    expect(asking).toEqual([
      'app.controller.ts',
      'codes-page.ts',
      'connect-identity.controller.ts',
      'data.controller.ts',
      'delete.controller.ts',
      'email-change.controller.ts',
      'identities.controller.ts',
      'new-app.controller.ts',
      'passkey.controller.ts',
      'passkeys.controller.ts',
      'password-page.ts',
      'phone-change.controller.ts',
      'recovery-codes.controller.ts',
    ]);
  });
});
