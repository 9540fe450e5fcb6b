import { expect, it } from 'vitest';
import { limitedRedis } from '../support/redis.js';
import { missed, workOfAllKinds } from './support/work-of-all-kinds.js';

it('imports, sends, retries and keeps its schedules with the rights of deploy/redis/users.acl', async () => {
  const redis = await limitedRedis();
  await workOfAllKinds(redis.url);
  expect(missed(await redis.refused())).toEqual([]);
});
