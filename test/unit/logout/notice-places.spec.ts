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

it('has the rest come one after the other, as fast as calls end, and in a quarter of an hour at the latest', () => {
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
  expect(Math.max(...others)).toBeLessThanOrEqual(900_000);
  now += 900_000;
  // once the row is empty, whoever comes is the first of it again
  expect(waits(1)[0]).toBeCloseTo(4_900 / 3, -2);
});

it('asks a long backlog little more than it can serve, until it is done', () => {
  let now = 1_000;
  const places = new NoticePlaces(() => now);
  const running: { readonly endsAt: number; readonly free: (callMs?: number) => void }[] = [];
  const due = Array.from({ length: 4_000 }, () => now);
  let asked = 0;
  let most = 0;
  while (due.length > 0) {
    now += 100;
    for (const call of running.filter(({ endsAt }) => endsAt <= now)) {
      running.splice(running.indexOf(call), 1);
      call.free(1_000);
    }
    const here = due.filter((at) => at <= now).length;
    if (now > 2_000) most = Math.max(most, here);
    due.sort((one, other) => one - other);
    for (let n = 0; n < here; n += 1) {
      due.shift();
      asked += 1;
      const place = places.take(org('flood'));
      if (place.kind === 'full') due.push(now + place.retryInMs);
      else running.push({ endsAt: now + 1_000, free: place.free });
    }
  }
  // three at once, of a second each
  expect(now).toBeLessThan((4_000 / 3) * 1_000 * 1.5);
  expect(asked).toBeLessThan(4_000 * 5);
  expect(most).toBeLessThan(50);
});
