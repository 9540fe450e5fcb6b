import { Injectable } from '@nestjs/common';
import { shareOf, type BrowserApplication } from '../applications/application.js';
import { ClientDocuments, DocumentUnavailable } from '../applications/client-documents.js';
import { findRequestUri, type RegisteredRequestUri } from '../applications/request-uri.js';
import { Clock } from '../shared/clock.js';
import { OAuthError } from '../shared/errors.js';
import { Log } from '../shared/log.js';
import { sha256 } from '../shared/random.js';
import { RateLimiter } from '../shared/rate-limiter.js';
import { readJwt } from '../signing-keys/read-jwt.js';
import { MOST_OBJECT_BYTES } from './request-object.js';

/** How long what was read counts, unless its server says less; and where the address has its hash, which it still has then. */
const LONGEST_MS = 60_000;
const LONGEST_BY_HASH_MS = 3_600_000;
/** From one fetch of an address to the next, whoever asks for what. */
const PAUSE_MS = 10_000;
/** Each has 16 kB at most. */
const MOST_REMEMBERED = 500;
const MOST_OF_AN_OWNER = 50;
/**
 * Within a minute, by all replicas together. Anybody can have an application's addresses called, by naming them: that takes away
 * what this application has, and of its owner's share no more than half. What an owner has is a small part of what all have.
 */
const FETCHES_FOR_A_CLIENT = 30;
const FETCHES_FOR_AN_OWNER = 60;
const FETCHES_OF_A_HOST = 120;
const FETCHES_IN_ALL = 1_200;
const EVERYBODY = 'everybody';

type Publisher = Pick<BrowserApplication, 'clientId' | 'orgId' | 'registration' | 'requestUris'>;

interface Read {
  readonly text: string;
  readonly hash: string;
  /** The hash in the address under which it was read. */
  readonly readAs: string | undefined;
  readonly readMs: number;
  readonly freshUntilMs: number;
}

interface Remembered {
  readonly owner: string;
  /** No fetch begins before this. */
  readonly pausedUntilMs: number;
  readonly read?: Read | undefined;
  /** Why the last fetch had nothing. */
  readonly problem?: string;
}

/**
 * Authorization requests at addresses that applications have registered (OpenID Connect Core §6.2), as they stand there: what they
 * are worth, their signatures say. No other address is called. Each process remembers what it read for a moment, so that nobody who opens
 * the same address again and again makes this service call anybody as often; nothing of it is stored.
 */
@Injectable()
export class PublishedRequests {
  private readonly remembered = new Map<string, Remembered>();
  private readonly underway = new Map<string, Promise<Remembered>>();

  constructor(
    private readonly documents: ClientDocuments,
    private readonly limiter: RateLimiter,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * @param requestUri as the browser has brought it
   * @returns a JWT, by whomever
   * @throws OAuthError invalid_request_uri; temporarily_unavailable past a limit
   */
  async read(requestUri: string, publisher: Publisher): Promise<string> {
    const wanted = findRequestUri(requestUri, publisher.requestUris);
    if (wanted === undefined) throw refused('is not registered for this application');
    const known = this.remembered.get(keyOf(wanted, publisher))?.read;
    const { text, hash } =
      known !== undefined && this.isCurrent(known, wanted) ? known : await this.refresh(wanted, publisher);
    if (wanted.isBinding && wanted.hash !== hash) throw refused('has another hash than what stands there');
    return text;
  }

  private isCurrent({ hash, readAs, readMs, freshUntilMs }: Read, wanted: RegisteredRequestUri): boolean {
    const nowMs = this.clock.nowMs();
    if (wanted.hash === hash) return readMs + LONGEST_BY_HASH_MS > nowMs;
    // another one says that what was read stands there no longer (Core §6.2.1)
    return freshUntilMs > nowMs && (wanted.hash === undefined || wanted.hash === readAs);
  }

  /** Whoever asks meanwhile waits for the same answer. */
  private async refresh(wanted: RegisteredRequestUri, publisher: Publisher): Promise<Read> {
    const key = keyOf(wanted, publisher);
    const begun = this.underway.get(key);
    if (begun !== undefined) return readOf(await begun);
    const known = this.remembered.get(key);
    if (known !== undefined && known.pausedUntilMs > this.clock.nowMs()) return readOf(known);
    const fetching = this.fetch(wanted, publisher, known?.read);
    this.underway.set(key, fetching);
    try {
      const next = await fetching;
      this.remember(key, next);
      return readOf(next);
    } finally {
      this.underway.delete(key);
    }
  }

  private async fetch(
    { address, hash: readAs }: RegisteredRequestUri,
    publisher: Publisher,
    before: Read | undefined,
  ): Promise<Remembered> {
    const owner = shareOf(publisher);
    const { host } = new URL(address);
    await this.admit(publisher, host);
    const pausedUntilMs = this.clock.nowMs() + PAUSE_MS;
    try {
      const options = { accepts: 'anything', onBehalfOf: owner } as const;
      const { text: found, maxAgeSeconds } = await this.documents.fetch(address, MOST_OBJECT_BYTES, options);
      // an editor has put a line end behind it
      const text = found.trim();
      if (readJwt(text) === undefined) throw new DocumentUnavailable('leads to no signed JWT');
      const readMs = this.clock.nowMs();
      const freshMs = maxAgeSeconds === undefined ? LONGEST_MS : Math.min(maxAgeSeconds * 1000, LONGEST_MS);
      const hash = sha256(found).toString('base64url');
      return { owner, pausedUntilMs, read: { text, hash, readAs, readMs, freshUntilMs: readMs + freshMs } };
    } catch (error) {
      if (!(error instanceof DocumentUnavailable)) throw error;
      this.log.info('a request that an application publishes cannot be read', {
        host,
        problem: error.message,
      });
      // what it was by its hash it still is
      return { owner, pausedUntilMs, read: before, problem: error.message };
    }
  }

  /** What is refused counts nowhere else, so that none of them takes more than its share of what all have. */
  private async admit(publisher: Publisher, host: string): Promise<void> {
    const limits = [
      ['published-requests-client', publisher.clientId, FETCHES_FOR_A_CLIENT],
      ['published-requests-owner', shareOf(publisher), FETCHES_FOR_AN_OWNER],
      ['published-requests-host', host, FETCHES_OF_A_HOST],
      ['published-requests-all', EVERYBODY, FETCHES_IN_ALL],
    ] as const;
    for (const [rule, source, perMinute] of limits) {
      if ((await this.limiter.hit(rule, source, perMinute)).allowed) continue;
      throw new OAuthError('temporarily_unavailable', 'too many requests are fetched, try again later');
    }
  }

  /** The one that was fetched longest ago goes: of the same owner where that has many, so that it takes nobody else's away. */
  private remember(key: string, next: Remembered): void {
    this.remembered.delete(key);
    const its = [...this.remembered].filter(([, { owner }]) => owner === next.owner);
    const [oldest] = this.remembered.keys();
    if (its.length >= MOST_OF_AN_OWNER) this.remembered.delete(its[0]?.[0] ?? '');
    else if (oldest !== undefined && this.remembered.size >= MOST_REMEMBERED) this.remembered.delete(oldest);
    this.remembered.set(key, next);
  }
}

/** @throws OAuthError */
function readOf({ read, problem }: Remembered): Read {
  if (problem !== undefined || read === undefined) throw refused(problem ?? 'cannot be fetched');
  return read;
}

/** Of one application: what another one has made of its share, or of the pause, is its own. */
function keyOf({ address }: RegisteredRequestUri, { clientId }: Publisher): string {
  return `${clientId} ${address}`;
}

/** OpenID Connect Core §3.1.2.6. */
function refused(problem: string): OAuthError {
  return new OAuthError('invalid_request_uri', `request_uri ${problem}`);
}
