import { describe, expect, it } from 'vitest';
import {
  makeRefreshToken,
  openSuccessor,
  refreshTokenHash,
  sealSuccessor,
} from '../../../src/domain/grants/refresh-token.js';
import { SealBroken } from '../../../src/domain/secrets/envelope.js';

describe('a sealed successor', () => {
  it('opens with the token it follows, and with nothing else', () => {
    const token = makeRefreshToken();
    const successor = makeRefreshToken();
    const sealed = sealSuccessor(token, successor);
    expect(openSuccessor(token, sealed)).toBe(successor);
    expect(() => openSuccessor(successor, sealed)).toThrow(SealBroken);
    expect(() => openSuccessor(makeRefreshToken(), sealed)).toThrow(SealBroken);
    // the database holds hash and seal: the hash is not the key
    expect(() => openSuccessor(refreshTokenHash(token).toString('base64url'), sealed)).toThrow(SealBroken);
    sealed.writeUInt8(sealed.readUInt8(20) ^ 1, 20);
    expect(() => openSuccessor(token, sealed)).toThrow(SealBroken);
  });
});
