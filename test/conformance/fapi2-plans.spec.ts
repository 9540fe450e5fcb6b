import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAPI2_MODULES, MESSAGE_MODULES, PLAIN_MODULES, type Fapi2Modules } from './modules/fapi2.js';
import { addFapi2Clients, Fapi2Run, type Fapi2Clients, type Fapi2Profile } from './support/fapi2-run.js';
import { Stage } from './support/stage.js';

// The variant of both plans is openid_connect, private_key_jwt, dpop, plain_fapi. What the suite asks of TLS is asked of the proxy.

const PLANS: readonly (readonly [name: string, profile: Fapi2Profile, modules: Fapi2Modules])[] = [
  ['fapi2-security-profile-final-test-plan', 'fapi2', { ...FAPI2_MODULES, ...PLAIN_MODULES }],
  [
    'fapi2-message-signing-final-test-plan',
    'fapi2_message_signing',
    { ...FAPI2_MODULES, ...MESSAGE_MODULES },
  ],
];

describe.each(PLANS)('%s', (_, profile, modules) => {
  let stage: Stage;
  let clients: Fapi2Clients;

  beforeAll(async () => {
    stage = await Stage.build({ SIGNING_ALG: 'ES256' });
    clients = await addFapi2Clients(stage, profile);
  });
  afterAll(() => stage.close());

  it.each(Object.entries(modules))('fapi2-security-profile-final-%s', async (__, module) => {
    const run = await Fapi2Run.begin(stage, clients, profile);
    await expect(module(run)).resolves.toBeUndefined();
  });
});
