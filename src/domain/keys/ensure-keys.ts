import { generateKeyPair, randomBytes, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import { exportJWK } from 'jose';
import { EventsStore } from '../events/events.store.js';
import { Sealer } from '../secrets/sealer.js';
import { randomToken } from '../shared/random.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import { KeySettings } from './key-settings.js';
import { KeysStore } from './keys.store.js';
import type { NewSigningKey, SigningAlgorithm } from './signing-key.js';

const generate = promisify(generateKeyPair);

/** Where a signing key's private half is sealed. */
export function privateKeyPlace(kid: string) {
  return { purpose: 'signing-key', table: 'signing_keys', column: 'private_sealed', rowId: kid };
}

export function tokenKeyPlace(id: number) {
  return { purpose: 'token-key', table: 'token_keys', column: 'sealed', rowId: String(id) };
}

async function makePair(
  algorithm: SigningAlgorithm,
): Promise<{ publicKey: KeyObject; privateKey: KeyObject }> {
  switch (algorithm) {
    case 'RS256':
      return await generate('rsa', { modulusLength: 2048 });
    case 'ES256':
      return await generate('ec', { namedCurve: 'P-256' });
    case 'EdDSA':
      return await generate('ed25519');
  }
}

/**
 * Makes the first signing key and the first token key of an instance. Any number of replicas may start at once on
 * an empty database: they queue behind one lock and the second finds the work done.
 */
@Injectable()
export class EnsureKeys {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly keys: KeysStore,
    private readonly sealer: Sealer,
    private readonly events: EventsStore,
    private readonly settings: KeySettings,
  ) {}

  async run(): Promise<void> {
    // the usual start finds both and takes no lock
    const [published, tokenKeys] = await Promise.all([this.keys.listPublished(), this.keys.listTokenKeys()]);
    if (this.hasCurrent(published) && tokenKeys.length > 0) return;
    await this.unitOfWork.run(async (tx) => {
      await this.keys.lock(tx);
      if (!this.hasCurrent(await this.keys.listPublished(tx))) {
        const key = await this.makeSigningKey(this.settings.algorithm);
        await this.keys.add(tx, key);
        await this.events.append(tx, {
          orgId: null,
          aggregateType: 'signing_key',
          aggregateId: key.kid,
          sequence: 1,
          type: 'signing_key.added',
          actorId: null,
          data: { algorithm: key.algorithm, state: key.state },
        });
      }
      if ((await this.keys.listTokenKeys(tx)).length === 0) {
        const id = await this.keys.reserveTokenKeyId(tx);
        const { dataKeyId, sealed } = this.sealer.seal(tokenKeyPlace(id), randomBytes(32));
        await this.keys.addTokenKey(tx, { id, state: 'current', sealed, dataKeyId });
      }
    });
  }

  private hasCurrent(keys: readonly { state: string; algorithm: string }[]): boolean {
    return keys.some((key) => key.state === 'current' && key.algorithm === this.settings.algorithm);
  }

  private async makeSigningKey(algorithm: SigningAlgorithm): Promise<NewSigningKey> {
    const { publicKey, privateKey } = await makePair(algorithm);
    const kid = randomToken(16);
    const jwk = await exportJWK(publicKey);
    const der = privateKey.export({ format: 'der', type: 'pkcs8' });
    const { dataKeyId, sealed } = this.sealer.seal(privateKeyPlace(kid), der);
    return {
      kid,
      algorithm,
      state: 'current',
      publicJwk: { ...jwk, kid, alg: algorithm, use: 'sig' },
      privateSealed: sealed,
      dataKeyId,
    };
  }
}
