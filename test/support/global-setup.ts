import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { startPostgres, startRedis } from '../../scripts/services.mjs';
import { clearAbandonedTestFolders, makeTestFolder } from '../../scripts/test-folder.mjs';
import { migrateDatabase } from '../../src/storage/postgres/migrating/migrate.js';
import { letServiceUseTables } from '../../src/storage/postgres/service-role.js';
import { databaseUrl, runAsAdmin } from './databases.js';

// Runs once for each ring: one migrated template database, which every test file copies. Nothing may stay connected
// to it. The servers are those of `npm test`, else private ones that live as long as the ring.

export interface TestServices {
  /** A database on the test server that is not the template. */
  readonly adminUrl: string;
  readonly template: string;
  /** What API and workers sign in as: the tables are the administrator's, as in production. */
  readonly serviceRole: { readonly name: string; readonly password: string };
  /** Undefined where this machine has no Redis. */
  readonly redisUrl: string | undefined;
}

declare module 'vitest' {
  interface ProvidedContext {
    services: TestServices;
  }
}

/** Only templates have this: tests move the time of SQL and of Node's Clock together by the one row's shift. */
const SHIFTABLE_CLOCK = [
  `CREATE TABLE test_clock (shift interval NOT NULL DEFAULT '0')`,
  `INSERT INTO test_clock DEFAULT VALUES`,
  `CREATE OR REPLACE FUNCTION app_now() RETURNS timestamptz LANGUAGE sql VOLATILE
   AS $$ SELECT clock_timestamp() + (SELECT shift FROM test_clock) $$`,
];

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const servers = await findServers();
  try {
    const template = `template_${randomBytes(6).toString('hex')}`;
    await runAsAdmin(servers.adminUrl, `CREATE DATABASE ${template}`);
    const templateUrl = databaseUrl(servers.adminUrl, template);
    await migrateDatabase(templateUrl);
    await runAsAdmin(templateUrl, ...SHIFTABLE_CLOCK);
    const serviceRole = {
      name: `service_${randomBytes(6).toString('hex')}`,
      password: randomBytes(12).toString('hex'),
    };
    await letServiceUseTables(templateUrl, serviceRole);
    project.provide('services', {
      adminUrl: servers.adminUrl,
      template,
      serviceRole,
      redisUrl: servers.redisUrl,
    });
    return async () => {
      await runAsAdmin(servers.adminUrl, `DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
      // a database that a killed test left behind keeps it
      await runAsAdmin(servers.adminUrl, `DROP ROLE ${serviceRole.name}`).catch(() => undefined);
      await servers.stop();
    };
  } catch (error) {
    await servers.stop();
    throw error;
  }
}

interface Servers {
  readonly adminUrl: string;
  readonly redisUrl: string | undefined;
  stop(): Promise<void>;
}

async function findServers(): Promise<Servers> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given !== undefined) {
    return { adminUrl: given, redisUrl: process.env['TEST_REDIS_URL'], stop: () => Promise.resolve() };
  }
  await clearAbandonedTestFolders();
  const dir = makeTestFolder({ inMemory: true });
  const postgres = await startPostgres({ dir: path.join(dir, 'postgres'), durable: false });
  const redis = await startRedis({ dir: path.join(dir, 'redis') });
  return {
    adminUrl: postgres.url,
    redisUrl: process.env['TEST_REDIS_URL'] ?? redis?.url,
    async stop() {
      await redis?.stop();
      await postgres.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
