import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { instance, organization } from '../app/parents.ts';
import { nav, placeAt } from '../app/place.ts';

const members = createRoute({
  getParentRoute: () => organization,
  path: '/members',
  component: lazyRouteComponent(() => import('./members-page.tsx'), 'MembersPage'),
});
const instanceMembers = createRoute({
  getParentRoute: () => instance,
  path: '/members',
  component: lazyRouteComponent(() => import('./members-page.tsx'), 'InstanceMembersPage'),
});

export const membersRoutesOfOrganization = [members] as const;
export const membersRoutesOfInstance = [instanceMembers] as const;
export const membersPlaceOfOrganization = placeAt(members, {
  label: nav.members,
  permission: 'org.member.read',
  key: 'a',
});
export const membersPlaceOfInstance = placeAt(instanceMembers, {
  label: nav.members,
  permission: 'iam.member.read',
});
