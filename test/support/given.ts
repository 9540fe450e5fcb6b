import { afterAll, beforeAll, beforeEach } from 'vitest';

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

/**
 * A server, or anything else that runs while the tests of a file (or of a `describe`) do. It may keep its state as it likes:
 * what is read of it, set or called goes to the one that was started.
 */
export function givenRunning<T extends { stop(): Promise<unknown> }>(start: () => Promise<T>): T {
  let running: T | undefined;
  beforeAll(async () => {
    running = await start();
  });
  afterAll(async () => await running?.stop());
  const started = (): T => {
    if (running === undefined) throw new Error('it runs only while tests do');
    return running;
  };
  return new Proxy({} as T, {
    get: (_, name) => {
      const it = started();
      const value: unknown = Reflect.get(it, name);
      return typeof value === 'function' ? (value.bind(it) as unknown) : value;
    },
    set: (_, name, value) => Reflect.set(started(), name, value),
  });
}

function become(thing: object, made: object): void {
  Object.setPrototypeOf(thing, Object.getPrototypeOf(made) as object | null);
  Object.defineProperties(thing, Object.getOwnPropertyDescriptors(made));
}
