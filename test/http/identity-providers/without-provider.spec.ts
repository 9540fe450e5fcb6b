import { beforeAll, describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import { codeRequest, TestBrowser } from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { statementsOf } from '../../support/statements.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

// Providers and old systems cost nobody anything who signs in without one.

const THEIRS =
  /\b(identity_providers|user_identities|external_sign_ins|provider_sessions|provider_sign_outs|used_assertions|user_migrations?\w*)\b/;

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const user = given(() => aUser(world));

describe('a sign-in by password', () => {
  // what is read once and kept for all
  beforeAll(async () => void (await new TestBrowser(api).signIn(codeRequest(client), user)));

  it('asks for providers in the statement that reads the policy, and for nothing else of theirs', async () => {
    const sent = await statementsOf(api, async () => {
      const answered = await new TestBrowser(api).signIn(codeRequest(client), user);
      expect(answered.headers.location).toContain('code=');
    });
    const statements = sent.map(({ text }) => text);
    const theirs = statements.filter((text) => THEIRS.test(text));
    expect(theirs).toEqual([expect.stringContaining('LEFT JOIN login_policies')]);
    expect(statements.filter((text) => text.includes('login_policies'))).toHaveLength(1);
  });
});
