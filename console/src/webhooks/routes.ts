import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { instance, organization } from '../app/parents.ts';
import { nav, placeAt } from '../app/place.ts';

const pages = () => import('./webhook-pages.tsx');

const ofOrganization = createRoute({
  getParentRoute: () => organization,
  path: '/webhooks',
  component: lazyRouteComponent(pages, 'OrganizationWebhooksPage'),
});
const newOfOrganization = createRoute({
  getParentRoute: () => organization,
  path: '/webhooks/new',
  staticData: { permission: 'org.webhook.write' },
  component: lazyRouteComponent(pages, 'NewOrganizationWebhookPage'),
});
const oneOfOrganization = createRoute({
  getParentRoute: () => organization,
  path: '/webhooks/$webhook',
  component: lazyRouteComponent(pages, 'OrganizationWebhookPage'),
});
const ofInstance = createRoute({
  getParentRoute: () => instance,
  path: '/webhooks',
  component: lazyRouteComponent(pages, 'InstanceWebhooksPage'),
});
const newOfInstance = createRoute({
  getParentRoute: () => instance,
  path: '/webhooks/new',
  staticData: { permission: 'iam.webhook.write' },
  component: lazyRouteComponent(pages, 'NewInstanceWebhookPage'),
});
const oneOfInstance = createRoute({
  getParentRoute: () => instance,
  path: '/webhooks/$webhook',
  component: lazyRouteComponent(pages, 'InstanceWebhookPage'),
});

export const webhooksRoutesOfOrganization = [ofOrganization, newOfOrganization, oneOfOrganization] as const;
export const webhooksRoutesOfInstance = [ofInstance, newOfInstance, oneOfInstance] as const;
export const webhooksPlaceOfOrganization = placeAt(ofOrganization, {
  label: nav.webhooks,
  permission: 'org.webhook.read',
  key: 'w',
});
export const webhooksPlaceOfInstance = placeAt(ofInstance, {
  label: nav.webhooks,
  permission: 'iam.webhook.read',
});
