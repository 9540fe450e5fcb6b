import { Injectable } from '@nestjs/common';
import { shareOf, type BrowserApplication } from '../../applications/application.js';
import { ClientDocuments, DocumentUnavailable } from '../../applications/client-documents.js';
import {
  admitsFetch,
  EVERYBODY,
  FetchedForShare,
  FETCHES_IN_ALL,
  FETCHES_OF_A_HOST,
} from '../../applications/fetched-for-share.js';
import { findRequestUri, type RegisteredRequestUri } from '../../applications/request-uri.js';
import { Clock } from '../../shared/clock.js';
import { OAuthError } from '../../shared/errors.js';
import { Log } from '../../shared/log.js';
import { sha256 } from '../../shared/random.js';
import { RateLimiter } from '../../shared/rate-limiter.js';
import { readJwt } from '../../signing-keys/read-jwt.js';
import { MOST_OBJECT_BYTES } from './request-object.js';

/** How long what was read counts, unless its server says less; and where the address has its hash, which it still has then. */
const LONGEST_MS = 60_000;
const LONGEST_BY_HASH_MS = 3_600_000;
/** Each has 16 kB at most. */
const BOUNDS = { pauseMs: 10_000, mostRemembered: 500, mostOfAnOwner: 50 } as const;
/**
 * Within a minute, by all replicas together. Anybody can have an application's addresses called, by naming them: that takes away
 * what this application has, and of its owner's share no more than half. What an owner has is a small part of what all have.
 */
const FETCHES_FOR_A_CLIENT = 30;
const FETCHES_FOR_AN_OWNER = 60;

type Publisher = Pick<BrowserApplication, 'clientId' | 'orgId' | 'registration' | 'requestUris'>;

interface Read {
  readonly text: string;
  readonly hash: string;
  /** The hash in the address under which it was read. */
  readonly readAs: string | undefined;
  readonly readMs: number;
  readonly freshUntilMs: number;
}

interface Outcome {
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
  private readonly fetched: FetchedForShare<Outcome>;

  constructor(
    private readonly documents: ClientDocuments,
    private readonly limiter: RateLimiter,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.fetched = new FetchedForShare(clock, BOUNDS);
  }

  /**
   * @param requestUri as the browser has brought it
   * @returns a JWT, by whomever
   * @throws OAuthError invalid_request_uri; temporarily_unavailable past a limit
   */
  async read(requestUri: string, publisher: Publisher): Promise<string> {
    const wanted = findRequestUri(requestUri, publisher.requestUris);
    if (wanted === undefined) throw refused('is not registered for this application');
    const known = this.fetched.known(keyOf(wanted, publisher))?.read;
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

  private async refresh(wanted: RegisteredRequestUri, publisher: Publisher): Promise<Read> {
    const outcome = await this.fetched.refresh(keyOf(wanted, publisher), shareOf(publisher), (before) =>
      this.fetch(wanted, publisher, before?.read),
    );
    return readOf(outcome);
  }

  private async fetch(
    { address, hash: readAs }: RegisteredRequestUri,
    publisher: Publisher,
    before: Read | undefined,
  ): Promise<Outcome> {
    const { host } = new URL(address);
    await this.admit(publisher, host);
    try {
      const options = { accepts: 'anything', onBehalfOf: shareOf(publisher) } as const;
      const { text: found, maxAgeSeconds } = await this.documents.fetch(address, MOST_OBJECT_BYTES, options);
      // an editor has put a line end behind it
      const text = found.trim();
      if (readJwt(text) === undefined) throw new DocumentUnavailable('leads to no signed JWT');
      const readMs = this.clock.nowMs();
      const freshMs = maxAgeSeconds === undefined ? LONGEST_MS : Math.min(maxAgeSeconds * 1000, LONGEST_MS);
      const hash = sha256(found).toString('base64url');
      return { read: { text, hash, readAs, readMs, freshUntilMs: readMs + freshMs } };
    } catch (error) {
      if (!(error instanceof DocumentUnavailable)) throw error;
      this.log.info('a request that an application publishes cannot be read', {
        host,
        problem: error.message,
      });
      // what it was by its hash it still is
      return { read: before, problem: error.message };
    }
  }

  private async admit(publisher: Publisher, host: string): Promise<void> {
    const isAdmitted = await admitsFetch(this.limiter, [
      ['published-requests-client', publisher.clientId, FETCHES_FOR_A_CLIENT],
      ['published-requests-owner', shareOf(publisher), FETCHES_FOR_AN_OWNER],
      ['published-requests-host', host, FETCHES_OF_A_HOST],
      ['published-requests-all', EVERYBODY, FETCHES_IN_ALL],
    ]);
    if (isAdmitted) return;
    throw new OAuthError('temporarily_unavailable', 'too many requests are fetched, try again later');
  }
}

/** @throws OAuthError */
function readOf({ read, problem }: Outcome): Read {
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
