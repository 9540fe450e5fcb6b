import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMay } from '../app/permissions.ts';
import { AppLink } from '../shared/links.tsx';
import { UserLink } from '../users/user-link.tsx';
import { AGGREGATES, type LoggedEvent } from './events.ts';

type Called = LoggedEvent['aggregate'];

/** Of these there is one in an organization, or in the instance: the kind says which, and the id nothing more. */
const ONLY_ONES: ReadonlySet<string> = new Set([
  'branding_policy',
  'claims_webhook',
  'factor_policy',
  'instance',
  'key_schedule',
  'lockout_policy',
  'login_policy',
  'password_policy',
  'token_policy',
  'user_migration',
]);

/** Pages of an organization that need no id. */
const PAGES = {
  branding_policy: '/orgs/$org/sign-in/branding',
  factor_policy: '/orgs/$org/sign-in/factors',
  lockout_policy: '/orgs/$org/sign-in/lockout',
  login_policy: '/orgs/$org/sign-in/login',
  organization: '/orgs/$org/settings',
  organization_domain: '/orgs/$org/settings',
  password_policy: '/orgs/$org/sign-in/password',
  token_policy: '/orgs/$org/sign-in/tokens',
  user_migration: '/orgs/$org/sign-in/migration',
} as const;

interface ThingProperties {
  readonly event: LoggedEvent;
  /** Of the page: where users are looked for who are not of the event's organization. */
  readonly home: string;
}

export function kindOf({ type }: Called): string {
  return AGGREGATES[type] ?? type;
}

/** What it was done to: by its name, else by that of what it belongs to, else by its kind and its id. */
export function Thing({ event, home }: ThingProperties) {
  const { aggregate, target } = event;
  if (isCalled(aggregate))
    return (
      <>
        <Named thing={aggregate} event={event} home={home} />
        <Below>
          {kindOf(aggregate)}
          {target?.name !== undefined && (
            <>
              {' · '}
              <span className="linked">
                <Named thing={target} event={event} home={home} />
              </span>
            </>
          )}
        </Below>
      </>
    );
  const itself = (
    <PageOf thing={aggregate} event={event} home={home}>
      {kindOf(aggregate)}
    </PageOf>
  );
  if (target !== undefined && isCalled(target))
    return (
      <>
        <Named thing={target} event={event} home={home} />
        <Below>{itself}</Below>
      </>
    );
  return (
    <>
      {itself}
      {!ONLY_ONES.has(aggregate.type) && (
        <Text size="sm" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {aggregate.id}
        </Text>
      )}
    </>
  );
}

/** Users are looked for by the page where the service does not name them. */
function isCalled({ type, name }: Called): boolean {
  return name !== undefined || type === 'user';
}

function Below({ children }: { readonly children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
      {children}
    </Text>
  );
}

interface NamedProperties extends ThingProperties {
  readonly thing: Called;
}

/** A thing by its name, leading to its page where the console has one. */
export function Named({ thing, event, home }: NamedProperties) {
  const { resourceOwner } = event;
  // an event of the instance does not say whose user it is about
  if (thing.type === 'user' && (thing.name === undefined || resourceOwner === undefined))
    return <UserLink org={resourceOwner ?? home} id={thing.id} name={thing.name} elsewhere={home} />;
  return (
    <PageOf thing={thing} event={event} home={home}>
      {thing.name ?? thing.id}
    </PageOf>
  );
}

/** The way to the page of a thing, where there is one. What was removed has no name, and no page any more. */
function PageOf({ thing, event, home, children }: NamedProperties & { readonly children: ReactNode }) {
  const { type, id, name, projectId } = thing;
  const { resourceOwner } = event;
  const org = resourceOwner ?? home;
  const may = useMay(org);
  if (isPage(type) && (type !== 'organization' || name !== undefined))
    return (
      <AppLink to={PAGES[type]} params={{ org }}>
        {children}
      </AppLink>
    );
  if (type === 'notification')
    return (
      <AppLink to="/orgs/$org/messages/$message" params={{ org, message: id }}>
        {children}
      </AppLink>
    );
  // imports are for those to see who may begin them
  if (type === 'import' && may('user.import'))
    return (
      <AppLink to="/orgs/$org/imports/$importId" params={{ org, importId: id }}>
        {children}
      </AppLink>
    );
  if (name === undefined) return children;
  switch (type) {
    case 'user':
      return (
        <AppLink to="/orgs/$org/users/$user" params={{ org, user: id }}>
          {children}
        </AppLink>
      );
    case 'application':
      return (
        <AppLink
          to="/orgs/$org/projects/$project/applications/$app/{-$part}"
          params={{ org, project: projectId ?? '', app: id }}
        >
          {children}
        </AppLink>
      );
    case 'project':
      return (
        <AppLink to="/orgs/$org/projects/$project" params={{ org, project: id }}>
          {children}
        </AppLink>
      );
    case 'notification_provider':
    case 'notification_provider_health':
      return (
        <AppLink to="/instance/providers/$provider" params={{ provider: id }}>
          {children}
        </AppLink>
      );
    case 'identity_provider':
      return resourceOwner === undefined ? (
        <AppLink to="/instance/settings/identity-providers/$provider" params={{ provider: id }}>
          {children}
        </AppLink>
      ) : (
        <AppLink to="/orgs/$org/sign-in/providers/$provider" params={{ org, provider: id }}>
          {children}
        </AppLink>
      );
    case 'webhook':
      return resourceOwner === undefined ? (
        <AppLink to="/instance/webhooks/$webhook" params={{ webhook: id }}>
          {children}
        </AppLink>
      ) : (
        <AppLink to="/orgs/$org/webhooks/$webhook" params={{ org, webhook: id }}>
          {children}
        </AppLink>
      );
    default:
      return children;
  }
}

function isPage(type: string): type is keyof typeof PAGES {
  return Object.hasOwn(PAGES, type);
}
