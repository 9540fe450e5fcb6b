import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { addressGroup } from '../shared/address-group.js';
import type { OAuthError } from '../shared/errors.js';
import type { OrgId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { sha256 } from '../shared/random.js';
import { RateLimiter, type RateDecision } from '../shared/rate-limiter.js';
import { ClientBruteForceMeter } from './client-brute-force-meter.js';
import { ClientFault } from './client-fault.js';

/** Settings of this module; also the token under which configuration provides them. */
export abstract class ClientFailureSettings {
  /** Failures within a minute that are answered with their own error; 0 is all of them. */
  abstract readonly failuresPerMinute: number;
}

/** Endpoints at which clients authenticate. What fails at one says nothing about another. */
export type ClientEndpoint =
  'token' | 'introspection' | 'revocation' | 'device_authorization' | 'pushed_authorization';

/** Clients that one address may fail for at once, to the limit each: what bounds the counters that it can make. */
const CLIENTS_AT_ONE_ADDRESS = 10;
/** The interval between two alarms about a client while the guessing lasts. */
const ALARM_PAUSE_SECONDS = 3_600;
/** The database is not asked again at every guess whether that is over. */
const ASK_AGAIN_MS = 60_000;
const MOST_ASKED = 1_000;

/**
 * Whose failures a failure counts with, and which failures are past the limit. Only requests that have failed come here:
 * one that is right is answered whatever others did, from the same address or in the client's name, and also past the
 * client's own limit, since users of an application can make it fail as well (a code that they made up). A limit
 * ahead of the proof would have to be one that strangers can fill; the proof itself is cheap (a hash, or a signature
 * past the claims), and what is proven has 256 bits, so that no number of guesses gets nearer to it.
 */
@Injectable()
export class ClientFailures {
  /** Client → when the alarm about it is asked for again, by performance.now(). */
  private readonly asked = new Map<string, number>();

  constructor(
    private readonly limiter: RateLimiter,
    private readonly events: EventsStore,
    private readonly settings: ClientFailureSettings,
    private readonly meter: ClientBruteForceMeter,
    private readonly log: Log,
  ) {}

  /**
   * Counts a failure that looks like guessing: of a client that has authenticated by the client alone, every other by
   * address and named client together. An unknown client id is counted like any other, or existing clients could be
   * recognized by their 429 responses.
   *
   * @returns seconds to wait if it is one too many; undefined if it is answered with its own error
   */
  async count(endpoint: ClientEndpoint, address: string, failure: OAuthError): Promise<number | undefined> {
    const client = failure instanceof ClientFault ? failure.client : undefined;
    // not awaited: the response time must not reveal that the client exists
    if (client?.identification === 'guessed' && client.known !== undefined) void this.watch(client.known);
    const decision =
      client?.identification === 'authenticated'
        ? await this.hit(`${endpoint}-client`, client.named)
        : await this.countUnauthenticated(endpoint, address, client?.named);
    return decision.allowed ? undefined : decision.retryAfterSeconds;
  }

  private async countUnauthenticated(
    endpoint: ClientEndpoint,
    address: string,
    named: string | undefined,
  ): Promise<RateDecision> {
    if (named === undefined) return await this.hit(`${endpoint}-nameless`, address);
    // there is no end to names that can be made up: past this they get no counters of their own
    const all = await this.hit(`${endpoint}-address`, address, CLIENTS_AT_ONE_ADDRESS);
    if (!all.allowed) return all;
    const name = sha256(named).toString('base64url').slice(0, 22);
    return await this.hit(`${endpoint}-named`, `${addressGroup(address)} ${name}`);
  }

  /** Guesses from many addresses are not blocked, each being below its limit; the client's organization gets an alarm. */
  private async watch(client: { readonly id: string; readonly orgId: OrgId }): Promise<void> {
    this.meter.guessed();
    try {
      await this.alarm(client);
    } catch (error) {
      this.log.error('the alarm about a client could not be raised', error);
    }
  }

  private async alarm({ id, orgId }: { readonly id: string; readonly orgId: OrgId }): Promise<void> {
    if ((await this.hit('client-guesses', id)).allowed) return;
    const now = performance.now();
    if (now < (this.asked.get(id) ?? 0)) return;
    // forgetting all of them costs a statement each; an endless list would cost the memory
    if (this.asked.size >= MOST_ASKED) this.asked.clear();
    this.asked.set(id, now + ASK_AGAIN_MS);
    const { failuresPerMinute } = this.settings;
    const about = { aggregateType: 'client_guesses', aggregateId: id, orgId } as const;
    if (!(await this.events.raiseAlarmAbout(about, ALARM_PAUSE_SECONDS, { failuresPerMinute }))) return;
    this.meter.alarmed();
    this.log.warn('very many wrong secrets for one client, somebody may be guessing', { clientId: id });
  }

  private async hit(rule: string, source: string, times = 1): Promise<RateDecision> {
    return await this.limiter.hit(rule, source, this.settings.failuresPerMinute * times);
  }
}
