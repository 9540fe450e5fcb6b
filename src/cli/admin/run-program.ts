import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { localSettingsFile } from '../../config/cli-environment.js';
import { EXIT, OperationFailed, type ExitCode } from '../shell/exit.js';
import type { Terminal } from '../shell/terminal.js';

/** What the programs of the server end with where their arguments are wrong. */
const EX_USAGE = 64;

/** Programs of the server stand beside `identity.js`; what they read of the environment is theirs. */
export const runProgram: Terminal['runProgram'] = async (name, args) => {
  const program = path.join(path.dirname(realpathSync(process.argv[1] ?? '')), `${name}.js`);
  const settings = localSettingsFile();
  const node = settings === undefined ? [] : [`--env-file=${settings}`];
  const child = spawn(process.execPath, [...node, program, ...args], { stdio: 'inherit' });
  return await new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new OperationFailed(`${name} cannot be run: ${error.message}`)));
    child.once('close', (code) => resolve(exitCodeOf(code)));
  });
};

/** @param code null where a signal ended the program */
function exitCodeOf(code: number | null): ExitCode {
  if (code === 0) return EXIT.ok;
  return code === EX_USAGE ? EXIT.usage : EXIT.failed;
}
