import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { localSettingsFile } from '../../config/cli-environment.js';
import { EXIT, OperationFailed } from '../shell/exit.js';
import type { Terminal } from '../shell/terminal.js';

/** Programs of the server stand beside `identity.js`; what they read of the environment is theirs. */
export const runProgram: Terminal['runProgram'] = async (name, args) => {
  const program = path.join(path.dirname(realpathSync(process.argv[1] ?? '')), `${name}.js`);
  const settings = localSettingsFile();
  const node = settings === undefined ? [] : [`--env-file=${settings}`];
  const child = spawn(process.execPath, [...node, program, ...args], { stdio: 'inherit' });
  return await new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new OperationFailed(`${name} cannot be run: ${error.message}`)));
    child.once('close', (code) => resolve(code === 0 ? EXIT.ok : EXIT.failed));
  });
};
