import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.js';
import { guardedFetch } from '../../../src/outbound/guarded-fetch.js';
import { OutboundOldSystem } from '../../../src/outbound/outbound-old-system.js';

/** The name leads nowhere: whoever looked it up would hear that, and not the refusal. */
const IN_CLEAR = 'http://old.example.invalid/sign-in';

describe('what was allowed once, by another setting, is not sent in clear (S362)', () => {
  it('by any call to a provider', async () => {
    await expect(guardedFetch(IN_CLEAR, {}, false)).rejects.toMatchObject({ name: 'ClearTextRefused' });
  });

  it('with a password, to an old system', async () => {
    const migrations = { openSecret: () => Promise.resolve('secret') } as never;
    const clock = { nowSeconds: () => 1_700_000_000 } as never;
    const config = { app: readConfig({ OUTBOUND_PRIVATE_ADDRESSES: 'refuse' }) };
    const system = new OutboundOldSystem(migrations, clock, config);
    const migration = {
      orgId: 'o',
      kind: 'webhook',
      deadlineMs: 4_000,
      settings: { url: IN_CLEAR },
    } as never;
    await expect(system.ask(migration, { loginName: 'ada', password: 'a password' })).rejects.toThrow(
      'ClearTextRefused',
    );
  });
});
