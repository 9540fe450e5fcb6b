import { generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Sealer } from '../../../src/domain/secrets/sealer.js';
import { KeyRing } from '../../../src/domain/signing-keys/key-ring.js';
import type { SigningKeysStore } from '../../../src/domain/signing-keys/signing-keys.store.js';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const KID = 'k'.repeat(22);
const published = {
  kid: KID,
  algorithm: 'EdDSA' as const,
  state: 'current' as const,
  publicJwk: { ...publicKey.export({ format: 'jwk' }), kid: KID, alg: 'EdDSA', use: 'sig' },
};

/** A database that can be away, and counts what it is asked. */
class FakeKeys {
  away = false;
  readings = 0;
  leadSeconds = 86_400;
  lookups: unknown[] = [];
  current: string | undefined = KID;
  others: string[] = [];

  private answer<T>(value: T): Promise<T> {
    return this.away ? Promise.reject(new Error('away')) : Promise.resolve(value);
  }

  listPublished() {
    this.readings += 1;
    return this.answer([published]);
  }

  schedule() {
    return this.answer({ schedule: { rotationSeconds: 0, leadSeconds: this.leadSeconds } });
  }

  listCurrentPrivate() {
    const sealed = { privateSealed: privateKey.export({ format: 'der', type: 'pkcs8' }), dataKeyId: 1 };
    return this.answer([
      ...(this.current === undefined ? [] : [{ kid: this.current, algorithm: 'EdDSA', ...sealed }]),
      ...this.others.map((algorithm) => ({ kid: algorithm, algorithm, ...sealed })),
    ]);
  }

  listTokenKeys() {
    return this.answer([
      { id: 2, state: 'current', sealed: Buffer.alloc(32, 2), dataKeyId: 1 },
      { id: 1, state: 'previous', sealed: Buffer.alloc(32, 1), dataKeyId: 1 },
    ]);
  }

  findPublic(kid: string) {
    this.lookups.push(kid);
    return this.answer(kid === KID ? published : undefined);
  }
}

const sealer = {
  open: (_place: unknown, value: { privateSealed?: Buffer; sealed: Buffer }) => Promise.resolve(value.sealed),
} as unknown as Sealer;

function ring(leaseMs = 10_000): { keys: FakeKeys; ring: KeyRing } {
  const keys = new FakeKeys();
  return {
    keys,
    ring: new KeyRing(keys as unknown as SigningKeysStore, sealer, {
      algorithm: 'EdDSA',
      leaseMs,
    }),
  };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the lease on keys', () => {
  it('is read once by callers that come together, and again when it is over', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    const { keys, ring: keyRing } = ring();
    await Promise.all([keyRing.currentSigner(), keyRing.currentTokenKey(), keyRing.keySet()]);
    expect(keys.readings).toBe(1);
    now.mockReturnValue(9_999);
    expect((await keyRing.currentSigner()).kid).toBe(KID);
    expect(keys.readings).toBe(1);
    now.mockReturnValue(10_000);
    await keyRing.currentSigner();
    expect(keys.readings).toBe(2);
  });

  it('is a quarter of a lead time that is short', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    const { keys, ring: keyRing } = ring();
    keys.leadSeconds = 20;
    expect((await keyRing.keySet()).maxAgeSeconds).toBe(5);
    now.mockReturnValue(4_999);
    await keyRing.currentSigner();
    expect(keys.readings).toBe(1);
    now.mockReturnValue(5_000);
    await keyRing.currentSigner();
    expect(keys.readings).toBe(2);
  });

  it('over, and PostgreSQL away: nothing is signed', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    const { keys, ring: keyRing } = ring();
    await keyRing.currentSigner();
    keys.away = true;
    expect((await keyRing.currentSigner()).kid).toBe(KID);
    now.mockReturnValue(10_001);
    await expect(keyRing.currentSigner()).rejects.toThrow('away');
    await expect(keyRing.currentTokenKey()).rejects.toThrow('away');
    keys.away = false;
    expect((await keyRing.currentSigner()).kid).toBe(KID);
  });

  it('with no current key: nothing is signed either', async () => {
    const { keys, ring: keyRing } = ring(0);
    keys.current = undefined;
    await expect(keyRing.currentSigner()).rejects.toThrow('no current signing key');
  });

  it('has a key for whoever asks for RS256, and its own for whoever asks for what is not served', async () => {
    const { keys, ring: keyRing } = ring();
    keys.others = ['RS256'];
    expect((await keyRing.currentSigner({ asked: 'RS256' })).kid).toBe('RS256');
    expect((await keyRing.currentSigner({ asked: 'ES256' })).kid).toBe(KID);
    expect((await keyRing.currentSigner()).kid).toBe(KID);
  });

  it('goes on with what signed before while an algorithm that was just chosen is only published', async () => {
    const { keys, ring: keyRing } = ring(0);
    keys.current = undefined;
    keys.others = ['ES256'];
    expect((await keyRing.currentSigner()).kid).toBe('ES256');
    keys.others = ['ES256', 'RS256'];
    expect((await keyRing.currentSigner()).kid).toBe('RS256');
    keys.current = KID;
    expect((await keyRing.currentSigner()).kid).toBe(KID);
  });

  it('keeps nothing of a reading that began before it was told to forget', async () => {
    const { keys, ring: keyRing } = ring();
    const before = keyRing.currentSigner();
    keyRing.forget();
    keys.current = 'n'.repeat(22);
    expect((await keyRing.currentSigner()).kid).toBe('n'.repeat(22));
    await before;
    expect((await keyRing.currentSigner()).kid).toBe('n'.repeat(22));
  });

  it('knows every token key that may still open something', async () => {
    const { ring: keyRing } = ring();
    expect((await keyRing.currentTokenKey()).id).toBe(2);
    expect((await keyRing.tokenKey(1))?.id).toBe(1);
    expect(await keyRing.tokenKey(3)).toBeUndefined();
  });
});

describe('a verifier', () => {
  it('is looked up once for each kid that exists', async () => {
    const { keys, ring: keyRing } = ring();
    for (let n = 0; n < 3; n += 1) expect((await keyRing.verifier(KID))?.algorithm).toBe('EdDSA');
    expect(keys.lookups).toEqual([KID]);
  });

  it.each([
    undefined,
    null,
    1,
    {},
    [KID],
    '',
    'short',
    `${KID}x`,
    `${KID.slice(1)}\u0000`,
    '../../etc/passwd-long00',
  ])('is not looked up for %j', async (kid) => {
    const { keys, ring: keyRing } = ring();
    expect(await keyRing.verifier(kid)).toBeUndefined();
    expect(keys.lookups).toEqual([]);
  });
});
