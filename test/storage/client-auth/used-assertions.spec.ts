import { beforeAll, describe, expect, it } from 'vitest';
import { UsedAssertionsStore } from '../../../src/domain/client-auth/used-assertions.store.js';
import { sha256 } from '../../../src/domain/shared/random.js';
import { useWorld } from '../../support/world.js';

let used: UsedAssertionsStore;

const { api } = useWorld();
beforeAll(() => {
  used = api.app.get(UsedAssertionsStore);
});

describe('an assertion', () => {
  it('is used once, by one of eight at a time', async () => {
    const hash = sha256('assertion');
    const uses = await Promise.all(Array.from({ length: 8 }, () => used.use(hash, 60)));
    expect(uses.filter(Boolean)).toHaveLength(1);
    expect(await used.use(sha256('another'), 60)).toBe(true);
  });

  it('can come again when it is dead anyhow, cleared away or not', async () => {
    const hash = sha256('again');
    expect(await used.use(hash, 60)).toBe(true);
    await api.advance(30);
    expect(await used.use(hash, 60)).toBe(false);
    await api.advance(31);
    const uses = await Promise.all(Array.from({ length: 8 }, () => used.use(hash, 60)));
    expect(uses.filter(Boolean)).toHaveLength(1);
  });
});
