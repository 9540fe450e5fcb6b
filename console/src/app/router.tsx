import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { Failure } from '../shared/failure.tsx';
import { LoadingPage } from '../shared/loading.tsx';
import { Lost } from './lost.tsx';
import { Shell } from './shell.tsx';
import { Start } from './start.tsx';

/**
 * Every page has an address, with the organization that it is about and, for lists, what they are filtered by, so that it can
 * be sent to a colleague. Pages are loaded when they are first opened.
 */

/** What a list's address holds: its filters, and where in it one is. */
export type ListSearch = Readonly<Partial<Record<string, string>>>;

/** Texts alone, as the address has them: what they mean is for the page to read. */
function texts(search: Record<string, unknown>): ListSearch {
  return Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value) && value !== ''
        ? [[name, String(value)] as const]
        : [],
    ),
  );
}

const root = createRootRoute({ component: Shell, notFoundComponent: Lost });

const start = createRoute({ getParentRoute: () => root, path: '/', component: Start });

const organization = createRoute({ getParentRoute: () => root, path: '/orgs/$org', validateSearch: texts });
const instance = createRoute({ getParentRoute: () => root, path: '/instance', validateSearch: texts });

/** The names of modules' exports are `…Page`. */
const home = createRoute({
  getParentRoute: () => organization,
  path: '/',
  component: lazyRouteComponent(() => import('../home/home-page.tsx'), 'HomePage'),
});
const users = createRoute({
  getParentRoute: () => organization,
  path: '/users',
  component: lazyRouteComponent(() => import('../users/users-page.tsx'), 'UsersPage'),
});
const newUser = createRoute({
  getParentRoute: () => organization,
  path: '/users/new',
  component: lazyRouteComponent(() => import('../users/new-user-page.tsx'), 'NewUserPage'),
});
const user = createRoute({
  getParentRoute: () => organization,
  path: '/users/$user',
  component: lazyRouteComponent(() => import('../users/user-page.tsx'), 'UserPage'),
});

const serviceUsers = createRoute({
  getParentRoute: () => organization,
  path: '/service-users',
  component: lazyRouteComponent(() => import('../service-users/service-users-page.tsx'), 'ServiceUsersPage'),
});
const newServiceUser = createRoute({
  getParentRoute: () => organization,
  path: '/service-users/new',
  component: lazyRouteComponent(
    () => import('../service-users/new-service-user-page.tsx'),
    'NewServiceUserPage',
  ),
});
const serviceUser = createRoute({
  getParentRoute: () => organization,
  path: '/service-users/$user',
  component: lazyRouteComponent(() => import('../service-users/service-user-page.tsx'), 'ServiceUserPage'),
});
const projects = createRoute({
  getParentRoute: () => organization,
  path: '/projects',
  component: lazyRouteComponent(() => import('../projects/projects-page.tsx'), 'ProjectsPage'),
});
const newProject = createRoute({
  getParentRoute: () => organization,
  path: '/projects/new',
  component: lazyRouteComponent(() => import('../projects/new-project-page.tsx'), 'NewProjectPage'),
});
const project = createRoute({
  getParentRoute: () => organization,
  path: '/projects/$project',
  component: lazyRouteComponent(() => import('../projects/project-page.tsx'), 'ProjectPage'),
});
const newApplication = createRoute({
  getParentRoute: () => organization,
  path: '/projects/$project/applications/new',
  component: lazyRouteComponent(
    () => import('../applications/new-application-page.tsx'),
    'NewApplicationPage',
  ),
});
const application = createRoute({
  getParentRoute: () => organization,
  path: '/projects/$project/applications/$app',
  component: lazyRouteComponent(() => import('../applications/application-page.tsx'), 'ApplicationPage'),
});
const members = createRoute({
  getParentRoute: () => organization,
  path: '/members',
  component: lazyRouteComponent(() => import('../members/members-page.tsx'), 'MembersPage'),
});
const organizationSettings = createRoute({
  getParentRoute: () => organization,
  path: '/settings',
  component: lazyRouteComponent(
    () => import('../organizations/settings-page.tsx'),
    'OrganizationSettingsPage',
  ),
});
const organizations = createRoute({
  getParentRoute: () => instance,
  path: '/organizations',
  component: lazyRouteComponent(() => import('../organizations/organizations-page.tsx'), 'OrganizationsPage'),
});
const newOrganization = createRoute({
  getParentRoute: () => instance,
  path: '/organizations/new',
  component: lazyRouteComponent(
    () => import('../organizations/organizations-page.tsx'),
    'NewOrganizationPage',
  ),
});
const instanceMembers = createRoute({
  getParentRoute: () => instance,
  path: '/members',
  component: lazyRouteComponent(() => import('../members/members-page.tsx'), 'InstanceMembersPage'),
});
const keys = createRoute({
  getParentRoute: () => instance,
  path: '/keys',
  component: lazyRouteComponent(() => import('../keys/keys-page.tsx'), 'KeysPage'),
});
const imports = createRoute({
  getParentRoute: () => organization,
  path: '/imports',
  component: lazyRouteComponent(() => import('../imports/imports-page.tsx'), 'ImportsPage'),
});
const newImport = createRoute({
  getParentRoute: () => organization,
  path: '/imports/new',
  component: lazyRouteComponent(() => import('../imports/new-import-page.tsx'), 'NewImportPage'),
});
const oneImport = createRoute({
  getParentRoute: () => organization,
  path: '/imports/$importId',
  component: lazyRouteComponent(() => import('../imports/import-page.tsx'), 'ImportPage'),
});

const messages = createRoute({
  getParentRoute: () => organization,
  path: '/messages',
  component: lazyRouteComponent(() => import('../messages/messages-page.tsx'), 'MessagesPage'),
});
const oneMessage = createRoute({
  getParentRoute: () => organization,
  path: '/messages/$message',
  component: lazyRouteComponent(() => import('../messages/message-page.tsx'), 'MessagePage'),
});
const providers = createRoute({
  getParentRoute: () => instance,
  path: '/providers',
  component: lazyRouteComponent(() => import('../providers/providers-page.tsx'), 'ProvidersPage'),
});
const newProvider = createRoute({
  getParentRoute: () => instance,
  path: '/providers/new',
  component: lazyRouteComponent(() => import('../providers/new-provider-page.tsx'), 'NewProviderPage'),
});
const oneProvider = createRoute({
  getParentRoute: () => instance,
  path: '/providers/$provider',
  component: lazyRouteComponent(() => import('../providers/provider-page.tsx'), 'ProviderPage'),
});

const queues = createRoute({
  getParentRoute: () => instance,
  path: '/queues',
  component: lazyRouteComponent(() => import('../queues/queues-page.tsx'), 'QueuesPage'),
});
const signIn = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../sign-in/sign-in-page.tsx'), 'SignInPage'),
});
const loginPolicy = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/login',
  component: lazyRouteComponent(() => import('../sign-in/login-policy-page.tsx'), 'LoginPolicyPage'),
});
const passwordPolicy = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/password',
  component: lazyRouteComponent(() => import('../sign-in/password-policy-page.tsx'), 'PasswordPolicyPage'),
});
const lockoutPolicy = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/lockout',
  component: lazyRouteComponent(() => import('../sign-in/lockout-policy-page.tsx'), 'LockoutPolicyPage'),
});
const factorPolicy = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/factors',
  component: lazyRouteComponent(() => import('../sign-in/factor-policy-page.tsx'), 'FactorPolicyPage'),
});
const tokenPolicy = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/tokens',
  component: lazyRouteComponent(() => import('../sign-in/token-policy-page.tsx'), 'TokenPolicyPage'),
});
const branding = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/branding',
  component: lazyRouteComponent(() => import('../sign-in/branding-page.tsx'), 'BrandingPage'),
});
const messageTexts = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/texts',
  component: lazyRouteComponent(() => import('../sign-in/texts-page.tsx'), 'TextsPage'),
});
const messageText = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/texts/$type',
  component: lazyRouteComponent(() => import('../sign-in/text-page.tsx'), 'TextPage'),
});
const tokenSettings = createRoute({
  getParentRoute: () => instance,
  path: '/settings',
  component: lazyRouteComponent(() => import('../settings/token-settings-page.tsx'), 'TokenSettingsPage'),
});
const securitySettings = createRoute({
  getParentRoute: () => instance,
  path: '/settings/security',
  component: lazyRouteComponent(
    () => import('../settings/security-settings-page.tsx'),
    'SecuritySettingsPage',
  ),
});
const factorSettings = createRoute({
  getParentRoute: () => instance,
  path: '/settings/factors',
  component: lazyRouteComponent(() => import('../settings/factor-settings-page.tsx'), 'FactorSettingsPage'),
});
const events = createRoute({
  getParentRoute: () => organization,
  path: '/events',
  component: lazyRouteComponent(() => import('../events/events-page.tsx'), 'EventsPage'),
});
const instanceEvents = createRoute({
  getParentRoute: () => instance,
  path: '/events',
  component: lazyRouteComponent(() => import('../events/events-page.tsx'), 'InstanceEventsPage'),
});

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
  routeTree: root.addChildren([
    start,
    callback,
    organization.addChildren([
      home,
      users,
      newUser,
      user,
      serviceUsers,
      newServiceUser,
      serviceUser,
      projects,
      newProject,
      project,
      newApplication,
      application,
      members,
      organizationSettings,
      imports,
      newImport,
      oneImport,
      messages,
      oneMessage,
      signIn,
      loginPolicy,
      passwordPolicy,
      lockoutPolicy,
      factorPolicy,
      tokenPolicy,
      branding,
      messageTexts,
      messageText,
      events,
    ]),
    instance.addChildren([
      organizations,
      newOrganization,
      instanceMembers,
      keys,
      providers,
      newProvider,
      oneProvider,
      queues,
      tokenSettings,
      securitySettings,
      factorSettings,
      instanceEvents,
    ]),
  ]),
  defaultPreload: 'intent',
  // what a page holds is of the thing in its address: secrets, drafts and fields of one must not stand under another
  defaultRemountDeps: ({ params }) => params,
  defaultPendingComponent: LoadingPage,
  defaultErrorComponent: ({ error }) => <Failure error={error} />,
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
}
