import { expect, it } from 'vitest';
import { requireServedAlgorithm } from '../../../src/domain/applications/oidc-config-rules.js';

// What userinfo may be signed with, on an instance that signs with PS256 now and had ES256 before.

const settings = { algorithm: 'PS256' } as const;

it.each([null, 'RS256', 'PS256'] as const)('takes %s, whatever was on file', (userinfoAlgorithm) => {
  for (const before of [undefined, null, 'RS256', 'ES256'] as const)
    expect(() => requireServedAlgorithm({ userinfoAlgorithm }, settings, before)).not.toThrow();
});

it('takes the earlier algorithm from whom it is on file for, and from nobody else', () => {
  const old = { userinfoAlgorithm: 'ES256' } as const;
  expect(() => requireServedAlgorithm(old, settings, 'ES256')).not.toThrow();
  for (const before of [undefined, null, 'RS256', 'EdDSA'] as const)
    expect(() => requireServedAlgorithm(old, settings, before)).toThrow('must be PS256 or RS256');
});
