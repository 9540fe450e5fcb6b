import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import { Sealer } from '../secrets/sealer.js';
import { KeyChainsStore } from './key-chains.store.js';
import { privateKeyPlace, tokenKeyPlace } from './key-places.js';
import { leaseMsOf, maxAgeSeconds } from './key-schedule.js';
import { KeySettings } from './key-settings.js';
import { KeysStore } from './keys.store.js';
import type { SigningAlgorithm } from './signing-key.js';

export interface CurrentSigner {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly key: KeyObject;
}

export interface TokenKey {
  readonly id: number;
  readonly key: Buffer;
}

/** As we make them; anything else in a token's header need not be looked for, and might not even be text. */
const KID = /^[A-Za-z0-9_-]{22}$/;

interface Loaded {
  readonly until: number;
  readonly signer: CurrentSigner;
  readonly currentTokenKey: TokenKey;
  readonly tokenKeys: ReadonlyMap<number, TokenKey>;
  readonly keySet: KeySet;
}

/** Members of the JWK Set (RFC 7517 §5), and for how long whoever got them may keep them. */
export interface KeySet {
  readonly keys: readonly JWK[];
  readonly maxAgeSeconds: number;
}

interface Verifier {
  readonly key: KeyObject;
  readonly algorithm: SigningAlgorithm;
}

/**
 * What this replica knows of the keys, under a short lease. Past the lease it asks Postgres again before it signs
 * anything: a replica that cannot reach Postgres stops signing rather than sign with a key that was retired
 * meanwhile (security F35). Whether a key found in a token is still good is asked of Postgres for every token.
 */
@Injectable()
export class KeyRing {
  private loaded: Loaded | undefined;
  private loading: Promise<Loaded> | undefined;
  private readonly verifiers = new Map<string, Verifier & { readonly until: number }>();

  constructor(
    private readonly keys: KeysStore,
    private readonly chains: KeyChainsStore,
    private readonly sealer: Sealer,
    private readonly settings: KeySettings,
  ) {}

  async currentSigner(): Promise<CurrentSigner> {
    return (await this.fresh()).signer;
  }

  async currentTokenKey(): Promise<TokenKey> {
    return (await this.fresh()).currentTokenKey;
  }

  /** The key an opaque token names, or undefined when there is none such (any more). */
  async tokenKey(id: number): Promise<TokenKey | undefined> {
    return (await this.fresh()).tokenKeys.get(id);
  }

  /** Every key that is published now. */
  async keySet(): Promise<KeySet> {
    return (await this.fresh()).keySet;
  }

  /** The public key of a kid in whatever state; whether it still counts is the caller's question to Postgres. */
  async verifier(kid: unknown): Promise<Verifier | undefined> {
    if (typeof kid !== 'string' || !KID.test(kid)) return undefined;
    const known = this.verifiers.get(kid);
    // a key that was removed meanwhile must be forgotten here as well
    if (known !== undefined && performance.now() < known.until) return known;
    const until = performance.now() + this.settings.leaseMs;
    const found = await this.keys.findPublic(kid);
    if (found === undefined) {
      this.verifiers.delete(kid);
      return undefined;
    }
    const verifier = {
      key: createPublicKey({ key: found.publicJwk as JsonWebKey, format: 'jwk' }),
      algorithm: found.algorithm,
      until,
    };
    this.verifiers.set(kid, verifier);
    return verifier;
  }

  /** Has the next caller ask Postgres: after a change that must be seen here at once. */
  forget(): void {
    this.loaded = undefined;
    this.verifiers.clear();
  }

  private async fresh(): Promise<Loaded> {
    const { loaded } = this;
    if (loaded !== undefined && performance.now() < loaded.until) return loaded;
    // callers that arrive together share one reading
    this.loading ??= this.load().finally(() => {
      this.loading = undefined;
    });
    return await this.loading;
  }

  private async load(): Promise<Loaded> {
    // the lease counts from before the reading: what was true then is what we know
    const begun = performance.now();
    const [{ schedule }, stored, tokenKeys] = await Promise.all([
      this.chains.schedule(),
      this.keys.findCurrentPrivate(this.settings.algorithm),
      this.keys.listTokenKeys(),
    ]);
    if (stored === undefined) throw new Error('there is no current signing key');
    // read after the key that signs, so that one which took its place in between cannot be missing
    const published = await this.keys.listPublished();
    const opened = await Promise.all(
      tokenKeys.map(async (entry) => ({
        id: entry.id,
        state: entry.state,
        key: await this.sealer.open(tokenKeyPlace(entry.id), entry),
      })),
    );
    const currentTokenKey = opened.find((entry) => entry.state === 'current');
    if (currentTokenKey === undefined) throw new Error('there is no current token key');
    const known = this.loaded?.signer;
    const signer =
      known?.kid === stored.kid
        ? known
        : {
            kid: stored.kid,
            algorithm: stored.algorithm,
            key: createPrivateKey({
              key: await this.sealer.open(privateKeyPlace(stored.kid), {
                dataKeyId: stored.dataKeyId,
                sealed: stored.privateSealed,
              }),
              format: 'der',
              type: 'pkcs8',
            }),
          };
    this.loaded = {
      until: begun + leaseMsOf(schedule, this.settings),
      signer,
      currentTokenKey,
      tokenKeys: new Map(opened.map((entry) => [entry.id, entry])),
      keySet: {
        keys: published.map((key) => key.publicJwk),
        maxAgeSeconds: maxAgeSeconds(schedule),
      },
    };
    return this.loaded;
  }
}
