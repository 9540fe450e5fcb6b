import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { organization } from '../app/parents.ts';
import { nav, placeAt } from '../app/place.ts';

const signIn = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
});
const loginPolicy = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/login',
  component: lazyRouteComponent(() => import('./login-policy-page.tsx'), 'LoginPolicyPage'),
});
const passwordPolicy = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/password',
  component: lazyRouteComponent(() => import('./password-policy-page.tsx'), 'PasswordPolicyPage'),
});
const lockoutPolicy = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/lockout',
  component: lazyRouteComponent(() => import('./lockout-policy-page.tsx'), 'LockoutPolicyPage'),
});
const factorPolicy = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/factors',
  component: lazyRouteComponent(() => import('./factor-policy-page.tsx'), 'FactorPolicyPage'),
});
const tokenPolicy = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/tokens',
  component: lazyRouteComponent(() => import('./token-policy-page.tsx'), 'TokenPolicyPage'),
});
const branding = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/branding',
  component: lazyRouteComponent(() => import('./branding-page.tsx'), 'BrandingPage'),
});
const messageTexts = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/texts',
  component: lazyRouteComponent(() => import('./texts-page.tsx'), 'TextsPage'),
});
const messageText = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/texts/$type',
  component: lazyRouteComponent(() => import('./text-page.tsx'), 'TextPage'),
});

export const signInRoutes = [
  signIn,
  loginPolicy,
  passwordPolicy,
  lockoutPolicy,
  factorPolicy,
  tokenPolicy,
  branding,
  messageTexts,
  messageText,
] as const;
export const signInPlace = placeAt(signIn, { label: nav.signIn, permission: 'policy.read', key: 'l' });
