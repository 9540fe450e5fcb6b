import { expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.js';
import type { MaintenanceStore } from '../../../src/domain/maintenance/maintenance.store.js';
import type { RestoreStore } from '../../../src/domain/maintenance/restore.store.js';
import type { MailAvailability } from '../../../src/domain/notifications/mail-availability.js';
import { Health } from '../../../src/ops/health.js';
import { OpsModule } from '../../../src/ops/ops.module.js';

it('tells that work is held back since a restore, and what lets it go on', async () => {
  const health = new Health();
  let holding = true;
  const restore = { isHolding: () => Promise.resolve(holding) } as RestoreStore;
  const mail = { canSend: () => Promise.resolve(true) } as MailAvailability;
  const ops = new OpsModule(health, {} as MaintenanceStore, mail, restore, { app: readConfig({}) });
  expect(ops).toBeDefined();
  expect((await health.noticed())['restore']).toContain('until: identity restore release');
  holding = false;
  expect(await health.noticed()).toEqual({});
});
