import { expect, it } from 'vitest';
import type { ImportJobId } from '../../src/domain/shared/ids.js';
import { startTestApi } from '../support/api.js';
import { record } from '../support/human-records.js';
import { redisUrl } from '../support/redis.js';
import { aServiceUser } from '../support/service-users.js';
import { eventually } from './support/eventually.js';
import { Imports } from './support/imports.js';

const TAKEN_OVER_MS = 120_000;

/** In the order of the file: each line needs one before it. */
const organization = {
  orgId: 'moved',
  org: { name: 'Moved' },
  domains: [{ domainName: 'moved.test', isVerified: true, isPrimary: true }],
  lockoutPolicy: { maxPasswordAttempts: 7 },
  projects: [{ projectId: 'p', project: { name: 'Shop' } }],
  projectRoles: [{ projectId: 'p', roleKey: 'admin', displayName: 'Admin' }],
  apiApps: [{ appId: 'a', app: { projectId: 'p', name: 'Api' } }],
  humanUsers: [{ userId: 'u', user: record() }],
  userMetadata: [{ id: 'u', key: 'crm', value: 'NDI=' }],
  userGrants: [{ userId: 'u', projectId: 'p', roleKeys: ['admin'] }],
  orgMembers: [{ userId: 'u', roles: ['ORG_OWNER'] }],
};

it(
  'F14, F19: whole organizations come in though the API that took them and workers in the middle of them are gone',
  { timeout: 300_000 },
  async () => {
    const imports = await Imports.build(redisUrl());
    try {
      const { api, world } = imports;
      const root = await aServiceUser(world, 'IAM_OWNER');
      const taker = await startTestApi({}, api);
      const accepted = await root.call(
        'POST',
        '/admin/v1/import',
        { dataOrgs: { orgs: [organization] } },
        { headers: { prefer: 'respond-async' }, on: taker },
      );
      expect(accepted.statusCode).toBe(202);
      await taker.close();
      const { importId } = accepted.json<{ importId: ImportJobId }>();
      // over its role, and over its metadata
      for (const line of [4, 7]) {
        const doomed = imports.spawnWorker({ CRASH_AT: `import-at-line-${line}` });
        expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
      }
      imports.spawnWorker();
      const ended = await eventually('the end of the import', TAKEN_OVER_MS, async () => {
        const job = await imports.engine.jobs.find(world.orgId, importId);
        return job.state === 'done' ? job : undefined;
      });
      // the primary domain came with its organization
      expect(ended.counts).toMatchObject({ created: 9, updated: 0, skipped: 1, failed: 0 });
      const outcomes = await imports.engine.outcomes(ended);
      expect(outcomes.map(({ line }) => line)).toEqual(Array.from({ length: 10 }, (_, index) => index + 1));
      expect(await imports.count('role_assignments', `org_id = 'moved'`)).toBe(1);
      expect(await imports.count('events', `type = 'project.added' AND org_id = 'moved'`)).toBe(1);
    } finally {
      await imports.tearDown();
    }
  },
);
