import { z } from 'zod';

/**
 * An enum as protojson has it: a member by its name or by its number, which is its place (protocol §0.1). Inside, the field's
 * own words stand for it. `undefined` marks members that we cannot do.
 */
export function wireEnum<const Members extends Readonly<Record<string, string | undefined>>>(
  members: Members,
) {
  type Value = NonNullable<Members[keyof Members]>;
  const names = Object.keys(members);
  const wire = z.unknown().meta({ enum: names.filter((name) => members[name] !== undefined) });
  return z.codec(wire, z.custom<Value>(), {
    decode: (given, context) => {
      const name = typeof given === 'number' ? names[given] : names.find((known) => known === given);
      const value = name === undefined ? undefined : members[name];
      if (value !== undefined) return value as Value;
      const message = name === undefined ? `must be one of ${names.join(', ')}` : `${name} is not supported`;
      context.issues.push({ code: 'custom', message, input: given });
      return z.NEVER;
    },
    // a value that no member has is shown as it is
    encode: (value) => names.find((name) => members[name] === value) ?? value,
  });
}

/** An enum whose members travel under our own words. */
export function wireEnumOf<const Word extends string>(words: readonly Word[]) {
  return wireEnum(Object.fromEntries(words.map((word) => [word, word])) as Readonly<Record<Word, Word>>);
}
