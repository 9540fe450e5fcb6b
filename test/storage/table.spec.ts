import { In } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import { Sql } from '../../src/storage/postgres/sql.js';
import { CountedTable } from '../../src/storage/postgres/table.js';
import { ApplicationEntity } from '../../src/storage/postgres/tables/application.entity.js';
import { anApplication } from '../support/applications.js';
import { useWorld } from '../support/world.js';

const { api, world } = useWorld();

describe('a table', () => {
  const table = () => new CountedTable(api.app.get(Sql, { strict: false }), ApplicationEntity);

  it('takes no condition that is missing a value: it would find everything', async () => {
    await anApplication(world);
    const missing = { orgId: world.orgId, id: undefined } as never;
    const work = api.app.get(UnitOfWork, { strict: false });
    await expect(table().find(missing)).rejects.toThrow('condition');
    await expect(table().find({})).rejects.toThrow('condition');
    await expect(work.run((tx) => table().change(tx, missing, { name: 'x' }))).rejects.toThrow('condition');
    await expect(work.run((tx) => table().remove(tx, missing))).rejects.toThrow('condition');
    const { rows } = await api.sql.query('SELECT FROM applications');
    expect(rows.length).toBeGreaterThan(0);
  });

  it('says how many it has changed and removed, and lists no more than it is asked for', async () => {
    const ids = [await anApplication(world), await anApplication(world)].map(({ id }) => id as never);
    const these = { id: In(ids) };
    expect(await table().changeAll(undefined, { ...these, name: 'nobody' }, { devMode: true })).toBe(0);
    expect(await table().changeAll(undefined, these, { devMode: true })).toBe(2);
    expect(await table().list(these, { id: 'ASC' })).toHaveLength(2);
    expect(await table().list(these, { id: 'ASC' }, undefined, 1)).toMatchObject([{ devMode: true }]);
    expect(await table().removeAll(undefined, these)).toBe(2);
    expect(await table().removeAll(undefined, these)).toBe(0);
  });

  it('leaves nothing of a change that fails', async () => {
    const client = await anApplication(world);
    const work = api.app.get(UnitOfWork, { strict: false });
    const change = work.run(async (tx) => {
      await table().changeOne(tx, { id: client.id as never }, { name: 'changed' });
      throw new Error('afterwards');
    });
    await expect(change).rejects.toThrow('afterwards');
    const found = await table().find({ id: client.id as never });
    expect(found).toMatchObject({ sequence: '1', name: expect.not.stringMatching('changed') as string });
  });
});
