import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { organization } from '../app/parents.ts';
import { nav, placeAt } from '../app/place.ts';

const projects = createRoute({
  getParentRoute: () => organization,
  path: '/projects',
  component: lazyRouteComponent(() => import('./projects-page.tsx'), 'ProjectsPage'),
});
const newProject = createRoute({
  getParentRoute: () => organization,
  path: '/projects/new',
  staticData: { permission: 'project.write' },
  component: lazyRouteComponent(() => import('./new-project-page.tsx'), 'NewProjectPage'),
});
const project = createRoute({
  getParentRoute: () => organization,
  path: '/projects/$project',
  component: lazyRouteComponent(() => import('./project-page.tsx'), 'ProjectPage'),
});

export const projectsRoutes = [projects, newProject, project] as const;
export const projectsPlace = placeAt(projects, { label: nav.projects, permission: 'project.read', key: 'p' });
