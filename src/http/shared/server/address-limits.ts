import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../../config/config.js';
import type { Application } from '../../../domain/applications/application.js';
import { OPEN_CLIENT_OF_A_DAY } from '../../../domain/client-registration/client-registration-settings.js';
import { addressGroup } from '../../../domain/shared/address-group.js';
import { RateLimiter } from '../../../domain/shared/rate-limiter.js';
import { WatchSignIns } from '../../../domain/sign-in/watch-sign-ins.js';

/** Of all addresses together. With a thousand devices waiting, one of ten thousand minutes of so many guesses finds a code. */
const WRONG_DEVICE_CODES_PER_MINUTE = 3_000;
const EVERYBODY = 'everybody';
/** A server pushes the requests of all its users from one address: as many as a hundred addresses of theirs may begin. */
const PUSHED_BY_A_CLIENT = 100;

/** Of what a provider reports: calls that none has signed. Those that one did are never slowed down. */
const FALSE_REPORTS_PER_MINUTE = 60;

/** What came of an attempt, and whether it counts against whoever made it. */
export interface Attempted<T> {
  readonly result: T;
  readonly failed: boolean;
}

/** What came of an attempt, or the seconds to wait before there can be another. */
export type Tried<T> = { readonly wait: number } | { readonly result: T };

/** An address has sent too many requests. The last filter renders it as a page (429 with Retry-After). */
export class TooManyRequests extends Error {
  constructor(readonly retryAfterSeconds: number) {
    super('too many requests');
    this.name = 'TooManyRequests';
  }
}

/**
 * Per-address limits. Sign-in counts failures only, so a backend that signs in a thousand people a minute is never
 * slowed down, and one that guesses is. The key set counts every request: clients are meant to cache it. Failures of
 * clients are counted elsewhere (ClientFailures).
 */
@Injectable()
export class AddressLimits {
  /** Rule and source → attempts under way in this replica. */
  private readonly trying = new Map<string, number>();

  constructor(
    private readonly limiter: RateLimiter,
    private readonly watch: WatchSignIns,
    private readonly config: Config,
  ) {}

  /** Seconds to wait, or undefined when the request may continue. */
  countKeysRequest(request: FastifyRequest): number | undefined {
    return waitOf(this.limiter.tally('keys', request.ip, this.config.app.limits.keysPerMinute));
  }

  /**
   * Tries what somebody could have guessed (a password, a code, a name that is free) within the limit of their address.
   *
   * @param attempt gives its result, and whether it was a failure
   */
  async tryProof<T>({ ip }: FastifyRequest, attempt: () => Promise<Attempted<T>>): Promise<Tried<T>> {
    const most = this.watch.allowance(this.config.app.limits.signInFailuresPerMinute);
    return await this.within('sign-in', ip, most, attempt);
  }

  /**
   * Tries a device's code. Wrong ones count as failed sign-ins of their address do, and besides with all others, since guesses
   * from many addresses are as good (RFC 8628 §5.1).
   *
   * @param attempt gives undefined for a wrong one
   */
  async tryDeviceCode<T>(
    request: FastifyRequest,
    attempt: () => Promise<T | undefined>,
  ): Promise<Tried<T | undefined>> {
    // the address first: one that has had its failures has nothing under way that others would have to make room for
    const tried = await this.tryProof(request, async () => {
      const inAll = await this.within('device-code', EVERYBODY, WRONG_DEVICE_CODES_PER_MINUTE, async () => {
        const result = await attempt();
        return { result, failed: result === undefined };
      });
      return { result: inAll, failed: 'result' in inAll && inAll.result === undefined };
    });
    return 'wait' in tried ? tried : tried.result;
  }

  /** Looks up what a provider is said to report, without a signature that is known here. */
  async tryReport<T>({ ip }: FastifyRequest, attempt: () => Promise<Attempted<T>>): Promise<Tried<T>> {
    return await this.within('notification-reports', ip, FALSE_REPORTS_PER_MINUTE, attempt);
  }

  /** Counts a flow of a browser in which nobody ever signed in (AdmitFlow). @throws TooManyRequests */
  async admitFlow(request: FastifyRequest): Promise<void> {
    await this.admitAsFlow('flow', request);
  }

  /** Counts a challenge for a passkey, which is put on file: as many as there may be flows. @throws TooManyRequests */
  async admitChallenge(request: FastifyRequest): Promise<void> {
    await this.admitAsFlow('passkey-challenge', request);
  }

  /** An answer of a SAML provider, which anybody may send: it is parsed and decrypted before it is known to be one. @throws TooManyRequests */
  async admitExternalAnswer(request: FastifyRequest): Promise<void> {
    await this.admitAsFlow('external-answer', request);
  }

  /** A logout token, which anybody may send: its check costs a signature, and now and then a call. @throws TooManyRequests */
  async admitProviderLogout(request: FastifyRequest): Promise<void> {
    await this.admitAsFlow('provider-logout', request);
  }

  /** What a device asks for is put on file, by clients that need no secret: as many as there may be flows. */
  async countDeviceRequest(request: FastifyRequest): Promise<number | undefined> {
    return waitOf(await this.limiter.hit('device', request.ip, this.config.app.limits.newFlowsPerMinute));
  }

  /**
   * Counts a pushed request, which is put on file: of a client that shows no secret by its address, as flows are; of one that has
   * authenticated by the client. @throws TooManyRequests
   */
  async admitPushed(request: FastifyRequest, { authMethod, clientId }: Application): Promise<void> {
    const { newFlowsPerMinute: most } = this.config.app.limits;
    const wait = waitOf(
      authMethod === 'none'
        ? await this.limiter.hit('pushed', request.ip, most)
        : this.limiter.tally('pushed-client', clientId, most * PUSHED_BY_A_CLIENT),
    );
    if (wait !== undefined) throw new TooManyRequests(wait);
  }

  /**
   * Counts a registration by its address, right or wrong; one that needs no token also with all others, since addresses are
   * cheap, and by its address for a day: one that has had its day takes nothing of what there is for all. @throws TooManyRequests
   */
  async admitRegistration(request: FastifyRequest, isOpen: boolean): Promise<void> {
    const { registrationsPerMinute, openRegistrationsPerMinute, openRegistrationsPerDay } =
      this.config.app.limits;
    const ofAddress = waitOf(await this.limiter.hit('registration', request.ip, registrationsPerMinute));
    if (ofAddress !== undefined) throw new TooManyRequests(ofAddress);
    if (!isOpen) return;
    const hadDay = waitOf(
      await this.limiter.checkOfDay(OPEN_CLIENT_OF_A_DAY, request.ip, openRegistrationsPerDay),
    );
    if (hadDay !== undefined) throw new TooManyRequests(hadDay);
    const ofAll = waitOf(await this.limiter.hit('registration-all', EVERYBODY, openRegistrationsPerMinute));
    if (ofAll !== undefined) throw new TooManyRequests(ofAll);
    const ofDay = waitOf(
      await this.limiter.hitOfDay(OPEN_CLIENT_OF_A_DAY, request.ip, openRegistrationsPerDay),
    );
    if (ofDay !== undefined) throw new TooManyRequests(ofDay);
  }

  /** Clients that read and change what they registered: as many as there may be flows. @throws TooManyRequests */
  async admitConfiguration(request: FastifyRequest): Promise<void> {
    await this.admitAsFlow('client-configuration', request);
  }

  /** Forms that may send a mail to somebody: each counts, since abuse cannot be distinguished from honest use. */
  async countMailRequest(request: FastifyRequest): Promise<number | undefined> {
    return waitOf(
      await this.limiter.hit('mail-request', request.ip, this.config.app.limits.mailRequestsPerMinute),
    );
  }

  /**
   * Failures are counted when they are known, so attempts under way count beside them, as if each of them failed: no burst is
   * through before the first of it has failed, and none gets more attempts because some of it have.
   */
  private async within<T>(
    rule: string,
    source: string,
    most: number,
    attempt: () => Promise<Attempted<T>>,
  ): Promise<Tried<T>> {
    const name = `${rule} ${addressGroup(source)}`;
    // before the failures are read: one of these that fails meanwhile is counted twice rather than not at all
    const underWay = this.trying.get(name) ?? 0;
    this.trying.set(name, underWay + 1);
    try {
      const wait = waitOf(await this.limiter.check(rule, source, most, underWay));
      if (wait !== undefined) return { wait };
      const { result, failed } = await attempt();
      if (failed) await this.limiter.hit(rule, source, most);
      return { result };
    } finally {
      const left = (this.trying.get(name) ?? 1) - 1;
      if (left === 0) this.trying.delete(name);
      else this.trying.set(name, left);
    }
  }

  /** Of each kind an address may cause as many in a minute as there may be flows. @throws TooManyRequests */
  private async admitAsFlow(kind: string, { ip }: FastifyRequest): Promise<void> {
    const { newFlowsPerMinute } = this.config.app.limits;
    const wait = waitOf(await this.limiter.hit(kind, ip, newFlowsPerMinute));
    if (wait !== undefined) throw new TooManyRequests(wait);
  }

  /** 429 with Retry-After (RFC 6585 §4, RFC 9110 §10.2.3) in the JSON form of the token-level endpoints. */
  refuse(reply: FastifyReply, retryAfterSeconds: number): FastifyReply {
    return reply
      .code(429)
      .headers({ 'retry-after': String(retryAfterSeconds), 'cache-control': 'no-store' })
      .send({
        error: 'temporarily_unavailable',
        error_description: `too many requests, try again in ${retryAfterSeconds} seconds`,
      });
  }
}

function waitOf(decision: {
  readonly allowed: boolean;
  readonly retryAfterSeconds: number;
}): number | undefined {
  return decision.allowed ? undefined : decision.retryAfterSeconds;
}
