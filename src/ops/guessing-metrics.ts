import { Injectable } from '@nestjs/common';
import { ClientGuessMeter } from '../domain/client-auth/client-guess-meter.js';
import { GuessingMeter, type SignInRefusal } from '../domain/passwords/guessing-meter.js';
import { Metrics } from './metrics.js';

/** What looks like guessing, as counters. */
@Injectable()
export class GuessingMetrics extends GuessingMeter {
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
export class ClientGuessMetrics extends ClientGuessMeter {
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
