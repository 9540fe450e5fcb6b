import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { organization } from '../app/parents.ts';
import { nav, placeAt } from '../app/place.ts';

const serviceUsers = createRoute({
  getParentRoute: () => organization,
  path: '/service-users',
  component: lazyRouteComponent(() => import('./service-users-page.tsx'), 'ServiceUsersPage'),
});
const newServiceUser = createRoute({
  getParentRoute: () => organization,
  path: '/service-users/new',
  staticData: { permission: 'user.write' },
  component: lazyRouteComponent(() => import('./new-service-user-page.tsx'), 'NewServiceUserPage'),
});
const serviceUser = createRoute({
  getParentRoute: () => organization,
  path: '/service-users/$user',
  component: lazyRouteComponent(() => import('./service-user-page.tsx'), 'ServiceUserPage'),
});

export const serviceUsersRoutes = [serviceUsers, newServiceUser, serviceUser] as const;
export const serviceUsersPlace = placeAt(serviceUsers, {
  label: nav.serviceUsers,
  permission: 'user.read',
  key: 's',
});
