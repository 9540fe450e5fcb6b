import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { BruteForceMeter, type SignInRefusal } from '../passwords/attempts/brute-force-meter.js';
import { Log } from '../shared/log.js';
import { RateLimiter } from '../shared/rate-limiter.js';

/** Settings of the watch; also the token under which configuration provides them. */
export abstract class WatchSettings {
  /** Refused sign-ins of the whole instance within a minute that are taken for an attack; 0 never. */
  abstract readonly refusalsPerMinute: number;
}

/** The interval between two alarms while the condition lasts. */
const ALARM_PAUSE_SECONDS = 900;
/** How long a replica stays strict after the last refusal over the threshold. */
const STRICT_MS = 60_000;
/** An alarm that is on is not asked for again at every refusal. */
const ASK_AGAIN_MS = 10_000;

/**
 * Watches refused sign-ins of the whole instance: password spraying spreads one password over many names and
 * addresses, so that no counter of a user or an address notices it. Above the threshold operators get an event
 * once, and while it lasts each address gets a quarter of its failures. Sign-ins continue: refusing everybody would do
 * the attacker's work.
 */
@Injectable()
export class WatchSignIns {
  private strictUntil = 0;
  private askAgainAt = 0;

  constructor(
    private readonly limiter: RateLimiter,
    private readonly events: EventsStore,
    private readonly settings: WatchSettings,
    private readonly meter: BruteForceMeter,
    private readonly log: Log,
  ) {}

  /** Failures of one address that are let through a minute: fewer while somebody sprays. */
  allowance(failuresPerMinute: number): number {
    if (performance.now() >= this.strictUntil) return failuresPerMinute;
    return Math.ceil(failuresPerMinute / 4);
  }

  /** Never fails: a watch that is broken must not stop a sign-in. */
  async refused(reason: SignInRefusal): Promise<void> {
    this.meter.refused(reason);
    const { refusalsPerMinute } = this.settings;
    const { allowed } = await this.limiter.hit('sign-ins-refused', 'instance', refusalsPerMinute);
    if (allowed) return;
    const now = performance.now();
    this.strictUntil = now + STRICT_MS;
    if (now < this.askAgainAt) return;
    this.askAgainAt = now + ASK_AGAIN_MS;
    try {
      if (!(await this.events.raiseAlarm('guessing_alarm', ALARM_PAUSE_SECONDS, { refusalsPerMinute })))
        return;
      this.meter.alarmed();
      this.log.warn('very many sign-ins are refused: possible password guessing', { refusalsPerMinute });
    } catch (error) {
      this.log.error('the guessing alarm could not be raised', error);
    }
  }
}
