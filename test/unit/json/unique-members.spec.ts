import { describe, expect, it } from 'vitest';
import { countMembers, DuplicateMember, parseJson } from '../../../src/domain/shared/unique-members.js';
import { readJwt } from '../../../src/domain/signing-keys/read-jwt.js';
import { draw, type Draw } from '../../support/draw.js';
import { processorTime } from '../../support/processor-time.js';

function duplicateIn(text: string): string | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    if (error instanceof DuplicateMember) return error.path;
    throw error;
  }
}

describe('S207: a repeated member', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"a":1}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"\\u00e4":1,"ä":2}', 'ä'],
    ['{"a":{"b":[0,{"c":1,"d":"}","c":2}]}}', 'a.b[1].c'],
    ['[[],[{"x":null,"x":null}]]', '[1][0].x'],
    ['{"a":{"x":1},"a":{"y":2}}', 'a'],
    ['{ "a" :\t1 ,\r\n "b":2, "a" : 3 }', 'a'],
    ['{"":1,"":2}', ''],
    ['{"\\"":1,"\\"":2}', '?'],
    ['{"a\\\\":1,"b":2,"a\\\\":3}', 'a?'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"1":1,"1":2}', '1'],
    [`{"${'k'.repeat(100)}":1,"${'k'.repeat(100)}":2}`, `${'k'.repeat(60)}…`],
  ])('%s', (text, path) => {
    expect(duplicateIn(text)).toBe(path);
  });

  it.each([
    '{}',
    '[]',
    'null',
    '"a:b"',
    '7',
    '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}',
    '{"a":"\\":\\"a\\":","b":":"}',
    '{"a":"\\\\","b":"\\\\\\"","c":"x"}',
    '{"a":["a","a",":"],"A":1}',
    '{"__proto__":{"a":1},"a":{"__proto__":2}}',
    '{"a\\u0000":1,"a":2}',
  ])('is not in %s', (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it('is told from texts whatever is drawn', () => {
    const random = draw(207);
    for (let round = 0; round < 3_000; round += 1) {
      const made = drawJson(random, 4);
      expect(duplicateIn(made.text) !== undefined, made.text).toBe(made.duplicate);
    }
  });

  it('is found below any depth, and half a million brackets overflow nothing', () => {
    const deep = 250_000;
    expect(duplicateIn(`${'['.repeat(deep)}{"a":1,"a":2}${']'.repeat(deep)}`)).toMatch(/^\[0\].*a$/);
    expect(duplicateIn(`${'['.repeat(deep)}${']'.repeat(deep)}`)).toBeUndefined();
  });

  it('in a body of 4 MiB is looked for in a time like that of JSON.parse', async () => {
    const text = JSON.stringify(
      Array.from({ length: 12_000 }, (_, index) => ({ userName: `u${index}`, value: 'x'.repeat(300) })),
    );
    const ours = await processorTime(() => parseJson(text));
    expect(ours).toBeLessThan(10 * (await processorTime(() => JSON.parse(text) as unknown)));
  });

  it('in the header or payload of a JWT, it is no JWT', () => {
    const part = (text: string): string => Buffer.from(text).toString('base64url');
    const good = part('{"alg":"RS256"}');
    expect(readJwt(`${good}.${part('{"sub":"1"}')}.x`)?.payload.sub).toBe('1');
    expect(readJwt(`${good}.${part('{"sub":"1","sub":"2"}')}.x`)).toBeUndefined();
    expect(readJwt(`${part('{"alg":"RS256","alg":"none"}')}.${good}.x`)).toBeUndefined();
  });
});

describe('members of a value', () => {
  it.each([
    [null, 0, 1],
    ['text', 0, 1],
    [[], 0, 1],
    [[1, [2, 3], []], 0, 6],
    [{ a: 1, b: [{ c: null }, 'd'] }, 3, 6],
  ])('of %j are %i, and it has %i values', (value, members, values) => {
    expect(countMembers(value)).toBe(members);
    expect(countMembers(value, values)).toBe(members);
    if (values > 1) expect(countMembers(value, values - 1)).toBeUndefined();
  });
});

/** JSON text, and whether some object in it has a name twice. */
function drawJson(random: Draw, depth: number): { text: string; duplicate: boolean } {
  const kind = depth === 0 ? 0 : random.int(0, 3);
  if (kind === 0) {
    const text = random.pick(['1', 'null', '"a"', '":"', '"\\""', '"\\\\"', '"{\\"a\\":1}"', '""']);
    return { text, duplicate: false };
  }
  const blank = () => random.pick(['', '', ' ', '\n']);
  let duplicate = false;
  const parts: string[] = [];
  const seen = new Set<string>();
  for (let left = random.int(0, 3); left > 0; left -= 1) {
    const inner = drawJson(random, depth - 1);
    duplicate ||= inner.duplicate;
    if (kind === 1) parts.push(`${blank()}${inner.text}${blank()}`);
    else {
      const written = random.pick(['"a"', '"\\u0061"', '"b"', '"c:"', '"\\""', '"d"', '"e"', '"f"']);
      const name = JSON.parse(written) as string;
      duplicate ||= seen.has(name);
      seen.add(name);
      parts.push(`${blank()}${written}${blank()}:${inner.text}`);
    }
  }
  return { text: kind === 1 ? `[${parts.join(',')}]` : `{${parts.join(',')}}`, duplicate };
}
