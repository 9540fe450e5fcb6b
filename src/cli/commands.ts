import { Command } from '@commander-js/extra-typings';
import { adminGroup } from './admin/admin.js';
import { convert } from './convert/convert.js';
import { events } from './events/events.js';
import { importGroup } from './import/import.js';
import { keysGroup } from './keys/keys.js';
import { applicationsGroup } from './resources/applications.js';
import { claimsWebhookGroup } from './resources/claims-webhook.js';
import { loginPolicyGroup } from './resources/login-policy.js';
import { migrationGroup } from './resources/migration.js';
import { projectsGroup } from './resources/projects.js';
import { providersGroup } from './resources/providers.js';
import { registrationTokensGroup, scimTokensGroup } from './resources/tokens.js';
import { webhooksGroup } from './resources/webhooks.js';
import { restoreGroup } from './restore/restore.js';
import { examples } from './shell/help.js';
import type { Terminal } from './shell/terminal.js';
import { usersGroup } from './users/users.js';

/** `identity`: the command line for people and scripts. Exit codes: `shell/exit.ts`. */
export function identityCommand(terminal: Terminal): Command {
  return new Command('identity')
    .description('Command line of the identity service')
    .version(`identity ${terminal.version}`, '--version', 'print the version')
    .addCommand(convert(terminal))
    .addCommand(importGroup(terminal))
    .addCommand(usersGroup(terminal))
    .addCommand(events(terminal))
    .addCommand(projectsGroup(terminal))
    .addCommand(applicationsGroup(terminal))
    .addCommand(registrationTokensGroup(terminal))
    .addCommand(providersGroup(terminal))
    .addCommand(loginPolicyGroup(terminal))
    .addCommand(migrationGroup(terminal))
    .addCommand(scimTokensGroup(terminal))
    .addCommand(webhooksGroup(terminal))
    .addCommand(claimsWebhookGroup(terminal))
    .addCommand(keysGroup(terminal))
    .addCommand(adminGroup(terminal))
    .addCommand(restoreGroup(terminal))
    .addHelpText(
      'after',
      examples(
        'identity convert auth0 --users users.json --passwords passwords.json --output users.ndjson',
        'identity import users.ndjson',
        'identity users list --state locked',
        'identity events --since 1h',
      ),
    );
}
