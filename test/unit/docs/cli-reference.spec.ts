import path from 'node:path';
import { expect, it } from 'vitest';
import { identityCommands } from '../../../src/cli/commands.js';
import type { Command, CommandGroup } from '../../../src/cli/shell/command.js';
import { helpOfCommand, helpOfGroup } from '../../../src/cli/shell/help.js';

// docs/cli.md is what `--help` says, command by command. `npx vitest run -u --project unit cli-reference` writes it.

const INTRODUCTION = `# Command line

\`identity\` is the command line of the service. In a clone of the repository, \`npx identity\` runs it; in the container image,
\`node dist/src/cli/identity.js\`. Where the service is and which token it uses: [migrating.md](migrating.md#where-the-service-is).

| Exit code | Means                                            |
| --------- | ------------------------------------------------ |
| 0         | done                                             |
| 1         | the operation failed, or some of its records did |
| 2         | the command line is wrong; nothing was tried     |
| 130       | Ctrl-C; what the service has begun goes on       |

This page is made from the commands: it is what \`--help\` prints.
`;

function sectionsOf(path: readonly string[], at: Command | CommandGroup): string[] {
  const heading = `## ${path.join(' ')}`;
  if (!('commands' in at)) return [`${heading}\n\n\`\`\`text\n${helpOfCommand(path, at)}\`\`\`\n`];
  return [
    `${heading}\n\n\`\`\`text\n${helpOfGroup(path, at)}\`\`\`\n`,
    ...at.commands.flatMap((command) => sectionsOf([...path, command.name], command)),
  ];
}

it('docs/cli.md is what the commands say of themselves', async () => {
  const page = [INTRODUCTION, ...sectionsOf([identityCommands.name], identityCommands)].join('\n');
  await expect(page).toMatchFileSnapshot(path.join(import.meta.dirname, '../../../docs/cli.md'));
});
