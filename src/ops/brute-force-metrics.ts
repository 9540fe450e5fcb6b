import { Injectable } from '@nestjs/common';
import { ClientBruteForceMeter } from '../domain/client-auth/client-brute-force-meter.js';
import { BruteForceMeter, type SignInRefusal } from '../domain/passwords/attempts/brute-force-meter.js';
import { Metrics } from './metrics.js';

/** What looks like guessing, as counters. */
@Injectable()
export class BruteForceMetrics extends BruteForceMeter {
  constructor(private readonly metrics: Metrics) {
    super();
  }

  override refused(reason: SignInRefusal): void {
    this.metrics.signInRefusals.inc({ reason: reason.replaceAll(' ', '_') });
  }

  override locked(): void {
    this.metrics.passwordLocks.inc();
  }

  override alarmed(): void {
    this.metrics.guessingAlarms.inc();
  }
}

/** What looks like guessing at the secrets of clients. */
@Injectable()
export class ClientBruteForceMetrics extends ClientBruteForceMeter {
  constructor(private readonly metrics: Metrics) {
    super();
  }

  override guessed(): void {
    this.metrics.clientGuesses.inc();
  }

  override alarmed(): void {
    this.metrics.clientGuessingAlarms.inc();
  }
}
