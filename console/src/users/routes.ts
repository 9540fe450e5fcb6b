import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { organization } from '../app/parents.ts';
import { nav, placeAt } from '../app/place.ts';

const users = createRoute({
  getParentRoute: () => organization,
  path: '/users',
  component: lazyRouteComponent(() => import('./users-page.tsx'), 'UsersPage'),
});
const newUser = createRoute({
  getParentRoute: () => organization,
  path: '/users/new',
  staticData: { permission: 'user.write' },
  component: lazyRouteComponent(() => import('./new-user-page.tsx'), 'NewUserPage'),
});
const invite = createRoute({
  getParentRoute: () => organization,
  path: '/users/invite',
  staticData: { permission: 'user.write' },
  component: lazyRouteComponent(() => import('./invite-page.tsx'), 'InvitePage'),
});
const user = createRoute({
  getParentRoute: () => organization,
  path: '/users/$user',
  component: lazyRouteComponent(() => import('./user-page.tsx'), 'UserPage'),
});
/** A part of what is known of a user, so that a colleague can be sent there. */
const userTab = createRoute({
  getParentRoute: () => organization,
  path: '/users/$user/$tab',
  component: lazyRouteComponent(() => import('./user-page.tsx'), 'UserPage'),
});

export const usersRoutes = [users, newUser, invite, user, userTab] as const;
export const usersPlace = placeAt(users, { label: nav.users, permission: 'user.read', key: 'u' });
