#!/usr/bin/env node
import { convert } from './convert/convert.js';
import type { CommandGroup } from './shell/command.js';
import { EXIT } from './shell/exit.js';
import { runCommandLine } from './shell/run-command.js';

/** `identity`: the command line for people and scripts. Exit codes: `shell/exit.ts`. */
const identity: CommandGroup = {
  name: 'identity',
  summary: 'Command line of the identity service',
  commands: [convert],
  examples: ['identity convert auth0 --users users.json --passwords passwords.json --output users.ndjson'],
};

try {
  process.exitCode = await runCommandLine(identity, process.argv.slice(2), process);
} catch (error) {
  console.error('identity: an unexpected error:', error);
  process.exitCode = EXIT.failed;
}
