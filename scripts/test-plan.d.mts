/** What `npm test` runs by the words on its command line. */
export function planOf(args: readonly string[]): {
  readonly checks: readonly string[];
  readonly rings: readonly string[];
  /** What the run says at its end that it left out. */
  readonly notRun: readonly string[];
  filesOf(ring: string): readonly string[];
  readonly vitestArgs: readonly string[];
};

export function ringTimeoutMs(env: { readonly SOAK_MINUTES?: string }): number;
