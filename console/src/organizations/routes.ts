import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { instance, organization } from '../app/parents.ts';
import { nav, placeAt } from '../app/place.ts';

const organizationSettings = createRoute({
  getParentRoute: () => organization,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings-page.tsx'), 'OrganizationSettingsPage'),
});
const organizations = createRoute({
  getParentRoute: () => instance,
  path: '/organizations',
  component: lazyRouteComponent(() => import('./organizations-page.tsx'), 'OrganizationsPage'),
});
const newOrganization = createRoute({
  getParentRoute: () => instance,
  path: '/organizations/new',
  staticData: { permission: 'org.create' },
  component: lazyRouteComponent(() => import('./organizations-page.tsx'), 'NewOrganizationPage'),
});

export const organizationsRoutesOfOrganization = [organizationSettings] as const;
export const organizationsRoutesOfInstance = [organizations, newOrganization] as const;
export const organizationsPlaceOfOrganization = placeAt(organizationSettings, {
  label: nav.settings,
  permission: 'org.read',
  key: 't',
});
export const organizationsPlaceOfInstance = placeAt(organizations, {
  label: nav.organizations,
  permission: 'iam.read',
  key: 'o',
});
