// What `npm test` runs, and which of it the words on its command line choose.

/** Checks that are one command each; every one counts as one test. */
export const CHECKS = ['build', 'lint', 'types', 'layers', 'format'];
/** Rings of tests, each a vitest project of that name. All but the first need the servers. */
export const RINGS = ['unit', 'storage', 'http', 'workers', 'conformance', 'browser', 'faults', 'interop'];
/** Run only when they are named: long, and about what few changes touch. */
export const ASKED_FOR = ['faults', 'interop'];

/**
 * `npm test` runs all; `npm test -- http lint` those; `npm test -- test/http/token` the files whose path holds that;
 * whatever begins with a dash goes to vitest (`-t name`). Rings are never run against an old build.
 */
export function planOf(args) {
  const dash = args.findIndex((arg) => arg.startsWith('-'));
  const words = dash === -1 ? args : args.slice(0, dash);
  const files = words.filter((word) => !CHECKS.includes(word) && !RINGS.includes(word));
  const misplaced = files.find((file) => ringOf(file) === undefined);
  if (misplaced !== undefined) {
    throw new Error(
      `"${misplaced}" is no part of the tests. Known: ${[...CHECKS, ...RINGS].join(', ')}, or test/<ring>/…`,
    );
  }
  const chosen = new Set([...words, ...files.map(ringOf)]);
  const rings = RINGS.filter((ring) => (words.length === 0 ? !ASKED_FOR.includes(ring) : chosen.has(ring)));
  const checks = CHECKS.filter((check) => words.length === 0 || chosen.has(check));
  if (rings.some((ring) => ring !== 'unit') && !checks.includes('build')) checks.unshift('build');
  return {
    checks,
    rings,
    notRun: words.length === 0 ? ASKED_FOR : [],
    filesOf: (ring) => files.filter((file) => ringOf(file) === ring),
    vitestArgs: dash === -1 ? [] : args.slice(dash),
  };
}

function ringOf(file) {
  const [, ring] = /^(?:\.\/)?test\/([^/]+)/.exec(file) ?? [];
  return RINGS.includes(ring) ? ring : undefined;
}

/** A ring that has not ended by then hangs: two hours (that of faults takes one), and for as long as a soak was asked for (soak.mjs). */
export function ringTimeoutMs({ SOAK_MINUTES = '0' }) {
  return (120 + Number(SOAK_MINUTES)) * 60_000;
}
