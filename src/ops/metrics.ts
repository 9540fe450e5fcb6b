import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

const READING_TIMEOUT_MS = 1_000;

interface Reading {
  readonly gauges: readonly Gauge[];
  readonly ask: () => Promise<() => void>;
}

/** Everything that `/metrics` returns. Labels are names from the code, never ids, addresses or anything a caller sent. */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();
  private readonly readings: Reading[] = [];
  private taking: Promise<void> | undefined;

  readonly notifications = new Counter({
    name: 'identity_notifications_total',
    help: 'Attempts to send a notification, by outcome',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  readonly logoutNotices = new Counter({
    name: 'identity_logout_notices_total',
    help: 'Attempts to tell an application that a session is over, by outcome',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  readonly webhookDeliveries = new Counter({
    name: 'identity_webhook_deliveries_total',
    help: 'Attempts to deliver an event to a webhook, by outcome; "dead" are events that were given up',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  readonly claimsWebhookCalls = new Counter({
    name: 'identity_claims_webhook_calls_total',
    help: 'Questions for claims that a request waited for, by outcome',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  readonly importRecords = new Counter({
    name: 'identity_import_records_total',
    help: 'Records of imports that this worker has finished, by outcome',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  readonly importChunks = new Counter({
    name: 'identity_import_chunks_total',
    help: 'Runs of import chunks, by outcome; "split" ones have killed workers',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  readonly importChunkDuration = new Histogram({
    name: 'identity_import_chunk_duration_seconds',
    help: 'Time to import one chunk of up to 1,000 records',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60],
    registers: [this.registry],
  });

  readonly upkeepRows = new Counter({
    name: 'identity_upkeep_rows_total',
    help: 'Rows that upkeep has removed or put right, by kind',
    labelNames: ['kind'],
    registers: [this.registry],
  });

  readonly jobs = new Counter({
    name: 'identity_jobs_total',
    help: 'Jobs that this worker ended, by queue and outcome',
    labelNames: ['queue', 'outcome'],
    registers: [this.registry],
  });

  readonly signInRefusals = new Counter({
    name: 'identity_sign_in_refusals_total',
    help: 'Refused sign-ins, by reason; "blocked" were not evaluated because of earlier wrong passwords',
    labelNames: ['reason'],
    registers: [this.registry],
  });

  readonly passwordLocks = new Counter({
    name: 'identity_password_locks_total',
    help: 'Times that wrong passwords have locked the password step of a user',
    registers: [this.registry],
  });

  readonly smsEnqueued = new Counter({
    name: 'identity_sms_enqueued_total',
    help: 'SMS that were made due, by who asked for them',
    labelNames: ['origin'],
    registers: [this.registry],
  });

  readonly smsRefused = new Counter({
    name: 'identity_sms_refused_total',
    help: 'SMS that a limit stopped before they were made due, by limit and by who asked for them',
    labelNames: ['rule', 'origin'],
    registers: [this.registry],
  });

  readonly smsBlocks = new Counter({
    name: 'identity_sms_prefix_blocks_total',
    help: 'Blocks of numbers that were shut out because hardly any code came back, or on the word of a provider',
    registers: [this.registry],
  });

  readonly guessingAlarms = new Counter({
    name: 'identity_guessing_alarms_total',
    help: 'Alarms about very many refused sign-ins, each told by one replica',
    registers: [this.registry],
  });

  readonly clientGuesses = new Counter({
    name: 'identity_client_guesses_total',
    help: 'Secrets and assertions of clients that were not right',
    registers: [this.registry],
  });

  readonly clientGuessingAlarms = new Counter({
    name: 'identity_client_guessing_alarms_total',
    help: 'Alarms about very many wrong secrets for one client, each told by one replica',
    registers: [this.registry],
  });

  readonly userMigrations = new Counter({
    name: 'identity_user_migrations_total',
    help: 'Sign-ins for which an old system was asked, by what came of it; "limited" ones would have been too many',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  readonly hashingWaiting = new Gauge({
    name: 'identity_hashing_waiting',
    help: 'Password hashings that wait for a slot, by lane and class',
    labelNames: ['lane', 'class'],
    registers: [this.registry],
  });

  readonly hashingWait = new Histogram({
    name: 'identity_hashing_wait_seconds',
    help: 'Time that a password hashing waited for its slot, by lane and class',
    labelNames: ['lane', 'class'],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers: [this.registry],
  });

  readonly hashingRefused = new Counter({
    name: 'identity_hashing_refused_total',
    help: 'Password hashings that were refused, by lane, class and reason',
    labelNames: ['lane', 'class', 'reason'],
    registers: [this.registry],
  });

  readonly httpDuration = new Histogram({
    name: 'identity_http_request_duration_seconds',
    help: 'Time to answer, by route pattern, method and status',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    // versions are nobody's business (security S173)
    this.registry.removeSingleMetric('nodejs_version_info');
  }

  gauge<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  /**
   * Asks for the values of gauges whenever somebody asks for the metrics, and hands back what sets them. Nothing is
   * touched before all is known: two who ask at once both see every value. Of a reading that fails, or takes longer
   * than a second, the gauges are left out: a scrape is answered while Redis or Postgres is away.
   */
  addReading(gauges: readonly Gauge[], ask: () => Promise<() => void>): void {
    this.readings.push({ gauges, ask });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** In the text format of Prometheus. */
  async render(): Promise<string> {
    this.taking ??= this.takeReadings().finally(() => {
      this.taking = undefined;
    });
    await this.taking;
    return await this.registry.metrics();
  }

  private async takeReadings(): Promise<void> {
    await Promise.all(
      this.readings.map(async ({ gauges, ask }) => {
        const setValues = await withinTime(ask);
        for (const gauge of gauges) leaveOut(gauge);
        setValues?.();
      }),
    );
  }
}

/** A gauge without labels would otherwise say 0. */
function leaveOut(gauge: Gauge): void {
  gauge.reset();
  gauge.remove({});
}

async function withinTime<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, READING_TIMEOUT_MS, undefined);
  });
  const answer = await Promise.race([ask().catch(() => undefined), late]);
  clearTimeout(timer);
  return answer;
}
