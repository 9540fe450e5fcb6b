import { describe, expect, it } from 'vitest';
import { planOf, ringTimeoutMs } from '../../../scripts/test-plan.mjs';

const USUAL = ['unit', 'storage', 'http', 'workers', 'conformance', 'browser'];
const planned = (...args: string[]) => {
  const { checks, rings, notRun, vitestArgs } = planOf(args);
  return { checks, rings, notRun, vitestArgs };
};

describe('npm test', () => {
  it('ends no ring before a soak of two hours has', () => {
    expect(ringTimeoutMs({})).toBe(2 * 3_600_000);
    expect(ringTimeoutMs({ SOAK_MINUTES: '120' })).toBe(4 * 3_600_000);
  });

  it('runs every check and ring but the long ones, and names those that it did not run', () => {
    expect(planned()).toEqual({
      checks: ['build', 'lint', 'types', 'layers', 'format'],
      rings: USUAL,
      notRun: ['faults', 'interop'],
      vitestArgs: [],
    });
    expect(planned('-t', 'a name')).toMatchObject({ rings: USUAL, vitestArgs: ['-t', 'a name'] });
  });

  it.each(['faults', 'interop'])(
    'runs %s by its name, on a fresh build, and says nothing of others',
    (ring) => {
      expect(planned(ring)).toEqual({ checks: ['build'], rings: [ring], notRun: [], vitestArgs: [] });
    },
  );

  it('builds nothing for unit tests or for a check alone', () => {
    expect(planned('unit', 'lint')).toMatchObject({ checks: ['lint'], rings: ['unit'] });
    expect(planned('types')).toMatchObject({ checks: ['types'], rings: [] });
  });

  it('hands files to their own ring', () => {
    const plan = planOf(['test/http/oidc', './test/unit/cli/events.spec.ts', '--bail', '1']);
    expect(plan).toMatchObject({ rings: ['unit', 'http'], vitestArgs: ['--bail', '1'] });
    expect(plan.filesOf('http')).toEqual(['test/http/oidc']);
    expect(plan.filesOf('unit')).toEqual(['./test/unit/cli/events.spec.ts']);
    expect(plan.filesOf('storage')).toEqual([]);
  });

  it.each(['src/main.ts', 'test/nothing/here', 'everything'])('runs nothing for %s', (word) => {
    expect(() => planOf([word])).toThrow(`"${word}" is no part of the tests. Known: build, lint`);
  });
});
