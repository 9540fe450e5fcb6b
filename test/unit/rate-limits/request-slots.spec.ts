import { describe, expect, it } from 'vitest';
import type { OrgId, UserId } from '../../../src/domain/shared/ids.js';
import { RequestSlots } from '../../../src/http/shared/server/request-slots.js';

const as = (org: string, caller: string) => [`${org}-${caller}` as UserId, org as OrgId] as const;

describe('slots of requests that take long', () => {
  it('for uploads are four for one caller, eight for one organization and 32 for all', () => {
    const slots = new RequestSlots();
    const take = (org: string, caller: string) => slots.take('upload', ...as(org, caller));
    for (let n = 0; n < 4; n += 1) take('o1', 'a');
    expect(() => take('o1', 'a')).toThrow('too many uploads');
    const last = Array.from({ length: 4 }, (_, n) => take('o1', `b${n}`)).at(-1);
    // however many callers an organization makes
    expect(() => take('o1', 'c')).toThrow('too many uploads');
    for (const org of ['o2', 'o3', 'o4']) for (let n = 0; n < 8; n += 1) take(org, `a${n}`);
    expect(() => take('o5', 'a')).toThrow('too many uploads');
    last?.();
    last?.();
    expect(() => take('o5', 'a')).not.toThrow();
    expect(() => take('o6', 'a')).toThrow('too many uploads');
  });

  it('for uploads are taken by no stream, of which one organization has 32', () => {
    const slots = new RequestSlots();
    for (let n = 0; n < 32; n += 1) slots.take('import progress', ...as('o1', `a${n}`));
    expect(() => slots.take('import progress', ...as('o1', 'b'))).toThrow('too many open streams');
    expect(() => slots.take('upload', ...as('o1', 'b'))).not.toThrow();
    expect(() => slots.take('import progress', ...as('o2', 'b'))).not.toThrow();
  });

  it('for streams of imports are 256 for all, however many organizations there are', () => {
    const slots = new RequestSlots();
    for (let n = 0; n < 256; n += 1) slots.take('import progress', ...as(`o${n}`, 'a'));
    expect(() => slots.take('import progress', ...as('new', 'a'))).toThrow('too many open streams');
  });
});
