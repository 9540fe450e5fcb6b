import { describe, expect, it } from 'vitest';
import { ResolveLoginName } from '../../../src/domain/sign-in/resolve-login-name.js';
import { useApi } from '../../support/api.js';
import { draw } from '../../support/draw.js';
import { aUser } from '../../support/users.js';
import { lookForTakeover } from '../../support/vouched-identity.js';
import { anOrganization } from '../../support/world.js';

const api = useApi();

describe('organizations that vouch for whatever they like', () => {
  // longer, and with other seeds, in test/faults/vouched-identity.spec.ts
  // 1043058053: a user name in full-width letters, which is the full login name that an address reads like
  it.each([13, 191, 1043058053])('S193: take over nobody by an address (seed %i)', async (seed) => {
    await lookForTakeover(api, draw(seed), 60);
    expect.hasAssertions();
  });

  it('S379: have no stranger whose full login name is an address that a colleague has proven, whoever else has', async () => {
    const [home, ...others] = await Promise.all(Array.from({ length: 6 }, () => anOrganization(api)));
    if (home === undefined) throw new Error('no organization');
    const address = `ada@${home.domain}`;
    const email = { address, verified: true };
    await aUser(home, { userName: 'ada' });
    const owner = await aUser(home, { userName: 'lovelace', email, proven: true });
    for (const one of others.slice(1)) await aUser(one, { userName: 'lovelace', email, proven: true });
    const names = api.app.get(ResolveLoginName);
    const elsewhere = await names.resolve(address, { application: others[0]?.orgId });
    expect(elsewhere?.userId).toBe(owner.userId);
  });
});
