import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { RequestDelaySignal } from '../../request-delay/request-delay-signal.js';
import { Clock } from '../../shared/clock.js';

/** What matters more while both are under way. */
export type ImportPriority = 'requests' | 'imports';

/** Given by the configuration. */
export abstract class ImportPaceSettings {
  abstract readonly priority: ImportPriority;
}

/** Times the delay without an import: above, chunks get less of the time; below the other one, more. */
const TOO_LONG = 1.7;
const SHORT = 1.35;
const LESS = 0.6;
const MORE = 0.1;
/** When requests come, before anything is known of them. */
const FIRST_SHARE = 0.4;
/** However slow requests are, an import continues: they may be waiting for something else. */
const LEAST_SHARE = 0.1;
/** The last samples, with and without an import; the median counts, since single samples vary. */
const RECENT = 3;
const REMEMBERED = 9;
const LEAST = 2;
/** If no measurement arrives for so long, there are no requests. */
const QUIET_MS = 3_000;
/** The time of each minute without chunks, to measure how long requests wait without them. */
const MINUTE_MS = 60_000;
const STILL_MS = 4_000;
/** Until chunks that had already begun are finished, and the measurements beside them are reported. */
const DRAINED_MS = 1_500;
const LONGEST_PAUSE_MS = 3_000;
/** Longer than any pause between chunks: no import is under way. */
const IDLE_MS = 5_000;
const LOOK_AGAIN_MS = 100;

/**
 * Decides when this process may begin a chunk. While there are requests, its chunks run one at a time with pauses between
 * them: a chunk is a session of PostgreSQL that computes as fast as it can, and only a pause gives its core back. The share
 * of time is found by trial: less at once when requests wait longer than they do without an import, a little more when they
 * do not. What they wait without one is measured in the first seconds of each minute, when all processes hold still by
 * PostgreSQL's clock. So a machine that is slow for other reasons slows no import down.
 */
@Injectable()
export class ImportPace implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private share = 1;
  private heardAt = Number.NEGATIVE_INFINITY;
  /** Start of a pause that is held because there is no measurement without an import yet. */
  private stillSince = Number.NEGATIVE_INFINITY;
  private working = 0;
  /** The last chunk of this process ended then. */
  private workedAt = Number.NEGATIVE_INFINITY;
  private recent: number[] = [];
  private withoutImport: number[] = [];
  private turn: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();
  private stop: () => Promise<void> = async () => undefined;

  constructor(
    private readonly signal: RequestDelaySignal,
    private readonly settings: ImportPaceSettings,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    if (this.settings.priority === 'requests')
      this.stop = this.signal.listen((delayMs) => this.heard(delayMs));
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.stop();
  }

  /** The part of the time that chunks may take; 1 without pauses, and several at a time. */
  get shareOfTime(): number {
    return this.hasRequests ? this.share : 1;
  }

  heard(delayMs: number): void {
    if (!this.hasRequests) this.share = FIRST_SHARE;
    this.heardAt = performance.now();
    if (this.isWithoutImport) {
      this.withoutImport = [...this.withoutImport, delayMs].slice(-REMEMBERED);
      return;
    }
    this.recent.push(delayMs);
    if (this.recent.length < RECENT) return;
    const ratio = middle(this.recent) / middle(this.withoutImport);
    this.recent = [];
    if (ratio > TOO_LONG) this.share = Math.max(LEAST_SHARE, this.share * LESS);
    else if (ratio < SHORT) this.share = Math.min(1, this.share + MORE);
  }

  /** Does the work when its turn has come. Its pause keeps the next one waiting, not whoever asked for this one. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.holdStill();
    if (this.shareOfTime === 1) return await this.timed(work);
    const before = this.turn;
    let over = (): void => undefined;
    this.turn = new Promise((resolve) => {
      over = resolve;
    });
    await before;
    const since = performance.now();
    try {
      return await this.timed(work);
    } finally {
      void this.pause(performance.now() - since).then(over);
    }
  }

  private get hasRequests(): boolean {
    return performance.now() - this.heardAt < QUIET_MS;
  }

  private async timed<T>(work: () => Promise<T>): Promise<T> {
    this.working += 1;
    try {
      return await work();
    } finally {
      this.working -= 1;
      this.workedAt = performance.now();
    }
  }

  /**
   * Waits while all processes hold still: at the start of each minute, and at once if nothing is known yet. All get the first
   * measurement together, so all begin that pause together.
   */
  private async holdStill(): Promise<void> {
    if (this.hasRequests && this.withoutImport.length < LEAST && this.stillMs === undefined) {
      this.stillSince = performance.now();
    }
    while (this.stillMs !== undefined && !this.stopping.signal.aborted) await this.wait(LOOK_AGAIN_MS);
  }

  /** For how long no chunk has begun on purpose; undefined where chunks may begin. */
  private get stillMs(): number | undefined {
    if (!this.hasRequests) return undefined;
    const ms = [performance.now() - this.stillSince, this.clock.nowMs() % MINUTE_MS];
    return ms.find((one) => one < STILL_MS);
  }

  /** Measurements now are of requests alone. */
  private get isWithoutImport(): boolean {
    if (this.working > 0) return false;
    return (this.stillMs ?? 0) > DRAINED_MS || performance.now() - this.workedAt > IDLE_MS;
  }

  private async pause(workedMs: number): Promise<void> {
    await this.wait(Math.min(LONGEST_PAUSE_MS, workedMs * (1 / this.shareOfTime - 1)));
  }

  private async wait(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.POSITIVE_INFINITY;
}
