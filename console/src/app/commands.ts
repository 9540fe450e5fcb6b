import type { LinkProps } from '@tanstack/react-router';
import de from '../../../locales/console/de/commands.json';
import en from '../../../locales/console/en/commands.json';
import { words } from './words.ts';

const t = words({ en, de });

/** Something that people do, as they would call it; it leads to the page on which it is done. */
interface Command {
  readonly name: Exclude<keyof typeof t, 'title'>;
  /** Those who lack it are not offered it. */
  readonly permission: string;
  readonly to: NonNullable<LinkProps['to']>;
}

const COMMANDS: readonly Command[] = [
  { name: 'addUser', permission: 'user.write', to: '/orgs/$org/users/new' },
  { name: 'invite', permission: 'user.write', to: '/orgs/$org/users/invite' },
  { name: 'import', permission: 'user.import', to: '/orgs/$org/imports/new' },
  { name: 'addServiceUser', permission: 'user.write', to: '/orgs/$org/service-users/new' },
  { name: 'addProject', permission: 'project.write', to: '/orgs/$org/projects/new' },
  { name: 'addApplication', permission: 'project.app.write', to: '/orgs/$org/projects' },
  { name: 'addIdentityProvider', permission: 'org.idp.write', to: '/orgs/$org/sign-in/providers/new' },
  { name: 'addWebhook', permission: 'org.webhook.write', to: '/orgs/$org/webhooks/new' },
  { name: 'giveRole', permission: 'org.member.write', to: '/orgs/$org/members' },
  { name: 'addDomain', permission: 'org.write', to: '/orgs/$org/settings' },
  { name: 'requireFactor', permission: 'policy.write', to: '/orgs/$org/sign-in/factors' },
  { name: 'changeBranding', permission: 'policy.write', to: '/orgs/$org/sign-in/branding' },
  { name: 'changeTexts', permission: 'policy.write', to: '/orgs/$org/sign-in/texts' },
  { name: 'addOrganization', permission: 'org.create', to: '/instance/organizations/new' },
  { name: 'addProvider', permission: 'iam.notification_provider.write', to: '/instance/providers/new' },
  { name: 'rotateKeys', permission: 'iam.web_key.write', to: '/instance/keys' },
];

export const commandsTitle = t.title;

/** What somebody may do in an organization, or in the instance. */
export function commandsFor(
  may: (permission: string) => boolean,
): readonly (Command & { readonly label: string })[] {
  return COMMANDS.filter(({ permission }) => may(permission)).map((command) => ({
    ...command,
    label: t[command.name],
  }));
}
