import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { identityCommand } from '../../../../src/cli/commands.js';
import { EXIT } from '../../../../src/cli/shell/exit.js';
import { runCommandLine } from '../../../../src/cli/shell/run-command.js';
import type { Terminal } from '../../../../src/cli/shell/terminal.js';
import type { CliEnvironment } from '../../../../src/config/cli-environment.js';

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));

export function fixture(name: string): string {
  return path.join(FIXTURES, name);
}

export interface Finished {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const NOWHERE = {
  url: undefined,
  token: undefined,
  tokenFile: undefined,
  org: undefined,
  configFile: '/nowhere/config.json',
  isConfigNamed: false,
  isConfigLocal: false,
} satisfies CliEnvironment;

/** What a command may ask around it: the environment, and a service. */
export interface Around extends Partial<CliEnvironment> {
  readonly fetch?: typeof globalThis.fetch;
  /** Presses Ctrl-C. */
  readonly interrupt?: AbortSignal;
  /** What standard output takes first, and nothing else. */
  readonly unwritable?: NodeJS.ErrnoException;
  /** Whether somebody looks on, instead of a log. */
  readonly isTTY?: boolean;
}

async function unreachable(): Promise<never> {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) });
}

function terminalOf(
  stdin: string | Buffer,
  { fetch: ask = unreachable, interrupt, unwritable, isTTY = false, ...environment }: Around,
) {
  return {
    stdin: Object.assign(Readable.from([Buffer.from(stdin)], { objectMode: false }), { isTTY }),
    stdout: new Collector(unwritable),
    stderr: Object.assign(new Collector(), { isTTY }),
    fetch: ask,
    environment: { ...NOWHERE, ...environment },
    version: '1.2.3',
    exitCode: EXIT.ok,
    wait: async () => {},
    runProgram: async () => await Promise.reject(new Error('no program of the server runs here')),
    onInterrupt(react) {
      interrupt?.addEventListener('abort', react);
      return () => interrupt?.removeEventListener('abort', react);
    },
  } satisfies Terminal;
}

/** Runs `identity …` in this process. */
export async function identity(
  args: readonly string[],
  stdin: string | Buffer = '',
  around: Around = {},
): Promise<Finished> {
  const terminal = terminalOf(stdin, around);
  const code = await runCommandLine(identityCommand(terminal), args, terminal);
  return { code, out: terminal.stdout.text, err: terminal.stderr.text };
}

/** What each command and each group says of itself, by its path: `identity users list`. */
export async function helpTexts(): Promise<{ readonly path: string; readonly help: string }[]> {
  const paths = pathsBelow(identityCommand(terminalOf('', {})));
  return await Promise.all(
    paths.map(async (path) => ({
      path: ['identity', ...path].join(' '),
      help: (await identity([...path, '--help'])).out,
    })),
  );
}

function pathsBelow({ commands }: CommandUnknownOpts): string[][] {
  return [[], ...commands.flatMap((one) => pathsBelow(one).map((path) => [one.name(), ...path]))];
}

export interface Converted extends Finished {
  /** The output's lines, parsed. */
  readonly records: Record<string, unknown>[];
  /** `line 5: rejected: …` of the report. */
  readonly rejects: string[];
  /** What the summary says that users leave behind, with their number. */
  readonly notes: Record<string, number>;
}

/** Runs `identity convert …` with its summary as JSON. */
export async function converted(args: readonly string[], stdin?: string | Buffer): Promise<Converted> {
  const finished = await identity(['convert', ...args, '--json'], stdin);
  const lines = finished.err.trimEnd().split('\n');
  const summary = JSON.parse(lines.pop() ?? '{}') as { notes: Record<string, number> };
  const records = finished.out === '' ? [] : finished.out.trimEnd().split('\n');
  return {
    ...finished,
    records: records.map((line) => JSON.parse(line) as Record<string, unknown>),
    rejects: lines,
    notes: summary.notes,
  };
}

/** The encoded hash of a converted record. */
export function hashOf(record: Record<string, unknown> | undefined): string {
  const { value } = (record?.['hashedPassword'] ?? {}) as { value?: string };
  return value ?? '';
}

/** A directory that is gone after the work. */
export async function inDirectory<Result>(work: (directory: string) => Promise<Result>): Promise<Result> {
  const directory = await mkdtemp(path.join(tmpdir(), 'identity-cli-'));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

export async function readJson(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, 'utf8'));
}

class Collector extends Writable {
  text = '';

  /** @param failure of everything but what is written first */
  constructor(private readonly failure?: NodeJS.ErrnoException) {
    // as that of a pipe or a file, which goes on failing
    super({ autoDestroy: false, highWaterMark: 1 });
    // as src/cli/identity.ts has it
    this.on('error', () => undefined);
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    if (this.failure !== undefined && this.text !== '') return void setImmediate(done, this.failure);
    this.text += chunk.toString('utf8');
    done();
  }
}
