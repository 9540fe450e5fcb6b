import { useQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/applications.json';
import en from '../../../locales/console/en/applications.json';
import { words } from '../app/words.ts';
import { AppLink } from '../shared/links.tsx';
import { findProject } from './projects.ts';

const t = words({ en, de });

interface BackToProjectProperties {
  readonly org: string;
  readonly project: string;
}

/** The way back to the project that something is in, by its name. */
export function BackToProject({ org, project }: BackToProjectProperties) {
  const { data } = useQuery({
    queryKey: ['projects', org, project],
    queryFn: async () => await findProject(org, project),
  });
  return (
    <AppLink size="sm" to="/orgs/$org/projects/$project" params={{ org, project }}>
      {data?.name ?? t.backToProject}
    </AppLink>
  );
}
