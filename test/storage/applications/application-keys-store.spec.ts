import { beforeAll, describe, expect, it } from 'vitest';
import {
  ApplicationsStore,
  type ApplicationPlace,
} from '../../../src/domain/applications/applications.store.js';
import type { ApplicationId, ApplicationKeyId, OrgId, ProjectId } from '../../../src/domain/shared/ids.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { addKey, anAssertingApplication, makeSigner } from '../../support/assertions.js';
import { given } from '../../support/given.js';
import { anOrganization, useWorld } from '../../support/world.js';

let applications: ApplicationsStore;

const { api, world } = useWorld();
beforeAll(async () => {
  applications = api.app.get(ApplicationsStore);
});
const client = given(() => anAssertingApplication(world));

const placeOf = ({ id }: { readonly id: string }): ApplicationPlace => ({
  orgId: world.orgId,
  projectId: world.projectId,
  id: id as ApplicationId,
});
const remove = (place: ApplicationPlace, keyId: string) =>
  api.app.get(UnitOfWork).run((tx) => applications.removeKey(tx, place, keyId as ApplicationKeyId));
const epochOf = async (clientId: string) => (await applications.findClient(clientId))?.tokenEpoch;

describe('a key', () => {
  it('is found for its client alone, until it expires', async () => {
    const other = await anAssertingApplication(world);
    const signer = makeSigner('Ed25519');
    const soon = new Date(Date.now() + 600_000);
    const keyId = await addKey(api, world, client, signer, soon);
    expect(await applications.findLiveKey(client.clientId, keyId)).toEqual({
      publicJwk: signer.publicJwk,
    });
    expect(await applications.findLiveKey(other.clientId, keyId)).toBeUndefined();
    expect(await applications.findLiveKey(client.clientId, other.keyId)).toBeUndefined();
    await api.advance(601);
    expect(await applications.findLiveKey(client.clientId, keyId)).toBeUndefined();
    expect((await applications.findKey(placeOf(client), keyId as ApplicationKeyId))?.expiresAt).toEqual(soon);
    await api.advance(-601);
  });

  it('need not be named while it is the only one that is live', async () => {
    const lone = await anAssertingApplication(world);
    const first = { publicJwk: lone.signer.publicJwk };
    expect(await applications.findLiveKey(lone.clientId, '')).toEqual(first);
    await addKey(api, world, lone, makeSigner('ES256'), new Date(Date.now() + 600_000));
    expect(await applications.findLiveKey(lone.clientId, '')).toBeUndefined();
    await api.advance(601);
    expect(await applications.findLiveKey(lone.clientId, '')).toEqual(first);
  });

  it('that is removed ends what the client holds, once, however many remove it', async () => {
    const victim = await anAssertingApplication(world);
    const removals = await Promise.all(
      Array.from({ length: 8 }, () => remove(placeOf(victim), victim.keyId)),
    );
    expect(removals.filter((details) => details !== undefined)).toHaveLength(1);
    expect(await applications.findLiveKey(victim.clientId, victim.keyId)).toBeUndefined();
    expect(await epochOf(victim.clientId)).toBe(1);
    expect(await epochOf(client.clientId)).toBe(0);
  });

  it('is nobody else’s to see or to remove', async () => {
    const elsewhere = await anOrganization(api);
    const places: ApplicationPlace[] = [
      { ...placeOf(client), orgId: elsewhere.orgId },
      { ...placeOf(client), projectId: elsewhere.projectId },
      placeOf(await anAssertingApplication(world)),
      { orgId: 'x' as OrgId, projectId: 'x' as ProjectId, id: 'x' as ApplicationId },
    ];
    for (const place of places) {
      expect(await applications.findKey(place, client.keyId as ApplicationKeyId)).toBeUndefined();
      expect(await remove(place, client.keyId)).toBeUndefined();
    }
    expect(await applications.findKey(placeOf(client), client.keyId as ApplicationKeyId)).toBeDefined();
    expect(await epochOf(client.clientId)).toBe(0);
  });

  it('cannot be stored for an application of another organization, nor with its private half', async () => {
    const elsewhere = await anOrganization(api);
    const insert = (orgId: string, jwk: object) =>
      api.sql.query(
        `INSERT INTO application_keys (org_id, application_id, public_jwk, expires_at) VALUES ($1, $2, $3, now())`,
        [orgId, client.id, JSON.stringify(jwk)],
      );
    const { publicJwk, privateKey } = makeSigner('ES256');
    await expect(insert(elsewhere.orgId, publicJwk)).rejects.toThrow('application_keys_application');
    const privateJwk = privateKey.export({ format: 'jwk' });
    await expect(insert(world.orgId, privateJwk)).rejects.toThrow('application_keys_public');
  });

  it('goes with its application', async () => {
    const victim = await anAssertingApplication(world);
    await api.sql.query(`DELETE FROM applications WHERE id = $1`, [victim.id]);
    const { rowCount } = await api.sql.query(`SELECT FROM application_keys WHERE id = $1`, [victim.keyId]);
    expect(rowCount).toBe(0);
  });
});
