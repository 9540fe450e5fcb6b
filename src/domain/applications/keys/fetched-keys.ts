import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import { Clock } from '../../shared/clock.js';
import { OAuthError } from '../../shared/errors.js';
import { Log } from '../../shared/log.js';
import { RateLimiter } from '../../shared/rate-limiter.js';
import type { LiveKey } from '../applications.store.js';
import { ClientDocuments, DocumentUnavailable } from '../client-documents.js';
import { readKeySet, UnfitKeySet, type PublishedKeys } from './key-set.js';

/** How long a set counts as it was read: no shorter, whatever its server says, and no longer. */
const SHORTEST_MS = 60_000;
const DEFAULT_MS = 600_000;
const LONGEST_MS = 3_600_000;
/** While its server is away, a set that was read before counts for so long. */
const STALE_MS = 3_600_000;
/** From one fetch of an address to the next, whoever asks for what. */
const PAUSE_MS = 30_000;
const MOST_REMEMBERED = 1_000;
const MOST_BYTES = 64 * 1024;
/** Within a minute, by all replicas together. */
const FETCHES_OF_A_HOST = 120;
const FETCHES_IN_ALL = 1_200;
const EVERYBODY = 'everybody';

interface Remembered {
  /** None before the first fetch that succeeded. */
  readonly keys: PublishedKeys | undefined;
  readonly readMs: number;
  readonly freshUntilMs: number;
  /** No fetch begins before this. */
  readonly pausedUntilMs: number;
}

const NOTHING: Remembered = { keys: undefined, readMs: 0, freshUntilMs: 0, pausedUntilMs: 0 };

/**
 * Public keys at addresses that applications name (`jwks_uri`, RFC 7591 §2). Each process remembers the sets that it read. A
 * `kid` that is not in a set has it fetched again, so that a client can change its keys by itself; but no address is fetched
 * oftener than once in half a minute, so that nobody who makes up key ids makes this service call anybody.
 */
@Injectable()
export class FetchedKeys {
  private readonly remembered = new Map<string, Remembered>();
  private readonly underway = new Map<string, Promise<Remembered>>();

  constructor(
    private readonly documents: ClientDocuments,
    private readonly limiter: RateLimiter,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * The key itself, or what stands under its name where the application publishes its keys.
   * @throws OAuthError temporarily_unavailable where they cannot be had
   */
  async open(live: LiveKey, kid: string): Promise<JWK | undefined> {
    return 'publicJwk' in live ? live.publicJwk : await this.find(live.jwksUri, kid);
  }

  /**
   * Ask only for what is worth a call to somewhere else: whatever can be refused without a key was refused before.
   * @throws OAuthError temporarily_unavailable where they cannot be had
   */
  async find(address: string, kid: string): Promise<JWK | undefined> {
    const known = this.remembered.get(address) ?? NOTHING;
    const found = known.keys?.get(kid);
    if (found !== undefined && known.freshUntilMs > this.clock.nowMs()) return found;
    const { keys, readMs } = await this.refresh(address, known);
    if (keys === undefined || readMs + STALE_MS <= this.clock.nowMs()) {
      throw new OAuthError('temporarily_unavailable', 'the keys cannot be fetched at present');
    }
    return keys.get(kid);
  }

  /** Whoever asks meanwhile waits for the same answer. */
  private async refresh(address: string, known: Remembered): Promise<Remembered> {
    const begun = this.underway.get(address);
    if (begun !== undefined) return await begun;
    if (known.pausedUntilMs > this.clock.nowMs()) return known;
    const fetching = this.fetch(address, known);
    this.underway.set(address, fetching);
    try {
      return await fetching;
    } finally {
      this.underway.delete(address);
    }
  }

  private async fetch(address: string, known: Remembered): Promise<Remembered> {
    const pausedUntilMs = this.clock.nowMs() + PAUSE_MS;
    const read = await this.read(address);
    const nowMs = this.clock.nowMs();
    const next =
      read === undefined
        ? { ...known, pausedUntilMs }
        : { keys: read.keys, readMs: nowMs, freshUntilMs: nowMs + read.freshMs, pausedUntilMs };
    this.remember(address, next);
    return next;
  }

  /** Undefined where nothing was to be had. A set that does not hold is one without keys: what it held before counts no longer. */
  private async read(
    address: string,
  ): Promise<{ readonly keys: PublishedKeys; readonly freshMs: number } | undefined> {
    const { host } = new URL(address);
    if (!(await this.isAdmitted(host))) return undefined;
    try {
      const { text, maxAgeSeconds } = await this.documents.fetch(address, MOST_BYTES);
      const wanted = maxAgeSeconds === undefined ? DEFAULT_MS : maxAgeSeconds * 1000;
      return { keys: readKeySet(text), freshMs: Math.min(Math.max(wanted, SHORTEST_MS), LONGEST_MS) };
    } catch (error) {
      if (error instanceof UnfitKeySet) {
        this.log.warn('a key set that an application publishes does not hold', {
          host,
          problem: error.message,
        });
        return { keys: new Map(), freshMs: 0 };
      }
      if (!(error instanceof DocumentUnavailable)) throw error;
      this.log.warn('a key set that an application publishes cannot be read', {
        host,
        problem: error.message,
      });
      return undefined;
    }
  }

  /** Each is a call to somewhere at somebody's word: bounded by where it goes, and in all. */
  private async isAdmitted(host: string): Promise<boolean> {
    const decisions = [
      await this.limiter.hit('client-keys-host', host, FETCHES_OF_A_HOST),
      await this.limiter.hit('client-keys-all', EVERYBODY, FETCHES_IN_ALL),
    ];
    return decisions.every(({ allowed }) => allowed);
  }

  /** The one that was fetched longest ago goes, so that who names many addresses takes nobody else's away at once. */
  private remember(address: string, next: Remembered): void {
    this.remembered.delete(address);
    const [oldest] = this.remembered.keys();
    if (oldest !== undefined && this.remembered.size >= MOST_REMEMBERED) this.remembered.delete(oldest);
    this.remembered.set(address, next);
  }
}
