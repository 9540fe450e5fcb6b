import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import { Sealer } from '../secrets/sealer.js';
import { crashPoint } from '../shared/crash-point.js';
import { OAuthError } from '../shared/errors.js';
import { RANDOM_ID } from '../shared/random.js';
import { privateKeyPlace, tokenKeyPlace } from './key-places.js';
import { leaseMsOf, maxAgeSeconds } from './key-schedule.js';
import { KeySettings, servedAlgorithms } from './key-settings.js';
import type { SigningAlgorithm } from './signing-key.js';
import { SigningKeysStore, type StoredPrivateKey } from './signing-keys.store.js';

export interface CurrentSigner {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly key: KeyObject;
}

/** What a client wants its tokens and answers signed by. */
export interface SignedBy {
  /** The instance's own without, and where that is not served. */
  readonly asked?: SigningAlgorithm;
  /** Nothing else will do, whatever was asked for. */
  readonly within?: readonly string[];
}

export interface TokenKey {
  readonly id: number;
  readonly key: Buffer;
}

interface Loaded {
  readonly until: number;
  readonly signers: ReadonlyMap<SigningAlgorithm, CurrentSigner>;
  /** The first is that of whoever asks for no algorithm, or for one that is not served. */
  readonly preferred: readonly CurrentSigner[];
  readonly currentTokenKey: TokenKey | undefined;
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
  /** How often this replica was told to invalidate its keys: an earlier read must not be cached. */
  private forgotten = 0;
  private readonly opened = new Map<string, CurrentSigner>();
  private readonly verifiers = new Map<string, Verifier & { readonly until: number }>();

  constructor(
    private readonly keys: SigningKeysStore,
    private readonly sealer: Sealer,
    private readonly settings: KeySettings,
  ) {}

  /** @throws OAuthError temporarily_unavailable while there is no key `within` what will do that signs already */
  async currentSigner({ asked, within }: SignedBy = {}): Promise<CurrentSigner> {
    const { signers, preferred } = await this.fresh();
    if (within !== undefined) {
      const allowed = preferred.find(({ algorithm }) => within.includes(algorithm));
      if (allowed !== undefined) return allowed;
      throw new OAuthError(
        'temporarily_unavailable',
        `no key signs yet by ${within.join(', ')}`,
        'the first key of such an algorithm was published and does not sign yet, or the key set has no room for it',
      );
    }
    const found = (asked === undefined ? undefined : signers.get(asked)) ?? preferred[0];
    if (found === undefined) throw new Error('there is no current signing key');
    return found;
  }

  async currentTokenKey(): Promise<TokenKey> {
    const { currentTokenKey } = await this.fresh();
    if (currentTokenKey === undefined) throw new Error('there is no current token key');
    return currentTokenKey;
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
    const known = typeof kid === 'string' ? this.verifiers.get(kid) : undefined;
    // a key that was removed meanwhile must be forgotten here as well
    if (known !== undefined && performance.now() < known.until) return known;
    return await this.verifierNow(kid);
  }

  /**
   * The same, for a caller who asks Postgres nothing else about the token: a key that was removed is unknown here as
   * soon as it was, whichever replica removed it.
   */
  async verifierNow(kid: unknown): Promise<Verifier | undefined> {
    if (typeof kid !== 'string' || !RANDOM_ID.test(kid)) return undefined;
    const until = performance.now() + this.settings.leaseMs;
    const { forgotten } = this;
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
    if (forgotten === this.forgotten) this.verifiers.set(kid, verifier);
    return verifier;
  }

  /** Has the next caller ask Postgres: after a change that must be seen here at once. */
  forget(): void {
    this.forgotten += 1;
    this.loaded = undefined;
    // a reading under way may have seen what was there before
    this.loading = undefined;
    this.verifiers.clear();
  }

  private async fresh(): Promise<Loaded> {
    const { loaded } = this;
    if (loaded !== undefined && performance.now() < loaded.until) return loaded;
    // callers that arrive together share one reading
    this.loading ??= this.reading();
    return await this.loading;
  }

  private reading(): Promise<Loaded> {
    const reading = this.load().finally(() => {
      if (this.loading === reading) this.loading = undefined;
    });
    return reading;
  }

  private async load(): Promise<Loaded> {
    // the lease counts from before the reading: what was true then is what we know
    const begun = performance.now();
    const { forgotten } = this;
    const [{ schedule }, stored, tokenKeys] = await Promise.all([
      this.keys.schedule(),
      this.keys.listCurrentPrivate(),
      this.keys.listTokenKeys(),
    ]);
    const signers = new Map(
      await Promise.all(stored.map(async (key) => [key.algorithm, await this.signerOf(key)] as const)),
    );
    // a newly chosen algorithm has to be published first: until then the previous one signs
    const preferred = [...servedAlgorithms(this.settings), ...signers.keys()].flatMap(
      (algorithm) => signers.get(algorithm) ?? [],
    );
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
    const loaded = {
      until: begun + leaseMsOf(schedule, this.settings),
      signers,
      preferred,
      currentTokenKey,
      tokenKeys: new Map(opened.map((entry) => [entry.id, entry])),
      keySet: {
        keys: published.map((key) => key.publicJwk),
        maxAgeSeconds: maxAgeSeconds(schedule),
      },
    };
    if (forgotten === this.forgotten) this.loaded = loaded;
    return loaded;
  }

  /** Opened once for as long as it signs. */
  private async signerOf({ kid, algorithm, ...stored }: StoredPrivateKey): Promise<CurrentSigner> {
    const known = this.opened.get(kid);
    if (known !== undefined) return known;
    const der = await this.sealer.open(privateKeyPlace(kid), {
      dataKeyId: stored.dataKeyId,
      sealed: stored.privateSealed,
    });
    const signer = { kid, algorithm, key: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) };
    for (const other of this.opened.values()) {
      if (other.algorithm !== algorithm) continue;
      // another key signs now, and this replica is about to go by it
      crashPoint('keys-before-refresh');
      this.opened.delete(other.kid);
    }
    this.opened.set(kid, signer);
    return signer;
  }
}
