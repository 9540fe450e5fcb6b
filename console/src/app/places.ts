import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import type { May } from './permissions.ts';
import { words } from './words.ts';

const t = words({ en, de });

/** A page of the side bar. Those whose permission the visitor lacks are not shown. */
export interface Place {
  readonly path: string;
  readonly label: string;
  readonly permission: string;
  /** The key after `g`. */
  readonly key?: string;
}

const OF_ORGANIZATION: readonly Place[] = [
  { path: '', label: t.nav.home, permission: 'org.read', key: 'h' },
  { path: '/users', label: t.nav.users, permission: 'user.read', key: 'u' },
  { path: '/service-users', label: t.nav.serviceUsers, permission: 'user.read', key: 's' },
  { path: '/projects', label: t.nav.projects, permission: 'project.read', key: 'p' },
  { path: '/imports', label: t.nav.imports, permission: 'user.import', key: 'i' },
  { path: '/sign-in', label: t.nav.signIn, permission: 'policy.read', key: 'l' },
  { path: '/messages', label: t.nav.messages, permission: 'notification.read', key: 'm' },
  { path: '/events', label: t.nav.events, permission: 'events.read', key: 'e' },
  { path: '/members', label: t.nav.members, permission: 'org.member.read', key: 'a' },
  { path: '/settings', label: t.nav.settings, permission: 'org.write', key: 't' },
];

const OF_INSTANCE: readonly Place[] = [
  { path: '/organizations', label: t.nav.organizations, permission: 'iam.read', key: 'o' },
  { path: '/members', label: t.nav.members, permission: 'iam.member.read' },
  { path: '/keys', label: t.nav.keys, permission: 'iam.web_key.read', key: 'k' },
  { path: '/providers', label: t.nav.providers, permission: 'iam.notification_provider.read', key: 'v' },
  { path: '/queues', label: t.nav.queues, permission: 'queues.read', key: 'q' },
  { path: '/settings', label: t.nav.instanceSettings, permission: 'iam.read', key: 'n' },
  { path: '/events', label: t.nav.instanceEvents, permission: 'iam.events.read', key: 'x' },
];

export function placesOfOrganization(orgId: string, may: May): readonly Place[] {
  return OF_ORGANIZATION.filter(({ permission }) => may(permission)).map((place) => ({
    ...place,
    path: `/orgs/${orgId}${place.path}`,
  }));
}

export function placesOfInstance(may: May): readonly Place[] {
  return OF_INSTANCE.filter(({ permission }) => may(permission)).map((place) => ({
    ...place,
    path: `/instance${place.path}`,
  }));
}
