import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EVENT_AGGREGATES, EVENT_TYPES } from '../../../src/domain/events/event-types.js';

// What the console calls events and what they are about: every one of them, in the words of the one list.

function wordsOf(file: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../../locales/console/en/${file}`, import.meta.url), 'utf8'));
}

it('says of each type of event what the list says', () => {
  const said = Object.fromEntries(Object.entries(EVENT_TYPES).map(([type, [, text]]) => [type, text]));
  expect(wordsOf('event-types.json')).toEqual(said);
});

it('has a name for each kind of object', () => {
  const { aggregates } = wordsOf('events.json') as { readonly aggregates: object };
  expect(Object.keys(aggregates).sort()).toEqual([...EVENT_AGGREGATES].sort());
});
