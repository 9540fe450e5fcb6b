#!/usr/bin/env node
import { setTimeout as wait } from 'node:timers/promises';
import { readCliEnvironment } from '../config/cli-environment.js';
import { runProgram } from './admin/run-program.js';
import { identityCommands } from './commands.js';
import { EXIT } from './shell/exit.js';
import { runCommandLine } from './shell/run-command.js';
import { versionOf } from './shell/version.js';

try {
  process.exitCode = await runCommandLine(identityCommands, process.argv.slice(2), {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    fetch,
    environment: readCliEnvironment(),
    version: versionOf(import.meta.dirname),
    wait,
    runProgram,
    onInterrupt(react) {
      // once: who presses it again is done with waiting
      process.once('SIGINT', react);
      return () => void process.off('SIGINT', react);
    },
  });
  // a broken off upload may still hold standard input open
  if (process.exitCode === EXIT.interrupted) process.exit();
} catch (error) {
  console.error('identity: an unexpected error:', error);
  process.exitCode = EXIT.failed;
}
