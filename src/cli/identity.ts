#!/usr/bin/env node
import { setTimeout as wait } from 'node:timers/promises';
import { readCliEnvironment } from '../config/cli-environment.js';
import { versionOf } from '../config/version.js';
import { runProgram } from './admin/run-program.js';
import { identityCommand } from './commands.js';
import { reasonOf } from './files/reason-of.js';
import { EXIT } from './shell/exit.js';
import { runCommandLine } from './shell/run-command.js';
import type { Terminal } from './shell/terminal.js';
import { isReaderGone } from './shell/while-read.js';

let isUnwritten = false;
process.stdout.on('error', (error) => {
  // `| head` has read what it wants, and what the command does it does nevertheless
  if (isReaderGone(error) || isUnwritten) return;
  isUnwritten = true;
  process.exitCode = EXIT.failed;
  console.error(`identity: cannot write standard output: ${reasonOf(error)}`);
});
// nobody is left to be told
process.stderr.on('error', () => undefined);

try {
  const terminal: Terminal = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    fetch,
    environment: readCliEnvironment(),
    version: versionOf(import.meta.dirname),
    exitCode: EXIT.ok,
    wait,
    runProgram,
    onInterrupt(react) {
      // once: who presses it again is done with waiting
      process.once('SIGINT', react);
      return () => void process.off('SIGINT', react);
    },
  };
  const code = await runCommandLine(identityCommand(terminal), process.argv.slice(2), terminal);
  process.exitCode = isUnwritten && code === EXIT.ok ? EXIT.failed : code;
  // a broken off upload may still hold standard input open
  if (code === EXIT.interrupted) process.exit();
} catch (error) {
  console.error('identity: an unexpected error:', error);
  process.exitCode = EXIT.failed;
}
