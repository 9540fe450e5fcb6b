import { describe, expect, it, vi } from 'vitest';
import { EventsStore } from '../../../src/domain/events/events.store.js';
import { anApplication } from '../../support/applications.js';
import { given } from '../../support/given.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

interface Called {
  readonly type: string;
  readonly id: string;
  readonly name?: string;
  readonly projectId?: string;
}
interface Event {
  readonly type: string;
  readonly aggregate: Called;
  readonly target?: Called;
}

const OURS = 'events/_search';
const ALL = '/admin/v1/events/_search';

const { api, world } = useWorld();
const other = given(() => anOrganization(api));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const root = given(() => aServiceUser(world, 'IAM_OWNER'));

async function search(caller: ServiceUser, body: object, path = OURS): Promise<readonly Event[]> {
  const answer = await caller.call('POST', path, body);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<{ result?: readonly Event[] }>().result ?? [];
}

async function newest(body: object): Promise<Pick<Event, 'aggregate' | 'target'> | undefined> {
  const [event] = await search(owner, { ...body, query: { limit: 1 } });
  return event && { aggregate: event.aggregate, ...(event.target && { target: event.target }) };
}

async function done(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) {
  const answer = await owner.call(method, path, body);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<Readonly<Record<string, string>>>();
}

/** An event that nothing of the service wrote, about whatever it names. */
async function told(orgId: string | null, kind: string, id: string, data: object = {}): Promise<void> {
  await api.sql.query(
    `INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, actor_id, data)
     VALUES ($1, $2, $3, 1, 'user.locked', 'teller', $4)`,
    [orgId, kind, id, JSON.stringify(data)],
  );
}

describe('names in the audit log', () => {
  it('things are called as they are called now, with what they belong to', async () => {
    const { id } = await done('POST', 'projects', { name: 'Shop' });
    await done('PUT', `projects/${id}`, { name: 'Web shop' });
    const project = { type: 'project', id, name: 'Web shop' };
    expect(await newest({ aggregateId: id })).toEqual({ aggregate: project });

    const { appId } = await done('POST', `projects/${id}/apps/api`, { name: 'Checkout' });
    const application = { type: 'application', id: appId, name: 'Checkout', projectId: id };
    expect(await newest({ aggregateId: appId })).toEqual({ aggregate: application, target: project });

    await done('POST', `projects/${id}/roles`, { roleKey: 'clerk', displayName: 'Clerk' });
    expect(await newest({ aggregateType: 'project_role' })).toEqual({
      aggregate: { type: 'project_role', id: `${id} clerk`, name: 'Clerk' },
      target: project,
    });

    const { userId } = await aUser(world, { profile: { displayName: 'Grace Hopper' } });
    await done('POST', `users/${userId}/_lock`, {});
    const user = { type: 'user', id: userId, name: 'Grace Hopper' };
    expect(await newest({ aggregateId: userId })).toEqual({ aggregate: user });
    const { userGrantId } = await done('POST', `users/${userId}/grants`, {
      projectId: id,
      roleKeys: ['clerk'],
    });
    expect(await newest({ aggregateType: 'user_grant' })).toEqual({
      aggregate: { type: 'user_grant', id: userGrantId },
      target: user,
    });

    await done('POST', 'orgs/me/domains', { domain: 'shop.test' });
    expect(await newest({ aggregateType: 'organization_domain' })).toEqual({
      aggregate: { type: 'organization_domain', id: `${world.orgId} shop.test`, name: 'shop.test' },
    });
    await done('PUT', 'orgs/me', { name: 'Acme' });
    expect(await newest({ aggregateType: 'organization' })).toEqual({
      aggregate: { type: 'organization', id: world.orgId, name: 'Acme' },
    });
    // of a service user, who is in a table of their own
    await told(world.orgId, 'user', owner.userId);
    expect(await newest({ aggregateId: owner.userId })).toEqual({
      aggregate: { type: 'user', id: owner.userId, name: 'Service' },
    });
  });

  it('what was removed keeps its id', async () => {
    const { id } = await done('POST', 'projects', { name: 'Short-lived' });
    await done('DELETE', `projects/${id}`);
    const { userId } = await aUser(world);
    await done('DELETE', `users/${userId}`);
    expect(await search(owner, { aggregateId: id })).toEqual([
      expect.objectContaining({ type: 'project.removed', aggregate: { type: 'project', id } }),
      expect.objectContaining({ type: 'project.added', aggregate: { type: 'project', id } }),
    ]);
    expect(await newest({ aggregateId: userId })).toEqual({ aggregate: { type: 'user', id: userId } });
  });

  it('S224: nothing of another organization has a name', async () => {
    const app = await anApplication(other, { name: 'Their secret project' });
    const { userId } = await aUser(other, { profile: { displayName: 'Their secret guest' } });
    const theirs = [
      ['application', app.id],
      ['application_key', 'key-1', { applicationId: app.id }],
      ['client_guesses', app.id],
      ['membership', `${world.orgId} ${userId}`, { userId }],
      ['organization', other.orgId],
      ['organization_domain', `${other.orgId} ${other.domain}`],
      ['project', other.projectId],
      ['project_grant', 'grant-1', { projectId: other.projectId }],
      ['user', userId],
    ] as const;
    for (const [kind, id, data] of theirs) await told(world.orgId, kind, id, data);
    const events = await search(owner, { editorUserId: 'teller' });
    expect(events.length).toBeGreaterThanOrEqual(theirs.length);
    const foreign = events.filter(({ aggregate }) => aggregate.id !== owner.userId);
    for (const { aggregate, target } of foreign) {
      expect(aggregate).not.toHaveProperty('name');
      expect(aggregate).not.toHaveProperty('projectId');
      expect(target ?? {}).not.toHaveProperty('name');
      expect(target ?? {}).not.toHaveProperty('projectId');
    }
    // nor for whoever sees all of them, in an event of this organization
    const seen = await search(root, { editorUserId: 'teller', organizationId: world.orgId }, ALL);
    expect(JSON.stringify(seen)).not.toContain('Their secret');
    // an event of the instance names whomever it is about
    await told(null, 'membership', `instance ${userId}`, { userId });
    const [event] = await search(root, { editorUserId: 'teller', aggregateId: `instance ${userId}` }, ALL);
    expect(event?.target).toEqual({ type: 'user', id: userId, name: 'Their secret guest' });
  });

  it('a page asks for all of them at once, and a stream has none', async () => {
    const name = 'Asked for once';
    const { id } = await done('POST', 'projects', { name });
    for (const key of ['a', 'b', 'c'])
      await done('POST', `projects/${id}/roles`, { roleKey: key, displayName: key });
    const asked = vi.spyOn(api.app.get(EventsStore), 'namesOf');
    const events = await search(owner, { query: { limit: 1000 } });
    expect(asked).toHaveBeenCalledTimes(1);
    // each thing once, however many events name it
    const things = asked.mock.calls[0]?.[0].filter((thing) => thing.id === id);
    expect(things).toHaveLength(1);
    expect(events.filter(({ target }) => target?.name === name)).toHaveLength(3);
    const stream = await owner.call(
      'POST',
      OURS,
      { aggregateId: id },
      { headers: { accept: 'application/x-ndjson' } },
    );
    expect(asked).toHaveBeenCalledTimes(1);
    expect(stream.body).toContain(id);
    expect(stream.body).not.toContain(name);
    asked.mockRestore();
  });
});
