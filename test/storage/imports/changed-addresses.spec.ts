import { beforeAll, describe, expect, it } from 'vitest';
import { FactorsStore } from '../../../src/domain/factors/factors.store.js';
import { NotificationsStore } from '../../../src/domain/notifications/notifications.store.js';
import type { NotificationId, UserId } from '../../../src/domain/shared/ids.js';
import { given } from '../../support/given.js';
import { human, ImportEngine } from '../../support/import-engine.js';
import { useWorld } from '../../support/world.js';

let owner: UserId;

const { api, world } = useWorld();
const engine = given(() => new ImportEngine(api));
beforeAll(async () => {
  owner = await engine.addImporter(world.orgId);
});

const own = (id: string) => `${id}@mail.test`;
const phone = { phone: '+41791234567', isPhoneVerified: true };
const someone = (id: string, changes: object = {}) => human(id, { userId: id, phone, ...changes });
const upsert = async (record: object, notify: 'now' | 'deferred' | 'none' = 'none') =>
  await engine.import(world.orgId, owner, [record], { mode: 'upsert', notify });

async function mailsTo(id: string): Promise<{ template: string; to: string | undefined }[]> {
  const { rows } = await api.sql.query<{ id: NotificationId; template: string }>(
    `SELECT id, template FROM notifications WHERE user_id = $1 AND channel = 'email' ORDER BY template`,
    [id],
  );
  const mails = [];
  for (const row of rows) {
    const claim = await api.app.get(NotificationsStore).claim(row.id, ['email'], 1_000);
    if (claim.kind !== 'claimed') throw new Error(claim.kind);
    const { code, email } = claim.notification;
    mails.push({ template: row.template, to: row.template === 'email_changed' ? code : email });
  }
  return mails;
}

async function emailOf(id: string): Promise<unknown> {
  const { rows } = await api.sql.query(
    `SELECT h.email, h.email_verified AS verified, h.pending_email AS pending,
       (SELECT i.canonical FROM login_identifiers i WHERE i.user_id = h.user_id AND i.kind = 'email') AS name
     FROM user_humans h WHERE h.user_id = $1`,
    [id],
  );
  return rows[0];
}

describe('an address or a number that an import replaces', () => {
  it.each(['now', 'deferred', 'none'] as const)(
    'S440: is told to the address that was verified, with notify=%s',
    async (notify) => {
      const id = `told-${notify}`;
      await engine.import(world.orgId, owner, [someone(id)]);
      const email = { email: `eve-${notify}@mail.test`, isEmailVerified: true };
      await upsert(someone(id, { email }), notify);
      expect(await mailsTo(id)).toEqual([{ template: 'email_changed', to: own(id) }]);
    },
  );

  it('S440: is told where the number was verified, and in no dry run', async () => {
    await engine.import(world.orgId, owner, [someone('phoned')]);
    const record = someone('phoned', { phone: { phone: '+41791234568', isPhoneVerified: true } });
    const options = { mode: 'upsert', dryRun: true } as const;
    await engine.import(world.orgId, owner, [record], options);
    expect(await mailsTo('phoned')).toEqual([]);
    await upsert(record);
    expect(await mailsTo('phoned')).toEqual([{ template: 'phone_changed', to: own('phoned') }]);
  });

  it('S441: another spelling takes no verified address, sign-in name or factor away', async () => {
    const codeFactors = ['email'];
    await engine.import(world.orgId, owner, [someone('spelled', { codeFactors })]);
    const usable = async () => (await api.app.get(FactorsStore).findUsable('spelled' as UserId)).email;
    expect(await usable()).toBe(true);
    const again = await upsert(someone('spelled', { codeFactors, email: { email: 'Spelled@Mail.test' } }));
    expect(again.counts).toMatchObject({ updated: 0, skipped: 1 });
    const kept = { email: own('spelled'), verified: true, pending: null, name: own('spelled') };
    expect([await usable(), await emailOf('spelled')]).toEqual([true, kept]);
    const email = { email: 'Spelled@Mail.test', isEmailVerified: true };
    await upsert(someone('spelled', { codeFactors, email }));
    expect([await usable(), await emailOf('spelled')]).toEqual([true, { ...kept, email: email.email }]);
    expect(await mailsTo('spelled')).toEqual([]);
  });

  it('S441: another one that nobody vouches for waits for its code beside the verified one', async () => {
    await engine.import(world.orgId, owner, [someone('waits')]);
    const record = someone('waits', { email: { email: 'eve@mail.test' } });
    await upsert(record, 'now');
    const name = own('waits');
    expect(await emailOf('waits')).toEqual({ email: name, verified: true, pending: 'eve@mail.test', name });
    expect(await mailsTo('waits')).toEqual([
      { template: 'email_changed', to: name },
      { template: 'verify_email', to: 'eve@mail.test' },
    ]);
    const again = await upsert(record, 'now');
    expect(again.counts).toMatchObject({ updated: 0, skipped: 1 });
  });
});
