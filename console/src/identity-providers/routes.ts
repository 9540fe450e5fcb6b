import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { instance, organization } from '../app/parents.ts';

const pages = () => import('./identity-provider-pages.tsx');

const ofOrganization = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/providers',
  staticData: { permission: 'org.idp.read' },
  component: lazyRouteComponent(pages, 'OrganizationProvidersPage'),
});
const newOfOrganization = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/providers/new',
  staticData: { permission: 'org.idp.write' },
  component: lazyRouteComponent(pages, 'NewOrganizationProviderPage'),
});
const oneOfOrganization = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/providers/$provider',
  staticData: { permission: 'org.idp.read' },
  component: lazyRouteComponent(pages, 'OrganizationProviderPage'),
});
const ofInstance = createRoute({
  getParentRoute: () => instance,
  path: '/settings/identity-providers',
  staticData: { permission: 'iam.idp.read' },
  component: lazyRouteComponent(pages, 'InstanceProvidersPage'),
});
const newOfInstance = createRoute({
  getParentRoute: () => instance,
  path: '/settings/identity-providers/new',
  staticData: { permission: 'iam.idp.write' },
  component: lazyRouteComponent(pages, 'NewInstanceProviderPage'),
});
const oneOfInstance = createRoute({
  getParentRoute: () => instance,
  path: '/settings/identity-providers/$provider',
  staticData: { permission: 'iam.idp.read' },
  component: lazyRouteComponent(pages, 'InstanceProviderPage'),
});

export const identityProvidersRoutesOfOrganization = [
  ofOrganization,
  newOfOrganization,
  oneOfOrganization,
] as const;
export const identityProvidersRoutesOfInstance = [ofInstance, newOfInstance, oneOfInstance] as const;
