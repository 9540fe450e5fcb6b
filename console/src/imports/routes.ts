import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { organization } from '../app/parents.ts';
import { nav, placeAt } from '../app/place.ts';

const imports = createRoute({
  getParentRoute: () => organization,
  path: '/imports',
  component: lazyRouteComponent(() => import('./imports-page.tsx'), 'ImportsPage'),
});
const newImport = createRoute({
  getParentRoute: () => organization,
  path: '/imports/new',
  staticData: { permission: 'user.import' },
  component: lazyRouteComponent(() => import('./new-import-page.tsx'), 'NewImportPage'),
});
const oneImport = createRoute({
  getParentRoute: () => organization,
  path: '/imports/$importId',
  component: lazyRouteComponent(() => import('./import-page.tsx'), 'ImportPage'),
});

export const importsRoutes = [imports, newImport, oneImport] as const;
export const importsPlace = placeAt(imports, { label: nav.imports, permission: 'user.import', key: 'i' });
