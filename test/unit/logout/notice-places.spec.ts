import { expect, it } from 'vitest';
import { NoticePlaces, type NoticePlace } from '../../../src/domain/logout/notice-places.js';
import type { OrgId } from '../../../src/domain/shared/ids.js';

const org = (name: string) => name as OrgId;
const kindsOf = (places: readonly NoticePlace[]) => places.map(({ kind }) => kind);

function take(places: NoticePlaces, name: string, times: number): NoticePlace[] {
  return Array.from({ length: times }, () => places.take(org(name)));
}

it('leaves places to others, whatever one organization has', () => {
  const places = new NoticePlaces();
  expect(kindsOf(take(places, 'flood', 4))).toEqual(['taken', 'taken', 'taken', 'full']);
  expect(kindsOf(take(places, 'other', 1))).toEqual(['taken']);
});

it('leaves some to messages, whatever all have', () => {
  const places = new NoticePlaces();
  const taken = ['a', 'b', 'c', 'd', 'e'].flatMap((name) => kindsOf(take(places, name, 3)));
  expect(taken.filter((kind) => kind === 'taken')).toHaveLength(6);
});

it('gives a place again that is given back', () => {
  const places = new NoticePlaces();
  const [first] = take(places, 'flood', 3);
  if (first?.kind === 'taken') first.free(10);
  expect(kindsOf(take(places, 'flood', 2))).toEqual(['taken', 'full']);
});

it('has the rest come one after the other, as fast as calls end, and in two minutes at the latest', () => {
  let now = 1_000;
  const places = new NoticePlaces(() => now);
  const waits = (count: number) =>
    take(places, 'flood', count).map((place) => (place.kind === 'full' ? place.retryInMs : 0));
  for (let n = 0; n < 40; n += 1) {
    const taken = take(places, 'flood', 3);
    for (const place of taken) if (place.kind === 'taken') place.free(4_900);
  }
  const [, , , first = 0, second = 0, ...others] = waits(5_000);
  expect(first).toBeCloseTo(4_900 / 3, -2);
  expect(second).toBeCloseTo((2 * 4_900) / 3, -2);
  expect(Math.max(...others)).toBeLessThanOrEqual(120_000);
  now += 120_000;
  // once the row is empty, whoever comes is the first of it again
  expect(waits(1)[0]).toBeCloseTo(4_900 / 3, -2);
});
