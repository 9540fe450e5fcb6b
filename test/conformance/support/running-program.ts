import { spawn, type ChildProcess } from 'node:child_process';

/** A program that runs, and what it has printed. */
export interface RunningProgram {
  readonly child: ChildProcess;
  output(): string;
  /** With its exit code. */
  readonly ended: Promise<number | null>;
}

/** Starts a program that knows nothing but these variables, and reads nothing. */
export function startProgram(
  [command, ...args]: readonly [string, ...string[]],
  where: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): RunningProgram {
  const child = spawn(command, args, { ...where, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output: () => output, ended };
}

export async function endProgram({ child, ended }: RunningProgram): Promise<void> {
  if (child.exitCode === null) child.kill('SIGTERM');
  await ended;
}
