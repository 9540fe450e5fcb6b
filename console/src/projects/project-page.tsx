import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/projects.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/projects.json';
import shared from '../../../locales/console/en/shared.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { useMay } from '../app/permissions.ts';
import { words } from '../app/words.ts';
import { ProjectApplications } from '../applications/project-applications.tsx';
import { ActivationSwitch } from '../shared/activation-switch.tsx';
import { Deletion } from '../shared/deletion.tsx';
import { Found } from '../shared/found.tsx';
import { AppLink } from '../shared/links.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { Copy } from '../shared/secret.tsx';
import { Section } from '../shared/section.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';
import { State } from '../shared/state.tsx';
import { HoldersCount } from './holders-count.tsx';
import { ProjectGrants } from './project-grants.tsx';
import { ProjectRoles } from './project-roles.tsx';
import { bodyOf, ProjectFields, valuesOf, type ProjectValues } from './project-settings.tsx';
import { findProject, PROJECT_STATES, type Project } from './projects.ts';
import { RoleHolders } from './role-holders.tsx';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

interface ProjectProperties {
  readonly org: string;
  readonly project: Project;
}

/** A project: its applications, its roles, who has them, who else may use it, its settings. */
export function ProjectPage() {
  const { org = '', project: id = '' } = useParams({ strict: false });
  const found = useQuery({
    queryKey: ['projects', org, id],
    queryFn: async () => await findProject(org, id),
  });
  return <Found found={found}>{(project) => <OneProject org={org} project={project} />}</Found>;
}

function OneProject({ org, project }: ProjectProperties) {
  const may = useMay(org);
  const navigate = useNavigate();
  const mayWrite = may('project.write');
  // the service needs its own, as it is
  const mayEnd = mayWrite && project.isOwn !== true;
  return (
    <div className="console-page">
      <PageHead
        title={project.name}
        lead={
          <Group gap="xs">
            <State {...PROJECT_STATES[project.state]} />
            <Text span ff="monospace" size="sm">
              {project.id}
            </Text>
            <Copy value={project.id} />
          </Group>
        }
        back={
          <AppLink size="sm" to="/orgs/$org/projects" params={{ org }}>
            {t.back}
          </AppLink>
        }
        actions={mayEnd && <Actions org={org} project={project} />}
      />
      {may('project.app.read') && (
        <ProjectApplications org={org} project={project.id} mayWrite={may('project.app.write')} />
      )}
      <ProjectRoles org={org} project={project.id} mayWrite={mayWrite} />
      {may('user.grant.read') && (
        <RoleHolders org={org} project={project.id} maySeeUsers={may('user.read')} />
      )}
      <ProjectGrants org={org} project={project.id} mayWrite={mayEnd} />
      <Settings key={project.id} org={org} project={project} mayWrite={mayWrite} />
      {mayEnd && (
        <Deletion
          title={t.act.delete}
          label={t.act.delete}
          name={project.name}
          text={t.act.deleteText}
          reach={may('user.grant.read') && <HoldersCount org={org} project={project.id} />}
          word={project.name}
          remove={async () =>
            await answered(
              api.DELETE('/management/v1/projects/{projectId}', {
                params: { ...inOrganization(org), path: { projectId: project.id } },
              }),
            )
          }
          stale={[['projects', org, 'list']]}
          done={t.done.deleted}
          onGone={() => void navigate({ to: '/orgs/$org/projects', params: { org }, ignoreBlocker: true })}
        />
      )}
    </div>
  );
}

function Actions({ org, project }: ProjectProperties) {
  const params = { ...inOrganization(org), path: { projectId: project.id } };
  return (
    <ActivationSwitch
      isActive={project.state !== 'PROJECT_STATE_INACTIVE'}
      isSecondary
      name={project.name}
      activate={async () =>
        await answered(api.POST('/management/v1/projects/{projectId}/_reactivate', { params }))
      }
      deactivate={async () =>
        await answered(api.POST('/management/v1/projects/{projectId}/_deactivate', { params }))
      }
      stale={[['projects', org]]}
      words={t}
    />
  );
}

function Settings({ org, project, mayWrite }: ProjectProperties & { readonly mayWrite: boolean }) {
  return (
    <SettingsForm<ProjectValues>
      bare
      name={`project-${project.id}`}
      what={t.settings.title}
      initial={valuesOf(project)}
      sequence={project.details.sequence}
      save={async (values, sequence) =>
        await answered(
          api.PUT('/management/v1/projects/{projectId}', {
            params: { ...inOrganization(org, sequence), path: { projectId: project.id } },
            body: bodyOf(values),
          }),
        )
      }
      stale={[['projects', org]]}
      done={s.form.saved}
    >
      {(form) => (
        <Section title={t.settings.title}>
          <ProjectFields form={form} isReadOnly={!mayWrite} isOwn={project.isOwn === true} />
        </Section>
      )}
    </SettingsForm>
  );
}
