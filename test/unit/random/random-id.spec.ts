import { describe, expect, it } from 'vitest';
import { randomId } from '../../../src/domain/shared/random.js';

describe('the id of a thing', () => {
  it('is nothing that a command line takes for an option', () => {
    const ids = Array.from({ length: 5_000 }, randomId);
    expect(ids.filter((id) => !/^[A-Za-z0-9_][A-Za-z0-9_-]{21}$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
