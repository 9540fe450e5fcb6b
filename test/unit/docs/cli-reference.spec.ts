import path from 'node:path';
import { expect, it } from 'vitest';
import { helpTexts } from '../cli/support/run-cli.js';

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

it('docs/cli.md is what the commands say of themselves', async () => {
  const sections = (await helpTexts()).map(({ path, help }) => `## ${path}\n\n\`\`\`text\n${help}\`\`\`\n`);
  const page = [INTRODUCTION, ...sections].join('\n');
  await expect(page).toMatchFileSnapshot(path.join(import.meta.dirname, '../../../docs/cli.md'));
});
