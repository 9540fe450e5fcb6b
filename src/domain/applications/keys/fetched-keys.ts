import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import { Clock } from '../../shared/clock.js';
import { OAuthError } from '../../shared/errors.js';
import { Log } from '../../shared/log.js';
import { RateLimiter } from '../../shared/rate-limiter.js';
import { shareOf } from '../application.js';
import type { LiveKey } from '../applications.store.js';
import { ClientDocuments, DocumentUnavailable } from '../client-documents.js';
import {
  admitsFetch,
  EVERYBODY,
  FetchedForShare,
  FETCHES_IN_ALL,
  FETCHES_OF_A_HOST,
  type FetchOwner,
} from '../fetched-for-share.js';
import { mayPublishAt, type Profiled } from '../security-profile.js';
import { keyNamed, readKeySet, UnfitKeySet, type PublishedKeys } from './key-set.js';

/** How long a set counts as it was read: no shorter, whatever its server says, and no longer. */
const SHORTEST_MS = 60_000;
const DEFAULT_MS = 600_000;
const LONGEST_MS = 3_600_000;
/** While its server is away, a set that was read before counts for so long. */
const STALE_MS = 3_600_000;
const BOUNDS = { pauseMs: 30_000, mostRemembered: 1_000, mostOfAnOwner: 100 } as const;
const MOST_BYTES = 64 * 1024;
/**
 * Within a minute, by all replicas together. One organization's applications can be made to cause all of their share by
 * anybody who sends assertions in their name: it is a small part of the others.
 */
const FETCHES_FOR_AN_OWNER = 40;

interface ReadKeys {
  /** None before the first fetch that succeeded. */
  readonly keys: PublishedKeys | undefined;
  readonly readMs: number;
  readonly freshUntilMs: number;
}

const NOTHING: ReadKeys = { keys: undefined, readMs: 0, freshUntilMs: 0 };

/**
 * Public keys at addresses that applications name (`jwks_uri`, RFC 7591 §2). Each process remembers the sets that it read. A
 * `kid` that is not in a set has it fetched again, so that a client can change its keys by itself; but no address is fetched
 * for one organization oftener than once in half a minute, so that nobody who makes up key ids makes this service call anybody.
 */
@Injectable()
export class FetchedKeys {
  private readonly fetched: FetchedForShare<ReadKeys>;

  constructor(
    private readonly documents: ClientDocuments,
    private readonly limiter: RateLimiter,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.fetched = new FetchedForShare(clock, BOUNDS);
  }

  /**
   * The key itself, or what stands under its name where the application publishes its keys.
   * @param profile what the application is held to
   * @throws OAuthError temporarily_unavailable where they cannot be had
   */
  async open(live: LiveKey, kid: string, profile: Profiled = {}): Promise<JWK | undefined> {
    if ('publicJwk' in live) return live.publicJwk;
    return mayPublishAt(live.jwksUri, profile)
      ? await this.find(live.jwksUri, kid, shareOf(live))
      : undefined;
  }

  /**
   * Ask only for what is worth a call to somewhere else: whatever can be refused without a key was refused before.
   * @param owner whose share of the calls it takes; none for an address that the operator has set
   * @throws OAuthError temporarily_unavailable where they cannot be had
   */
  async find(address: string, kid: string, owner?: string): Promise<JWK | undefined> {
    const key = keyOf(address, owner);
    const known = this.fetched.known(key) ?? NOTHING;
    const found = known.keys && keyNamed(known.keys, kid);
    if (found !== undefined && known.freshUntilMs > this.clock.nowMs()) return found;
    const { keys, readMs } = await this.fetched.refresh(key, owner, (before) =>
      this.fetch(address, owner, before ?? NOTHING),
    );
    if (keys === undefined || readMs + STALE_MS <= this.clock.nowMs()) {
      throw new OAuthError('temporarily_unavailable', 'the keys cannot be fetched at present');
    }
    return keyNamed(keys, kid);
  }

  private async fetch(address: string, owner: FetchOwner, before: ReadKeys): Promise<ReadKeys> {
    const read = await this.read(address, owner);
    if (read === undefined) return before;
    const readMs = this.clock.nowMs();
    return { keys: read.keys, readMs, freshUntilMs: readMs + read.freshMs };
  }

  /** Undefined where nothing was to be had. A set that does not hold is one without keys: what it held before counts no longer. */
  private async read(
    address: string,
    owner: FetchOwner,
  ): Promise<{ readonly keys: PublishedKeys; readonly freshMs: number } | undefined> {
    const { host } = new URL(address);
    if (owner !== undefined && !(await this.isAdmitted(owner, host))) return undefined;
    try {
      const { text, maxAgeSeconds } = await this.documents.fetch(address, MOST_BYTES);
      const wanted = maxAgeSeconds === undefined ? DEFAULT_MS : maxAgeSeconds * 1000;
      return { keys: readKeySet(text), freshMs: Math.min(Math.max(wanted, SHORTEST_MS), LONGEST_MS) };
    } catch (error) {
      if (error instanceof UnfitKeySet) {
        this.log.warn('invalid JWKS at the jwksUri of an application', {
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

  private async isAdmitted(owner: string, host: string): Promise<boolean> {
    return await admitsFetch(this.limiter, [
      ['client-keys-owner', owner, FETCHES_FOR_AN_OWNER],
      ['client-keys-host', host, FETCHES_OF_A_HOST],
      ['client-keys-all', EVERYBODY, FETCHES_IN_ALL],
    ]);
  }
}

/** Each organization has an address fetched for itself: what another one has made of its share, or of the pause, is its own. */
function keyOf(address: string, owner: FetchOwner): string {
  return `${owner ?? ''} ${address}`;
}
