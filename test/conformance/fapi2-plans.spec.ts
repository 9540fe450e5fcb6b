import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ABOUT_ASSERTIONS,
  ABOUT_PROOFS,
  BESIDE_THE_PLAN,
  CERTIFICATE_AUTH_MODULES,
  CERTIFICATE_MODULES,
  FAPI2_MODULES,
  MESSAGE_MODULES,
  PLAIN_MODULES,
  without,
  type Fapi2Modules,
} from './modules/fapi2.js';
import {
  addFapi2Clients,
  certificateStage,
  Fapi2Run,
  type Fapi2Clients,
  type Fapi2Variant,
} from './support/fapi2-run.js';
import { Stage } from './support/stage.js';

// The variants of both plans are openid_connect and plain_fapi, with each way to authenticate and to bind tokens. What the suite asks of
// TLS is asked of the proxy.

const SECURITY_PROFILE = { ...FAPI2_MODULES, ...PLAIN_MODULES };
const BOUND_BY_CERTIFICATE = { ...without(SECURITY_PROFILE, ABOUT_PROOFS), ...CERTIFICATE_MODULES };
const BY_CERTIFICATE = {
  ...without(BOUND_BY_CERTIFICATE, ABOUT_ASSERTIONS),
  ...CERTIFICATE_AUTH_MODULES,
};

const PLANS: readonly (readonly [plan: string, variant: Fapi2Variant, modules: Fapi2Modules])[] = [
  [
    'fapi2-security-profile-final-test-plan',
    { profile: 'fapi2', auth: 'private_key_jwt', bound: 'dpop' },
    SECURITY_PROFILE,
  ],
  [
    'fapi2-security-profile-final-test-plan',
    { profile: 'fapi2', auth: 'private_key_jwt', bound: 'mtls' },
    BOUND_BY_CERTIFICATE,
  ],
  [
    'fapi2-security-profile-final-test-plan',
    { profile: 'fapi2', auth: 'tls_client_auth', bound: 'dpop' },
    { ...without(SECURITY_PROFILE, ABOUT_ASSERTIONS), ...CERTIFICATE_AUTH_MODULES },
  ],
  [
    'fapi2-security-profile-final-test-plan',
    { profile: 'fapi2', auth: 'tls_client_auth', bound: 'mtls' },
    BY_CERTIFICATE,
  ],
  [
    'fapi2-security-profile-final-test-plan',
    { profile: 'fapi2', auth: 'self_signed_tls_client_auth', bound: 'mtls' },
    BY_CERTIFICATE,
  ],
  [
    'fapi2-message-signing-final-test-plan',
    { profile: 'fapi2_message_signing', auth: 'private_key_jwt', bound: 'dpop' },
    { ...FAPI2_MODULES, ...MESSAGE_MODULES },
  ],
  [
    'fapi2-message-signing-final-test-plan',
    { profile: 'fapi2_message_signing', auth: 'private_key_jwt', bound: 'mtls' },
    { ...without(FAPI2_MODULES, ABOUT_PROOFS), ...CERTIFICATE_MODULES, ...MESSAGE_MODULES },
  ],
];

it('has the 56 modules that the plan has for private_key_jwt and dpop', () => {
  expect(Object.keys(without(SECURITY_PROFILE, BESIDE_THE_PLAN))).toHaveLength(56);
});

describe.each(PLANS)('%s with %o', (_, variant, modules) => {
  let stage: Stage;
  let clients: Fapi2Clients;

  beforeAll(async () => {
    const needsCertificates = variant.auth !== 'private_key_jwt' || variant.bound === 'mtls';
    const { settings = {}, authority } = needsCertificates ? await certificateStage() : {};
    stage = await Stage.build({ SIGNING_ALG: 'ES256', ...settings });
    clients = await addFapi2Clients(stage, variant, authority);
  });
  afterAll(() => stage.close());

  it.each(Object.entries(modules))('fapi2-security-profile-final-%s', async (__, module) => {
    const run = await Fapi2Run.begin(stage, clients, variant);
    await expect(module(run)).resolves.toBeUndefined();
  });
});
