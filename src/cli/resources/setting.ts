import { Command } from '@commander-js/extra-typings';
import { requireYes } from '../shell/confirm.js';
import type { Terminal } from '../shell/terminal.js';
import { callCommand } from './call-command.js';

/** A thing that an organization has at most one of. */
export function showSetting(
  terminal: Terminal,
  { group, path, field }: { readonly group: string; readonly path: string; readonly field: string },
) {
  return callCommand(terminal, {
    command: new Command('get').description('Show it as JSON; its secrets are not part of it'),
    // where there is none the member is missing
    call: async (client) => (await client.get<Record<string, unknown>>(path))[field] ?? null,
    told: (setting) => (setting === null ? 'There is none.' : JSON.stringify(setting, null, 2)),
    examples: [`identity ${group} get`],
  });
}

export function removeSetting(
  terminal: Terminal,
  about: {
    readonly group: string;
    readonly path: string;
    readonly noun: string;
    readonly consequence: string;
  },
) {
  const { group, path, noun, consequence } = about;
  return callCommand(terminal, {
    command: new Command('remove')
      .summary(`Remove the ${noun}`)
      .description(`${consequence} Requires --yes.`)
      .option('--yes', 'confirms the removal'),
    call: async (client, { yes }) => {
      requireYes(yes, `removing the ${noun}`);
      return await client.delete(path);
    },
    told: () => `Removed the ${noun}.`,
    examples: [`identity ${group} remove --yes`],
  });
}
