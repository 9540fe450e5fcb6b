import type { ChannelError } from '../channels.js';

/** So many failures in a row, and the provider is left alone for a while. */
export const FAILURES_TO_OPEN = 5;
const FIRST_OPEN_MS = 5_000;
/** One message a minute finds out soon enough that a server is back, and is no burden for one that is not. */
const LONGEST_OPEN_MS = 60_000;
/** A server locks accounts that keep on trying with the wrong password. */
const PAUSE_MS = 5 * 60_000;

/**
 * How a provider is doing, as all workers know it. A circuit breaker: after failures in a row it is `open` and gets
 * nothing but now and then an urgent message; once its time is over one message probes it, and what becomes of that
 * decides. `paused` is the same for a reason that no message can cure (wrong password, quota, account suspended):
 * then nothing at all goes there.
 */
export interface ProviderHealth {
  /** Failures since the last success. */
  readonly failures: number;
  /** How often in a row it was opened. */
  readonly openings: number;
  /** Undefined while it is closed; in the past while it may be probed. */
  readonly openUntil: Date | undefined;
  readonly paused: boolean;
  /** Of the last failure. */
  readonly reason: string | undefined;
}

export const HEALTHY: ProviderHealth = {
  failures: 0,
  openings: 0,
  openUntil: undefined,
  paused: false,
  reason: undefined,
};

export function isHealthy({ failures, openUntil }: ProviderHealth): boolean {
  return failures === 0 && openUntil === undefined;
}

/** Replies about the recipient's mailbox: the server that gives them is well (RFC 5321 §4.2.3). */
const ABOUT_A_MAILBOX = new Set(['smtp_450', 'smtp_451', 'smtp_452']);

/** Whether the failure says something about the provider, and not only about one message. */
export function blamesProvider({ failure, scope, reason }: ChannelError): boolean {
  if (scope === 'provider') return true;
  return scope === 'message' && failure !== 'terminal' && !ABOUT_A_MAILBOX.has(reason);
}

/** @param now of the database, as `openUntil` is */
export function afterFailure(
  health: ProviderHealth,
  error: ChannelError,
  now: Date,
  random: () => number = Math.random,
): ProviderHealth {
  const failures = health.failures + 1;
  const failed = { ...health, failures, reason: error.reason };
  if (error.scope === 'provider') {
    const until = new Date(now.getTime() + (error.retryAfterMs ?? PAUSE_MS));
    return { ...failed, paused: true, openUntil: later(until, health.openUntil) };
  }
  // messages that were on their way when it opened say nothing new
  if (health.openUntil !== undefined && health.openUntil > now) return failed;
  if (health.openUntil === undefined && failures < FAILURES_TO_OPEN) return failed;
  const openMs = Math.min(LONGEST_OPEN_MS, FIRST_OPEN_MS * 2 ** Math.min(health.openings, 10));
  return {
    ...failed,
    paused: false,
    openings: health.openings + 1,
    openUntil: new Date(now.getTime() + Math.round(openMs * (0.75 + random() / 4))),
  };
}

/** A success says that it is well again, unless it was on its way before somebody found that nothing can be sent. */
export function afterSuccess(health: ProviderHealth, now: Date): ProviderHealth {
  return health.paused && health.openUntil !== undefined && health.openUntil > now ? health : HEALTHY;
}

/** A test that was accepted says so too, and ends a pause; unless something else was found out while it was under way. */
export function afterTest(health: ProviderHealth, whenBegun: ProviderHealth): ProviderHealth {
  const isAsItWas =
    health.openUntil?.getTime() === whenBegun.openUntil?.getTime() &&
    health.paused === whenBegun.paused &&
    health.reason === whenBegun.reason;
  return isAsItWas ? HEALTHY : health;
}

/** Whether operators are notified of the change. */
export function hasOpened(before: ProviderHealth, after: ProviderHealth): boolean {
  return (
    after.openUntil !== undefined && (before.openUntil === undefined || (after.paused && !before.paused))
  );
}

function later(a: Date, b: Date | undefined): Date {
  return b !== undefined && b > a ? b : a;
}
