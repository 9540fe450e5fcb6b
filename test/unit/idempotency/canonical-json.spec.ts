import { expect, it } from 'vitest';
import { canonicalJson } from '../../../src/domain/idempotency/canonical-json.js';

it('does not show the order of members or white space', () => {
  const one: unknown = JSON.parse('{"b":[1,{"y":null,"x":"é"}],"a":true}');
  const other: unknown = JSON.parse(' { "a" : true, "b" : [ 1, { "x":"\\u00e9", "y":null } ] } ');
  expect(canonicalJson(one)).toBe('{"a":true,"b":[1,{"x":"é","y":null}]}');
  expect(canonicalJson(other)).toBe(canonicalJson(one));
});

it.each([
  ['order in lists', [1, 2], [2, 1]],
  ['types', { a: '1' }, { a: 1 }],
  ['null and nothing', { a: null }, {}],
  ['nesting', { a: { b: 1 } }, { 'a.b': 1 }],
  ['quotes in names', { 'a":1,"b': 2 }, { a: 1, b: 2 }],
])('tells apart: %s', (_, one, other) => {
  expect(canonicalJson(one)).not.toBe(canonicalJson(other));
});

it('refuses what is nested too deeply, instead of running out of stack', () => {
  const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  expect(canonicalJson(deep(60))).toHaveLength(120);
  expect(() => canonicalJson(deep(100_000))).toThrow('the body is nested too deeply');
});
