import { useForm } from '@mantine/form';
import { useNavigate, useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/projects.json';
import en from '../../../locales/console/en/projects.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { forgetDraft, useDraft } from '../shared/draft.ts';
import { AppLink } from '../shared/links.tsx';
import { NewPage } from '../shared/new-page.tsx';
import { bodyOf, ProjectFields, valuesOf, type ProjectValues } from './project-settings.tsx';

const t = words({ en, de });

/** Makes a project, and goes on to it. */
export function NewProjectPage() {
  const { org = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const form = useForm<ProjectValues>({ mode: 'controlled', initialValues: valuesOf() });
  const draft = `project-new-${org}`;
  useDraft(draft, form.values, form.isDirty(), form.setValues);
  const add = useAct({
    call: async (values: ProjectValues) =>
      await answered(
        api.POST('/management/v1/projects', { params: inOrganization(org), body: bodyOf(values) }),
      ),
    stale: [['projects', org]],
    done: t.done.added,
    quiet: true,
    onDone: ({ id }) => {
      form.resetDirty();
      forgetDraft(draft);
      void navigate({
        to: '/orgs/$org/projects/$project',
        params: { org, project: id },
        ignoreBlocker: true,
      });
    },
  });
  return (
    <NewPage
      title={t.new.title}
      lead={t.lead}
      back={
        <AppLink size="sm" to="/orgs/$org/projects" params={{ org }}>
          {t.back}
        </AppLink>
      }
      form={form}
      make={add}
      submit={t.new.submit}
    >
      <ProjectFields form={form} />
    </NewPage>
  );
}
