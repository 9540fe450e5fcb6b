#!/usr/bin/env node
import { setTimeout as wait } from 'node:timers/promises';
import { readCliEnvironment } from '../config/cli-environment.js';
import { convert } from './convert/convert.js';
import { importGroup } from './import/import.js';
import { keysGroup } from './keys/keys.js';
import type { CommandGroup } from './shell/command.js';
import { EXIT } from './shell/exit.js';
import { runCommandLine } from './shell/run-command.js';

/** `identity`: the command line for people and scripts. Exit codes: `shell/exit.ts`. */
const identity: CommandGroup = {
  name: 'identity',
  summary: 'Command line of the identity service',
  commands: [convert, importGroup, keysGroup],
  examples: [
    'identity convert auth0 --users users.json --passwords passwords.json --output users.ndjson',
    'identity import users.ndjson',
  ],
};

try {
  process.exitCode = await runCommandLine(identity, process.argv.slice(2), {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    fetch,
    environment: readCliEnvironment(),
    wait,
  });
} catch (error) {
  console.error('identity: an unexpected error:', error);
  process.exitCode = EXIT.failed;
}
