import type { Readable, Writable } from 'node:stream';
import type { CliEnvironment } from '../../config/cli-environment.js';
import type { ExitCode } from './exit.js';
import type { Options, ValuesOf } from './options.js';

/** What a command may touch of the process; tests hand in streams of their own. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly fetch: typeof globalThis.fetch;
  readonly environment: CliEnvironment;
  /** Of this program, as `--version` tells it. */
  readonly version: string;
  wait(milliseconds: number): Promise<unknown>;
  /** Runs a program of the server to its end, in this terminal and with the server's configuration. */
  runProgram(name: 'recover-administrator', args: readonly string[]): Promise<ExitCode>;
  /** Has Ctrl-C call `react` instead of ending the program, until what this returns is called. */
  onInterrupt(react: () => void): () => void;
}

/** One thing that can be asked for, such as `identity convert auth0`: a file with this shape and a line in its group. */
export interface Command<Known extends Options = Options> {
  readonly name: string;
  /** One line, for the list in the group's help. */
  readonly summary: string;
  /** What `--help` says beside the options, in paragraphs. */
  readonly description?: string;
  /** Arguments without a name, in their order; the values arrive in `given.arguments`. */
  readonly parameters?: readonly Parameter[];
  readonly options: Known;
  /** Whole command lines. */
  readonly examples: readonly string[];
  run(given: Given<Known>, terminal: Terminal): Promise<ExitCode>;
}

export interface Parameter {
  readonly name: string;
  readonly meaning: string;
  readonly required: boolean;
}

/** What was given on the command line. */
export interface Given<Known extends Options> {
  readonly arguments: readonly string[];
  readonly options: ValuesOf<Known>;
}

/** Commands under one name, such as `identity convert`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly commands: readonly (Command | CommandGroup)[];
  /** What is meant when the first argument is none of them: `identity import users.ndjson`. */
  readonly otherwise?: Command;
  readonly examples: readonly string[];
}

/** Forgets which options a command knows, so that a group can hold it; only `run-command.ts` reads them for it. */
export function command<Known extends Options>(definition: Command<Known>): Command {
  return definition;
}
