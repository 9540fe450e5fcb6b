import { describe, expect, it } from 'vitest';
import { leftHalfHash } from '../../../src/domain/tokens/token-hash.js';

describe('at_hash and c_hash', () => {
  // OpenID Connect Core, appendix A.4: at_hash of its example for RS256
  it('match the example of the standard', () => {
    expect(leftHalfHash('RS256', 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y')).toBe(
      '77QmUPtjPfzWtF2AnpK9RQ',
    );
  });

  it('are as long as the algorithm says', () => {
    expect(Buffer.from(leftHalfHash('PS256', 'x'), 'base64url')).toHaveLength(16);
    expect(Buffer.from(leftHalfHash('ES256', 'x'), 'base64url')).toHaveLength(16);
    expect(Buffer.from(leftHalfHash('EdDSA', 'x'), 'base64url')).toHaveLength(32);
  });
});
