import type { Readable, Writable } from 'node:stream';
import type { CliEnvironment } from '../../config/cli-environment.js';
import type { ExitCode } from './exit.js';

/** What a command may touch of the process; tests hand in streams of their own. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly fetch: typeof globalThis.fetch;
  readonly environment: CliEnvironment;
  /** Of this program, as `--version` prints it. */
  readonly version: string;
  /** What a command that came to its end ends the program with; 0 unless it says otherwise. */
  exitCode: ExitCode;
  wait(milliseconds: number): Promise<unknown>;
  /** Runs a program of the server to its end, in this terminal and with the server's configuration. */
  runProgram(name: 'recover-administrator' | 'finish-restore', args: readonly string[]): Promise<ExitCode>;
  /** Has Ctrl-C call `react` instead of ending the program, until what this returns is called. */
  onInterrupt(react: () => void): () => void;
}
