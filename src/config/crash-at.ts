/** The crash point a test asks for (src/domain/shared/crash-point.ts); never one outside of tests. */
export function crashAt(): string | undefined {
  return process.env['NODE_ENV'] === 'test' ? process.env['CRASH_AT'] : undefined;
}
