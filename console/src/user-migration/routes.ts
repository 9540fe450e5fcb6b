import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { organization } from '../app/parents.ts';

const userMigration = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in/migration',
  staticData: { permission: 'org.idp.read' },
  component: lazyRouteComponent(() => import('./user-migration-page.tsx'), 'UserMigrationPage'),
});

export const userMigrationRoutes = [userMigration] as const;
