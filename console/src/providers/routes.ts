import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { instance } from '../app/parents.ts';
import { nav, placeAt } from '../app/place.ts';

const providers = createRoute({
  getParentRoute: () => instance,
  path: '/providers',
  component: lazyRouteComponent(() => import('./providers-page.tsx'), 'ProvidersPage'),
});
const newProvider = createRoute({
  getParentRoute: () => instance,
  path: '/providers/new',
  staticData: { permission: 'iam.notification_provider.write' },
  component: lazyRouteComponent(() => import('./new-provider-page.tsx'), 'NewProviderPage'),
});
const oneProvider = createRoute({
  getParentRoute: () => instance,
  path: '/providers/$provider',
  component: lazyRouteComponent(() => import('./provider-page.tsx'), 'ProviderPage'),
});

export const providersRoutes = [providers, newProvider, oneProvider] as const;
export const providersPlace = placeAt(providers, {
  label: nav.providers,
  permission: 'iam.notification_provider.read',
  key: 'v',
});
