import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { organization } from '../app/parents.ts';

/** Pages of the area `projects`, which has the place in the side bar. */

const newApplication = createRoute({
  getParentRoute: () => organization,
  path: '/projects/$project/applications/new',
  staticData: { permission: 'project.app.write' },
  component: lazyRouteComponent(() => import('./new-application-page.tsx'), 'NewApplicationPage'),
});
/** With a part of it, so that a colleague can be sent there. The page stays while its parts change, and what was typed with it. */
const application = createRoute({
  getParentRoute: () => organization,
  path: '/projects/$project/applications/$app/{-$part}',
  staticData: { permission: 'project.app.read' },
  remountDeps: ({ params: { org, project, app } }) => ({ org, project, app }),
  component: lazyRouteComponent(() => import('./application-page.tsx'), 'ApplicationPage'),
});

export const applicationsRoutes = [newApplication, application] as const;
