import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { instance } from '../app/parents.ts';
import { nav, placeAt } from '../app/place.ts';

const tokenSettings = createRoute({
  getParentRoute: () => instance,
  path: '/settings',
  component: lazyRouteComponent(() => import('./token-settings-page.tsx'), 'TokenSettingsPage'),
});
const securitySettings = createRoute({
  getParentRoute: () => instance,
  path: '/settings/security',
  component: lazyRouteComponent(() => import('./security-settings-page.tsx'), 'SecuritySettingsPage'),
});
const factorSettings = createRoute({
  getParentRoute: () => instance,
  path: '/settings/factors',
  component: lazyRouteComponent(() => import('./factor-settings-page.tsx'), 'FactorSettingsPage'),
});
const messageTexts = createRoute({
  getParentRoute: () => instance,
  path: '/settings/texts',
  component: lazyRouteComponent(() => import('./text-pages.tsx'), 'InstanceTextsPage'),
});
const messageText = createRoute({
  getParentRoute: () => instance,
  path: '/settings/texts/$type',
  component: lazyRouteComponent(() => import('./text-pages.tsx'), 'InstanceTextPage'),
});

export const settingsRoutes = [
  tokenSettings,
  securitySettings,
  factorSettings,
  messageTexts,
  messageText,
] as const;
export const settingsPlace = placeAt(tokenSettings, {
  label: nav.instanceSettings,
  permission: 'iam.read',
  key: 'n',
});
