import { beforeAll, beforeEach } from 'vitest';

/**
 * What all tests of a file (or of a `describe`) share: made once, before the first of them, after what is written above
 * it. It is there from the start, but has nothing in it until then; it cannot be what keeps its state from copying (a URL,
 * a class with `#fields`).
 */
export function given<T extends object>(make: () => T | Promise<T>): T {
  const thing = {} as T;
  beforeAll(async () => become(thing, await make()));
  return thing;
}

/** The same, made anew before each test. */
export function givenEach<T extends object>(make: () => T | Promise<T>): T {
  const thing = {} as T;
  beforeEach(async () => become(thing, await make()));
  return thing;
}

function become(thing: object, made: object): void {
  Object.setPrototypeOf(thing, Object.getPrototypeOf(made) as object | null);
  Object.defineProperties(thing, Object.getOwnPropertyDescriptors(made));
}
