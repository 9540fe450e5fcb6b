import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { organization } from '../app/parents.ts';

/** Pages of the area `projects`, which has the place in the side bar. */

const newApplication = createRoute({
  getParentRoute: () => organization,
  path: '/projects/$project/applications/new',
  component: lazyRouteComponent(() => import('./new-application-page.tsx'), 'NewApplicationPage'),
});
const application = createRoute({
  getParentRoute: () => organization,
  path: '/projects/$project/applications/$app',
  component: lazyRouteComponent(() => import('./application-page.tsx'), 'ApplicationPage'),
});

export const applicationsRoutes = [newApplication, application] as const;
