import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { applicationsRoutes } from '../applications/routes.ts';
import { eventsRoutesOfInstance, eventsRoutesOfOrganization } from '../events/routes.ts';
import { homeRoutes } from '../home/routes.ts';
import {
  identityProvidersRoutesOfInstance,
  identityProvidersRoutesOfOrganization,
} from '../identity-providers/routes.ts';
import { importsRoutes } from '../imports/routes.ts';
import { keysRoutes } from '../keys/routes.ts';
import { membersRoutesOfInstance, membersRoutesOfOrganization } from '../members/routes.ts';
import { messagesRoutesOfInstance, messagesRoutesOfOrganization } from '../messages/routes.ts';
import { organizationsRoutesOfInstance, organizationsRoutesOfOrganization } from '../organizations/routes.ts';
import { projectsRoutes } from '../projects/routes.ts';
import { providersRoutes } from '../providers/routes.ts';
import { queuesRoutes } from '../queues/routes.ts';
import { serviceUsersRoutes } from '../service-users/routes.ts';
import { settingsRoutes } from '../settings/routes.ts';
import { Failure } from '../shared/failure.tsx';
import { LoadingPage } from '../shared/loading.tsx';
import { signInRoutes } from '../sign-in/routes.ts';
import { userMigrationRoutes } from '../user-migration/routes.ts';
import { usersRoutes } from '../users/routes.ts';
import { webhooksRoutesOfInstance, webhooksRoutesOfOrganization } from '../webhooks/routes.ts';
import { isNotLoaded, NotThere } from './later.tsx';
import { Lost, NotLoaded } from './lost.tsx';
import { instance, organization, root } from './parents.ts';
import { Shell } from './shell.tsx';
import { Start } from './start.tsx';

/** Joins the routes of all areas, which stand in their `routes.ts`. Pages are loaded when they are first opened. */

const start = createRoute({ getParentRoute: () => root, path: '/', component: Start });

/** The callback is gone from the address before the router sees it; whoever types it is led to the start. */
const callback = createRoute({
  getParentRoute: () => root,
  path: '/callback',
  beforeLoad: () => {
    // oxlint-disable-next-line typescript/only-throw-error -- how the router is told to go elsewhere
    throw redirect({ to: '/' });
  },
});

export const router = createRouter({
  basepath: '/console',
  routeTree: root
    .update({ component: Shell, notFoundComponent: Lost })
    .addChildren([
      start,
      callback,
      organization.addChildren([
        ...homeRoutes,
        ...usersRoutes,
        ...serviceUsersRoutes,
        ...projectsRoutes,
        ...applicationsRoutes,
        ...importsRoutes,
        ...signInRoutes,
        ...identityProvidersRoutesOfOrganization,
        ...userMigrationRoutes,
        ...messagesRoutesOfOrganization,
        ...eventsRoutesOfOrganization,
        ...webhooksRoutesOfOrganization,
        ...membersRoutesOfOrganization,
        ...organizationsRoutesOfOrganization,
      ]),
      instance.addChildren([
        ...organizationsRoutesOfInstance,
        ...membersRoutesOfInstance,
        ...keysRoutes,
        ...providersRoutes,
        ...messagesRoutesOfInstance,
        ...queuesRoutes,
        ...settingsRoutes,
        ...identityProvidersRoutesOfInstance,
        ...eventsRoutesOfInstance,
        ...webhooksRoutesOfInstance,
      ]),
    ]),
  defaultPreload: 'intent',
  // what a page holds is of the thing in its address: secrets, drafts and fields of one must not stand under another
  defaultRemountDeps: ({ params }) => params,
  defaultPendingComponent: LoadingPage,
  // a page whose file is gone is looked for once more by a reload of the router's own
  defaultErrorComponent: ({ error, reset }) =>
    isNotLoaded(error) ? (
      <NotThere error={error}>
        <NotLoaded />
      </NotThere>
    ) : (
      <Failure error={error} onRetry={reset} />
    ),
  scrollRestoration: true,
  // filters stand in the address as people would write them
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(
      Object.entries(search).flatMap(([name, value]) =>
        value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
      ),
    ).toString();
    return text === '' ? '' : `?${text}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface StaticDataRouteOption {
    /** What a page asks of its visitor beside what its place asks: nothing of it is drawn for those who lack it, and no link to it. */
    readonly permission?: string;
  }
}
