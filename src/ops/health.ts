import { Injectable } from '@nestjs/common';
import type { Log } from '../domain/shared/log.js';

/** Resolves with undefined when all is well, else with a short reason: a state, no host name, no version. */
type HealthCheck = () => Promise<string | undefined>;

export interface HealthReport {
  readonly healthy: boolean;
  /** Name of each failing check → reason. */
  readonly failing: Readonly<Record<string, string>>;
}

const CHECK_TIMEOUT_MS = 2_000;

/**
 * What this process says about itself, in two questions. Alive: would a restart help? Ready: can it do its work
 * now? Modules add their checks when they start; a process that drains is not ready, and alive until it is gone.
 */
@Injectable()
export class Health {
  private readonly liveness = new Map<string, HealthCheck>();
  private readonly readiness = new Map<string, HealthCheck>();
  private readonly stuckness = new Map<string, HealthCheck>();
  private readonly notices = new Map<string, HealthCheck>();
  private readonly suppliers = new Map<string, string>();
  private draining = false;

  addLiveness(name: string, check: HealthCheck): void {
    this.liveness.set(name, check);
  }

  addReadiness(name: string, check: HealthCheck): void {
    this.readiness.set(name, check);
  }

  /**
   * Of the liveness, what this process may end itself over: a fault of its own that lasts. Work that takes long and what
   * others do to the queues do not belong here.
   */
  addStuckness(name: string, check: HealthCheck): void {
    this.stuckness.set(name, check);
  }

  /** What an operator should know of a process that is well. */
  addNotice(name: string, check: HealthCheck): void {
    this.notices.set(name, check);
  }

  /** What this process is connected to, in a word that names no host. */
  addSupplier(name: string, what: string): void {
    this.suppliers.set(name, what);
  }

  connected(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.suppliers);
  }

  startDraining(): void {
    this.draining = true;
  }

  async live(): Promise<HealthReport> {
    return await report(this.liveness, CHECK_TIMEOUT_MS);
  }

  async ready(): Promise<HealthReport> {
    if (this.draining) return { healthy: false, failing: { process: 'shutting down' } };
    return await report(this.readiness, CHECK_TIMEOUT_MS);
  }

  async stuck(): Promise<HealthReport> {
    return await report(this.stuckness, CHECK_TIMEOUT_MS);
  }

  /** Name → what is to be known now, for whoever asks. */
  async noticed(): Promise<HealthReport['failing']> {
    return (await report(this.notices, CHECK_TIMEOUT_MS)).failing;
  }

  /**
   * The same, which a process says in its log once it is ready. It is said once and no probe waits for it: on a machine that
   * starts many processes at once an answer may take longer than a probe would wait, and is said all the same.
   */
  async sayNoticed(log: Pick<Log, 'warn'>): Promise<void> {
    const { failing } = await report(this.notices);
    for (const [name, notice] of Object.entries(failing)) log.warn(notice, { about: name });
  }
}

/** @param timeoutMs for each check; undefined waits for as long as it takes */
async function report(checks: ReadonlyMap<string, HealthCheck>, timeoutMs?: number): Promise<HealthReport> {
  const results = await Promise.all(
    [...checks].map(async ([name, check]) => [name, await run(check, timeoutMs)] as const),
  );
  const failing: Record<string, string> = {};
  for (const [name, reason] of results) if (reason !== undefined) failing[name] = reason;
  return { healthy: Object.keys(failing).length === 0, failing };
}

/** A check that fails or hangs is a failing check; what its error says is not for everybody. */
async function run(check: HealthCheck, timeoutMs: number | undefined): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    if (timeoutMs !== undefined) timer = setTimeout(() => resolve('no answer'), timeoutMs);
  });
  try {
    return await Promise.race([check(), late]);
  } catch {
    return 'unavailable';
  } finally {
    clearTimeout(timer);
  }
}
