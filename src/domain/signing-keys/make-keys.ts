import { generateKeyPair, randomBytes, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import { exportJWK } from 'jose';
import { EventsStore } from '../events/events.store.js';
import { Sealer } from '../secrets/sealer.js';
import { randomId } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { KeyChain } from './chain-key.js';
import { privateKeyPlace, tokenKeyPlace } from './key-places.js';
import { requireCapacity } from './key-set-capacity.js';
import type { SigningAlgorithm } from './signing-key.js';
import { SigningKeysStore } from './signing-keys.store.js';

const generate = promisify(generateKeyPair);

/** `at` is when a key takes over that others must get to know first; without, it is used from now on. */
export interface NewKey {
  readonly chain: KeyChain;
  readonly at?: Date;
  readonly byEmergency?: boolean;
  readonly actorId?: string;
}

async function makePair(
  algorithm: SigningAlgorithm,
): Promise<{ publicKey: KeyObject; privateKey: KeyObject }> {
  switch (algorithm) {
    case 'RS256':
    // a plain RSA key, whose alg says how it signs: not every library reads keys of the type RSASSA-PSS
    case 'PS256':
      return await generate('rsa', { modulusLength: 2048 });
    case 'ES256':
      return await generate('ec', { namedCurve: 'P-256' });
    case 'EdDSA':
      return await generate('ed25519');
  }
}

/** Makes keys and writes them down, sealed. The caller holds the lock of SigningKeysStore. */
@Injectable()
export class MakeKeys {
  constructor(
    private readonly keys: SigningKeysStore,
    private readonly sealer: Sealer,
    private readonly events: EventsStore,
  ) {}

  /**
   * Every key comes from here, whoever asks for it.
   *
   * @returns the id of the new key
   * @throws ApiError failed-precondition where there is no room for another
   */
  async make(tx: Tx, { chain, at, byEmergency = false, actorId }: NewKey): Promise<string> {
    requireCapacity(await this.keysBeside(tx, chain), chain);
    const state = at === undefined ? 'current' : 'next';
    const as = { state, activatesAt: at ?? null, byEmergency } as const;
    const id =
      chain === 'opaque' ? await this.makeTokenKey(tx, as) : await this.makeSigningKey(tx, chain, as);
    await this.events.append(tx, {
      orgId: null,
      aggregateType: chain === 'opaque' ? 'token_key' : 'signing_key',
      aggregateId: id,
      sequence: 1,
      type: chain === 'opaque' ? 'token_key.added' : 'signing_key.added',
      actorId: actorId ?? null,
      data: { algorithm: chain, state },
    });
    return id;
  }

  private async keysBeside(tx: Tx, chain: KeyChain): Promise<readonly { readonly chain: KeyChain }[]> {
    if (chain === 'opaque') return (await this.keys.listTokenKeys(tx)).map(() => ({ chain }));
    return (await this.keys.listPublished(tx)).map(({ algorithm }) => ({ chain: algorithm }));
  }

  private async makeTokenKey(tx: Tx, as: StateOfNewKey): Promise<string> {
    const id = await this.keys.reserveTokenKeyId(tx);
    const { dataKeyId, sealed } = this.sealer.seal(tokenKeyPlace(id), randomBytes(32));
    await this.keys.addTokenKey(tx, { id, ...as, sealed, dataKeyId });
    return String(id);
  }

  private async makeSigningKey(tx: Tx, algorithm: SigningAlgorithm, as: StateOfNewKey): Promise<string> {
    const { publicKey, privateKey } = await makePair(algorithm);
    const kid = randomId();
    const jwk = await exportJWK(publicKey);
    const der = privateKey.export({ format: 'der', type: 'pkcs8' });
    const { dataKeyId, sealed } = this.sealer.seal(privateKeyPlace(kid), der);
    await this.keys.add(tx, {
      kid,
      algorithm,
      ...as,
      publicJwk: { ...jwk, kid, alg: algorithm, use: 'sig' },
      privateSealed: sealed,
      dataKeyId,
    });
    return kid;
  }
}

interface StateOfNewKey {
  readonly state: 'next' | 'current';
  readonly activatesAt: Date | null;
  readonly byEmergency: boolean;
}
