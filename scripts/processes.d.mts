export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
  /** Ends what the command started with it. */
  readonly group?: boolean;
  readonly signal?: AbortSignal;
  onLine?(line: string): void;
}

/** Runs a command to its end and resolves with its exit code and all that it printed. */
export function run(
  command: string,
  args: readonly string[],
  options?: RunOptions,
): Promise<{ readonly code: number; readonly output: string }>;
