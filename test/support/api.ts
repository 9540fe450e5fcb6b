import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import { afterAll, afterEach, onTestFinished } from 'vitest';
import { buildApi } from '../../src/build-api.js';
import { readConfig, type AppConfig } from '../../src/config/config.js';
import { Clock } from '../../src/domain/shared/clock.js';
import { EnsureKeys } from '../../src/domain/signing-keys/ensure-keys.js';
import { PinoLog } from '../../src/ops/pino-log.js';
import { cloneDatabase, type TestDatabase } from './databases.js';
import { heldToDocument } from './documented-answers.js';
import { given, givenEach } from './given.js';
import { randomPrefix, redisUrl } from './redis.js';

/** One process's clock, moved together with `app_now()` of its database. */
export class ShiftedClock extends Clock {
  shiftMs = 0;

  override nowMs(): number {
    return Date.now() + this.shiftMs;
  }
}

/** The whole API of one replica, answering by `inject`, on a database of its own. */
export interface TestApi {
  readonly app: NestFastifyApplication;
  readonly config: AppConfig;
  readonly environment: Readonly<Record<string, string>>;
  readonly database: TestDatabase;
  /** For looking at rows, and for breaking them. */
  readonly sql: pg.Pool;
  /** Moves time on, for SQL and for Node. */
  advance(seconds: number): Promise<void>;
  close(): Promise<void>;
}

/** Settings that make tests quick and leave behaviour alone: cheap hashes, no padding of response times. */
const QUICK = {
  NODE_ENV: 'test',
  PUBLIC_URL: 'https://id.test',
  LOG_LEVEL: 'silent',
  OPS_PORT: '0',
  PASSWORD_MEMORY_KIB: '64',
  PASSWORD_ITERATIONS: '1',
  SIGN_IN_RESPONSE_PADDING: '0s',
  RATE_LIMIT_TOKEN: '0',
  RATE_LIMIT_SIGN_IN: '0',
  RATE_LIMIT_FLOW: '0',
  RATE_LIMIT_MAIL: '0',
  RATE_LIMIT_KEYS: '0',
  RATE_LIMIT_API: '0',
};

/** Set where reads that may lag are to see no change that a test makes (test/faults/frozen-reads.spec.ts). */
const FROZEN_READS = process.env['TEST_FROZEN_READS'] === '1';

/**
 * A replica that stopped before anything happened: the template as it was.
 * @returns the setting, and what removes it
 */
export async function frozenReads(): Promise<TestDatabase & { readonly setting: Settings }> {
  const database = await cloneDatabase();
  return { ...database, setting: { DATABASE_READ_URL: database.serviceUrl } };
}

/**
 * @param environment variables on top of the quick settings
 * @param shared another replica whose database and queues this one joins
 */
export async function startTestApi(
  environment: Readonly<Record<string, string>> = {},
  shared?: TestApi,
): Promise<TestApi> {
  const database = shared?.database ?? (await cloneDatabase());
  const frozen = FROZEN_READS ? await frozenReads() : undefined;
  const variables: Record<string, string> = {
    ...QUICK,
    DATABASE_URL: database.serviceUrl,
    REDIS_URL: redisUrl(),
    QUEUE_PREFIX: shared?.config.queues.prefix ?? randomPrefix(),
    ...frozen?.setting,
    ...environment,
  };
  const config = readConfig(variables);
  const clock = new ShiftedClock();
  const log = new PinoLog({ level: config.logLevel, process: 'api' });
  const app = await buildApi(config, log, clock);
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  await app.get(EnsureKeys).run();
  const sql = new pg.Pool({ connectionString: database.url, max: 4 });
  // dropping the database may cut a connection that is just closing
  sql.on('error', () => undefined);
  return {
    app: heldToDocument(app),
    config,
    environment: variables,
    database,
    sql,
    async advance(seconds) {
      clock.shiftMs += seconds * 1000;
      await sql.query(`UPDATE test_clock SET shift = make_interval(secs => $1)`, [clock.shiftMs / 1000]);
    },
    async close() {
      await app.close();
      await sql.end();
      await frozen?.drop();
      if (shared === undefined) await database.drop();
    },
  };
}

export type Settings = Readonly<Record<string, string>>;
/** A function where they are known only once something else runs. */
export type Environment = Settings | (() => Settings | Promise<Settings>);

/**
 * The API on a database of its own, for all tests of a file or of a `describe`.
 * @param environment settings on top of the quick ones
 */
export function useApi(environment?: Environment): TestApi {
  return running(async () => startTestApi(await settings(environment)));
}

/** Another process of it, on the same database and queues. */
export function useReplica(of: TestApi, environment?: Environment): TestApi {
  return running(async () => startTestApi(await settings(environment), of));
}

/** The same for the one test that asks for it, until that ends. */
export async function anApi(environment?: Settings): Promise<TestApi> {
  return untilTestEnds(await startTestApi(environment));
}

/** Another process of an API for the one test that asks for it, until that ends. */
export async function aReplica(of: TestApi, environment?: Settings): Promise<TestApi> {
  return untilTestEnds(await startTestApi(environment, of));
}

function untilTestEnds(api: TestApi): TestApi {
  onTestFinished(() => api.close());
  return api;
}

/** The API on a new database for each test, where one leaves no database that another could use. */
export function useApiPerTest(environment?: Environment): TestApi {
  return runningPerTest(async () => startTestApi(await settings(environment)));
}

export function useReplicaPerTest(of: TestApi, environment?: Environment): TestApi {
  return runningPerTest(async () => startTestApi(await settings(environment), of));
}

function settings(environment: Environment = {}): Settings | Promise<Settings> {
  return typeof environment === 'function' ? environment() : environment;
}

function running(start: () => Promise<TestApi>): TestApi {
  let api: TestApi | undefined;
  afterAll(() => api?.close());
  return given(async () => (api = await start()));
}

function runningPerTest(start: () => Promise<TestApi>): TestApi {
  let api: TestApi | undefined;
  afterEach(async () => {
    await api?.close();
    api = undefined;
  });
  return givenEach(async () => (api = await start()));
}
